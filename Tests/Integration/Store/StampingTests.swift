import DaybookEncoding
import DaybookLog
import Testing
import TestSupport

@testable import Daybook

/// Time stamps beside the other work of a store.
struct StampingTests {
    @Test func `a payment does not wait for an authority that is silent`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        _ = try await store.checkpoint()
        let served = try StampAuthority.shared.get().serve()
        let stamping = Task { try await store.timestamp(by: served.url(.silent)) }
        served.waitUntilAsked()
        let id = try await store.receive(
            "dashwallet://pay=XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa&amount=1&sender=shop").id
        #expect(try await store.approve(id).status == .completed)
        stamping.cancel()
        let error = await #expect(throws: DaybookError.self) { try await stamping.value }
        #expect(error?.code == .authorityNoAnswer)
        let types = try await store.allRecords().map(\.type)
        #expect(!types.contains("checkpoint.stamped"))
    }

    @Test func `a stamp is of the checkpoint that was the last one when it was asked for`()
        async throws
    {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let first = try await store.checkpoint()
        let authority = try StampAuthority.shared.get()
        let served = try authority.serve()
        let stamp = try await store.timestamp(
            by: served.url(), certificates: authority.root)
        #expect((stamp.checkpoint, stamp.root) == (first.position, first.root))
        // The stream of checkpoints goes on as if nothing had come between.
        let second = try await store.checkpoint()
        #expect(second.size == stamp.position.number + 1)
        #expect(try await store.lastCheckpoint() == second)
        #expect(try await store.timestamp(by: served.url(.lone)).checkpoint == second.position)
        try await store.expectCleanReplay()
    }
}
