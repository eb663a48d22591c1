/// The kind of a secret that was found in a link; its raw value is part of the recorded mark.
enum SecretKind: String, CaseIterable {
    /// A private key in wallet import format.
    case wif
    /// A private key under a passphrase.
    case bip38
    /// An extended private key of BIP 32.
    case xprv
    /// Twelve or more words of BIP 39 in a row.
    case mnemonic
    /// A private key in hexadecimal.
    case hex
}
