import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookSigner
import Synchronization

/// Sealed keys in memory: the same answers as of the files, without the price of each guess.
final class Vault: KeyVault {
    private let state = Mutex(Contents())

    private struct Contents {
        var sealed: [String: Sealed] = [:]
        var watched: [String: PublicMaterial] = [:]
        var lost: String?
    }

    /// The sealed key of this name is not to be found now.
    var lost: String? {
        get { state.withLock { $0.lost } }
        set { state.withLock { $0.lost = newValue } }
    }

    var names: [String] { state.withLock { $0.sealed.keys.sorted() } }

    private struct Sealed {
        let material: PublicMaterial
        var passphrase: Bytes
        let key: Key
    }

    /// Keys can't be copied by assignment; this can.
    private final class Key: Sendable {
        let master: ExtendedPrivateKey?
        let single: PrivateKey?

        init(master: consuming ExtendedPrivateKey) {
            self.master = consume master
            single = nil
        }

        init(single: consuming PrivateKey) {
            self.single = consume single
            master = nil
        }
    }

    func seal(
        _ secret: borrowing WalletSecret, of material: PublicMaterial,
        passphrase: borrowing SecretBytes, salt: Bytes, nonce: Bytes
    ) throws(KeystoreError) {
        let name = material.fingerprint
        if state.withLock({ $0.sealed[name] }) != nil { throw .exists(name) }
        let key: Key
        switch secret {
        case .mnemonic(let mnemonic):
            guard let seed = try? mnemonic.seed(), let master = ExtendedPrivateKey(seed: seed)
            else { throw .keyDerivation }
            key = Key(master: master)
        case .key(let single):
            key = Key(single: single.key.copy())
        }
        let item = Sealed(
            material: material, passphrase: Self.bytes(passphrase), key: key)
        state.withLock { $0.sealed[name] = item }
    }

    func watch(_ material: PublicMaterial) throws(KeystoreError) {
        state.withLock { $0.watched[material.fingerprint] = material }
    }

    func material(of name: String) throws(KeystoreError) -> PublicMaterial {
        if let watched = state.withLock({ $0.watched[name] }) { return watched }
        return try sealed(name).material
    }

    func unlock(
        name: String, passphrase: borrowing SecretBytes
    ) throws(KeystoreError) -> Signer {
        let found = try sealed(name)
        guard found.passphrase == Self.bytes(passphrase) else { throw .wrongPassphrase }
        if let single = found.key.single?.copy() {
            guard let signer = Signer(.key(SingleKey(single)), found.material) else {
                throw .damaged(reason: "a single key is always one")
            }
            return signer
        }
        guard let master = found.key.master?.copy() else { throw .missing(name) }
        return Signer(master: master, found.material)
    }

    func reseal(
        name: String, from old: borrowing SecretBytes, to new: borrowing SecretBytes,
        salt: Bytes, nonce: Bytes
    ) throws(KeystoreError) {
        guard try sealed(name).passphrase == Self.bytes(old) else { throw .wrongPassphrase }
        let passphrase = Self.bytes(new)
        state.withLock { $0.sealed[name]?.passphrase = passphrase }
    }

    private func sealed(_ name: String) throws(KeystoreError) -> Sealed {
        let found = state.withLock { $0.lost == name ? nil : $0.sealed[name] }
        guard let found else { throw .missing(name) }
        return found
    }

    private static func bytes(_ secret: borrowing SecretBytes) -> Bytes {
        secret.withBytes { span in span.indices.map { span[$0] } }
    }
}
