import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookReplay
import DaybookSigner
import DaybookLMDB
import DaybookLog
import Foundation
import Synchronization
import Testing

@testable import Daybook

/// What a store keeps in memory of its rows, and what it does meanwhile.
struct KnownStateTests {
    private static let link = "dashwallet://request=address&sender=caller"

    @Test func `what another program wrote is seen, whatever was read before`() async throws {
        let temporary = try TemporaryStore()
        let storage = try DaybookLMDB.Environment(temporary.path + "/log")
        let (ours, theirs) = (try open(temporary, storage), try open(temporary, storage))
        _ = try await ours.addTestWallet(.dash)
        let id = try await ours.receive(Self.link).id
        #expect(try await ours.request(id).status == .pending)
        _ = try await theirs.reject(id)
        #expect(try await ours.request(id).status == .rejected)
        let next = try await ours.receive(Self.link).id
        #expect(try await theirs.request(next).status == .pending)
        _ = try await theirs.reject(next)
        await #expect(throws: DaybookError.self) { try await ours.reject(next) }
        try await ours.expectCleanReplay()
    }

    @Test func `while the key of one request is opened, another one is answered`() async throws {
        let temporary = try TemporaryStore()
        let vault = SlowVault(temporary)
        let store = try open(temporary, DaybookLMDB.Environment(temporary.path + "/log"), vault)
        _ = try await store.addTestWallet(.dash)
        let slow = try await store.receive(Self.link).id
        let other = try await store.receive(Self.link + "2").id
        let approval = Task(executorPreference: OwnThreads()) {
            try await store.approve(slow).status
        }
        await waitUntil { vault.isOpening.load(ordering: .acquiring) }
        #expect(try await store.reject(other).status == .rejected)
        vault.permit()
        #expect(try await approval.value == .completed)
    }

    @Test func `a passphrase that was right does not count once others locked the wallet`()
        async throws
    {
        let temporary = try TemporaryStore()
        let storage = try DaybookLMDB.Environment(temporary.path + "/log")
        let vault = SlowVault(temporary)
        let (slow, quick) = (try open(temporary, storage, vault), try open(temporary, storage))
        _ = try await slow.addTestWallet(.dash)
        let id = try await slow.receive(Self.link).id
        let approval = Task(executorPreference: OwnThreads()) {
            try await slow.approve(id).status
        }
        await waitUntil { vault.isOpening.load(ordering: .acquiring) }
        let shown = try await quick.prompt(for: id)
        for _ in 0..<3 {
            await #expect(throws: DaybookError.self) {
                try await quick.approve(id, shown: shown, unlockedBy: Passphrase("wrong"))
            }
        }
        vault.permit()
        await #expect { try await approval.value } throws: {
            ($0 as? DaybookError)?.code == "lockedOut"
        }
        #expect(try await quick.request(id).status == .pending)
    }

    /// A store whose log lies in a storage that others may have as well.
    private func open(
        _ temporary: TemporaryStore, _ storage: DaybookLMDB.Environment,
        _ vault: (any KeyVault)? = nil
    ) throws -> Store {
        var parts = StoreParts(in: StoreFolder(temporary.path), sealing: .init(n: 16, r: 1, p: 1))
        parts.log = { try EventLog(in: storage, by: StateFold()) }
        if let vault { parts.keystore = vault }
        var options = StoreOptions()
        options.clock = { [temporary] in temporary.now.withLock { $0 += 1000; return $0 } }
        return try Store(parts, at: temporary.path, frontEnd: "tests", options: options)
    }
}

/// Opens a key when the test says so; gives up after a minute, when the test has failed.
private final class SlowVault: KeyVault {
    let keystore: Keystore
    let isOpening = Atomic(false)
    /// 1 once keys may be opened.
    private let permission = NSConditionLock(condition: 0)

    init(_ temporary: TemporaryStore) {
        keystore = Keystore(folder: temporary.path + "/keys", parameters: .init(n: 16, r: 1, p: 1))
    }

    func permit() {
        permission.lock()
        permission.unlock(withCondition: 1)
    }

    func seal(
        _ secret: borrowing WalletSecret, of material: PublicMaterial,
        passphrase: borrowing SecretBytes, salt: Bytes, nonce: Bytes
    ) throws(KeystoreError) {
        try keystore.seal(
            secret, of: material, passphrase: passphrase, salt: salt, nonce: nonce)
    }

    func watch(_ material: PublicMaterial) throws(KeystoreError) {
        try keystore.watch(material)
    }

    func material(of name: String) throws(KeystoreError) -> PublicMaterial {
        try keystore.material(of: name)
    }

    func reseal(
        name: String, from old: borrowing SecretBytes, to new: borrowing SecretBytes,
        salt: Bytes, nonce: Bytes
    ) throws(KeystoreError) {
        try keystore.reseal(name: name, from: old, to: new, salt: salt, nonce: nonce)
    }

    func unlock(
        name: String, passphrase: borrowing SecretBytes
    ) throws(KeystoreError) -> Signer {
        isOpening.store(true, ordering: .releasing)
        guard permission.lock(whenCondition: 1, before: Date(timeIntervalSinceNow: 60)) else {
            throw .missing(name)
        }
        permission.unlock()
        return try keystore.unlock(name: name, passphrase: passphrase)
    }
}

/// Runs each step of a task on a thread of its own, so that one that waits takes none from others.
private final class OwnThreads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
