import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookReplay
import DaybookSigner
import Foundation
import Synchronization
import TestSupport

@testable import Daybook

/// Opens a key when the test says so; gives up after a minute, when the test has failed.
final class SlowVault: KeyVault {
    let keystore: Keystore
    let isOpening = Atomic(false)
    /// 1 once keys may be opened.
    private let permission = NSConditionLock(condition: 0)
    private let hasLocks: Bool

    init(_ temporary: TemporaryStore, hasLocks: Bool = true) {
        self.hasLocks = hasLocks
        keystore = Keystore(folder: temporary.path + "/keys", parameters: .cheap)
    }

    func permit() {
        permission.lock()
        permission.unlock(withCondition: 1)
    }

    func lock(_ name: String) async throws(KeystoreError) -> KeyLock {
        hasLocks ? try await keystore.lock(name) : KeyLock {}
    }

    func sealing(of name: String) throws(KeystoreError) -> Sealing {
        try keystore.sealing(of: name)
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
final class OwnThreads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension TemporaryStore {
    /// A store whose log lies in a storage that other stores, as those of other processes, may have
    /// as well.
    func open(
        on storage: any Storage, _ vault: (any KeyVault)? = nil, chains: (any Storage)? = nil
    ) throws -> Store {
        try open { parts in
            parts.log = { try EventLog(in: storage) }
            if let vault { parts.keystore = vault }
            if let chains { parts.sandbox = { chains } }
        }
    }
}
