import DaybookCrypto
import DaybookEncoding

/// What scrypt makes of a passphrase: the key of the AEAD, and a value to check the passphrase by.
///
/// The check value is safe to store beside the sealed bytes. It comes from bytes of scrypt's
/// output that nothing else uses, so that it says nothing about the key, and it goes through a
/// hash. Whoever guesses passphrases by it pays scrypt's price for each guess, as with the AEAD's
/// own tag, which is just such a check: the value gives them nothing that they did not have.
struct PassphraseKeys: ~Copyable {
    let key: SecretBytes
    let check: Bytes

    init(
        passphrase: borrowing SecretBytes, salt: Bytes, parameters: Scrypt.Parameters
    ) throws(KeyDerivationError) {
        let output = try Scrypt.derive(
            passphrase: passphrase, salt: salt, parameters: parameters, length: 64)
        key = output.withBytes { output in
            SecretBytes(copying: output.extracting(0..<ChaCha20Poly1305.keyLength))
        }
        let digest = output.withBytes { output in
            var hasher = SHA256Hasher()
            hasher.update(Bytes("daybook passphrase check".utf8))
            hasher.update(output.extracting(32..<64))
            return hasher.finish()
        }
        check = Bytes(digest.prefix(SealedFile.checkLength))
    }
}
