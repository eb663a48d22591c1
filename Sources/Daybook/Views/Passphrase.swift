import DaybookCrypto

/// A passphrase in memory that is wiped when it is no longer used.
public struct Passphrase: ~Copyable, Sendable {
    let secret: SecretBytes

    /// Takes the bytes of a passphrase (UTF-8 as typed) and wipes them where they came from.
    public init(wiping bytes: inout [UInt8]) {
        secret = SecretBytes(wiping: &bytes)
    }
}

/// Where a new wallet's secret comes from.
public enum WalletSource: ~Copyable, Sendable {
    /// Fresh words of 128 bits of entropy (Dash, Axe), or a fresh key without words (ICON).
    case new
    /// Fresh words, on ICON too.
    case newWords
    /// The words of BIP 39, English.
    case mnemonic(Passphrase)
    /// A private key in wallet import format.
    case wif(Passphrase)
    /// A private key of 64 hex digits.
    case hexKey(Passphrase)
    /// An ICON keystore file (V3) and its own password.
    case keystore(file: [UInt8], password: Passphrase)
}
