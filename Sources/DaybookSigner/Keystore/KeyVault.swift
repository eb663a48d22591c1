package import DaybookCrypto
package import DaybookEncoding

/// Where wallets' secrets are sealed: the files of a `Keystore`, or a simulation's memory.
package protocol KeyVault: Sendable {
    /// Seals a secret under a passphrase and a new name, durably; `exists` where it is taken.
    func seal(
        _ secret: borrowing WalletSecret, name: String, passphrase: borrowing SecretBytes,
        salt: Bytes, nonce: Bytes
    ) throws(KeystoreError)

    /// Opens what was sealed under a name.
    func unlock(
        name: String, passphrase: borrowing SecretBytes
    ) throws(KeystoreError) -> UnlockedWallet
}
