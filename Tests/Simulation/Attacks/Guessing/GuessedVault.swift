import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookSigner
import Synchronization

/// One sealed key in memory, which all processes share, and which judges each try to open it.
final class GuessedVault: KeyVault {
    /// The sealed key.
    struct Content: Sendable {
        var material: PublicMaterial?
        var passphrase: Bytes = []
        /// How often it was sealed.
        var number = 0
        /// The wrong passphrases that were tried.
        var wrong = 0
    }

    /// The number of the call that the running task makes.
    @TaskLocal static var call: Int?

    private let content: Mutex<Content>
    private let turns = KeyTurns()
    private let weakness: GuessingScene.Weakness?
    /// Called when a call begins to wait for the lock.
    let waits: @Sendable (_ call: Int?) -> Void
    /// Called when a passphrase is tried.
    let tries: @Sendable (_ call: Int?, _ isRight: Bool, Content) -> Void

    init(
        _ content: Content, _ weakness: GuessingScene.Weakness? = nil,
        waits: @escaping @Sendable (Int?) -> Void = { _ in },
        tries: @escaping @Sendable (Int?, Bool, Content) -> Void = { _, _, _ in }
    ) {
        self.content = Mutex(content)
        self.weakness = weakness
        self.waits = waits
        self.tries = tries
    }

    var now: Content { content.withLock { $0 } }

    func lock(_ name: String) async throws(KeystoreError) -> KeyLock {
        waits(Self.call)
        return weakness == .noLocks ? KeyLock {} : await turns.take(name)
    }

    func sealing(of name: String) throws(KeystoreError) -> Sealing {
        Sealing(mark: [weakness == .sameSealing ? 0 : UInt8(truncatingIfNeeded: now.number)])
    }

    func seal(
        _ secret: borrowing WalletSecret, of material: PublicMaterial,
        passphrase: borrowing SecretBytes, salt: Bytes, nonce: Bytes
    ) throws(KeystoreError) {
        let text = Self.bytes(passphrase)
        content.withLock { $0 = Content(material: material, passphrase: text) }
    }

    func watch(_ material: PublicMaterial) throws(KeystoreError) {}

    func material(of name: String) throws(KeystoreError) -> PublicMaterial {
        guard let material = now.material else { throw .missing(name) }
        return material
    }

    func unlock(
        name: String, passphrase: borrowing SecretBytes
    ) throws(KeystoreError) -> Signer {
        let found = now
        let isRight = Self.bytes(passphrase) == found.passphrase
        tries(Self.call, isRight, found)
        guard isRight else {
            content.withLock { $0.wrong += 1 }
            throw .wrongPassphrase
        }
        guard let material = found.material,
            let key = PrivateKey(SecretBytes(copying: Self.key)),
            let signer = Signer(.key(SingleKey(key)), material)
        else { throw .missing(name) }
        return signer
    }

    func reseal(
        name: String, from old: borrowing SecretBytes, to new: borrowing SecretBytes,
        salt: Bytes, nonce: Bytes
    ) throws(KeystoreError) {
        guard Self.bytes(old) == now.passphrase else { throw .wrongPassphrase }
        let text = Self.bytes(new)
        content.withLock { content in
            content.passphrase = text
            content.number += 1
        }
    }

    /// The private key 1.
    static let key = Bytes(repeating: 0, count: 31) + [1]

    private static func bytes(_ secret: borrowing SecretBytes) -> Bytes {
        secret.withBytes { span in span.indices.map { span[$0] } }
    }
}
