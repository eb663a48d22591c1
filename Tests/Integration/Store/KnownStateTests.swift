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

/// The rows that a store keeps in memory, and its work meanwhile.
struct KnownStateTests {
    private static let link = "dashwallet://request=address&sender=caller"

    @Test func `another program's events are seen, despite earlier reads`() async throws {
        let temporary = try TemporaryStore()
        let storage = try DaybookLMDB.Environment(temporary.path + "/log")
        let (ours, theirs) = (try temporary.open(on: storage), try temporary.open(on: storage))
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
        let store = try temporary.open(on: DaybookLMDB.Environment(temporary.path + "/log"), vault)
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
        // Its locks are none, as if others had come past them.
        let vault = SlowVault(temporary, hasLocks: false)
        let slow = try temporary.open(on: storage, vault)
        let quick = try temporary.open(on: storage)
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
}
