package import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// Signs transactions whose terms were shown, and nothing else.
///
/// A signer trusts neither the log nor a node. It has the wallet's unlocked keys, and each call
/// gives it the terms that the user saw, the unsigned transaction and the transactions that made
/// its inputs. It derives keys and the change address itself, compares everything with the terms,
/// and computes the digests itself. Nothing outside this module gets an unlocked key, and no
/// function signs a digest. For example:
///
///     let signer = try keystore.unlock(name: fingerprint, passphrase: passphrase)
///     let signatures = try signer.sign(payment, under: terms)
package struct Signer: ~Copyable, Sendable {
    /// The keys; only this folder uses them.
    let keys: UnlockedKeys
    /// What the sealed file says of the wallet: its chain, network and public keys.
    package let material: PublicMaterial

    init(_ keys: consuming UnlockedKeys, _ material: PublicMaterial) {
        self.keys = keys
        self.material = material
    }

    /// The signer of a secret that was unsealed; nil once in 2^127, for words without a key.
    package init?(_ secret: consuming WalletSecret, _ material: PublicMaterial) {
        guard let keys = UnlockedKeys(secret) else { return nil }
        self.init(keys, material)
    }

    /// The signer of the keys below a master key.
    package init(master: consuming ExtendedPrivateKey, _ material: PublicMaterial) {
        self.init(UnlockedKeys(master: master), material)
    }

    /// The key at a path, in the signer's own words where there is none.
    func key(at path: DerivationPath) throws(SigningRefusal) -> PrivateKey {
        do throws(KeystoreError) {
            return try keys.key(at: path)
        } catch {
            throw .noKey(at: path.text)
        }
    }
}
