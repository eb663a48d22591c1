package import DaybookChains
package import DaybookCrypto
package import DaybookEncoding

/// Where wallets' secrets are sealed: the files of a `Keystore`, or a simulation's memory.
///
/// The name of what is sealed is its public material's fingerprint.
package protocol KeyVault: Sendable {
    /// Seals a secret under a passphrase, durably, with the public material that follows from it.
    ///
    /// Throws `exists` where a wallet of the same material is sealed already.
    func seal(
        _ secret: borrowing WalletSecret, of material: PublicMaterial,
        passphrase: borrowing SecretBytes, salt: Bytes, nonce: Bytes
    ) throws(KeystoreError)

    /// Keeps the public material of a wallet whose secret is elsewhere, durably.
    func watch(_ material: PublicMaterial) throws(KeystoreError)

    /// What was sealed with the secret of that name, or is watched: read without a passphrase.
    func material(of name: String) throws(KeystoreError) -> PublicMaterial

    /// Opens what was sealed under a name; its public material follows from the secret.
    func unlock(
        name: String, passphrase: borrowing SecretBytes
    ) throws(KeystoreError) -> Signer

    /// Seals a wallet's secret again, under another passphrase; durable on return.
    func reseal(
        name: String, from old: borrowing SecretBytes, to new: borrowing SecretBytes,
        salt: Bytes, nonce: Bytes
    ) throws(KeystoreError)
}
