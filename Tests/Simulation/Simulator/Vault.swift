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

    private let turns = KeyTurns()

    private struct Sealed {
        let material: PublicMaterial
        var passphrase: Bytes
        var number = 0
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

    func lock(_ name: String) async throws(KeystoreError) -> KeyLock { await turns.take(name) }

    func sealing(of name: String) throws(KeystoreError) -> Sealing {
        let found = try sealed(name)
        return Sealing(mark: Bytes("\(found.number)".utf8))
    }

    func seal(
        _ secret: borrowing WalletSecret, of material: PublicMaterial,
        passphrase: borrowing SecretBytes, salt: Bytes, nonce: Bytes
    ) throws(KeystoreError) {
        let name = material.fingerprint
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
        state.withLock { state in
            let number = state.sealed[name].map { $0.number + 1 } ?? 0
            state.sealed[name] = item
            state.sealed[name]?.number = number
        }
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
        state.withLock { state in
            state.sealed[name]?.passphrase = passphrase
            state.sealed[name]?.number += 1
        }
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
