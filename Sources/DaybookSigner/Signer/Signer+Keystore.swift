import DaybookChains
package import DaybookCrypto
package import DaybookEncoding

extension Signer {
    /// The wallet's key as a keystore file of ICON's wallets, under a password of its own.
    ///
    /// `random` is 48 fresh random bytes. Throws `noKey` for a wallet of words, which ICON's
    /// wallets here never are.
    package func keystoreFile(
        password: borrowing SecretBytes, random: Bytes
    ) throws(KeystoreError) -> Bytes {
        let key = try keys.key(at: .master)
        do throws(ICONKeystoreError) {
            return try ICONKeystoreFile.sealing(
                key, password: password, salt: Bytes(random[..<16]),
                counter: Bytes(random[16..<32]), id: Bytes(random[32..<48]))
        } catch {
            throw .keyDerivation
        }
    }
}
