import DaybookLog
import DaybookReplay
import DaybookSystem
import Testing

@testable import Daybook

/// What a store does while its writer waits for the disk, and when it goes.
struct WriterTests {
    @Test(.timeLimit(.minutes(1)))
    func `a store answers while a commit waits for the disk`() async throws {
        let bench = try Bench()
        let state = Monitor((isHeld: false, isWaiting: false))
        let disk = try HookedDisk(bench.path + "/log") {
            state.change { $0.isWaiting = $0.isHeld }
            state.change(when: { !$0.isHeld }) { $0.isWaiting = false }
        }
        var parts = StoreParts(in: StoreFolder(bench.path), sealing: .init(n: 16, r: 1, p: 1))
        parts.log = { try EventLog(in: disk, by: StateFold()) }
        var options = StoreOptions()
        options.clock = { 1_800_000_000_000_000 }
        // Not on a thread that the other tests need.
        options.run = WorkThread().run
        let store = try Store(parts, at: bench.path, frontEnd: "tests", options: options)
        _ = try await store.addTestWallet(.dash)
        let link = "dashwallet://request=address&sender=caller"
        let first = try await store.receive(link + "1").id
        state.change { $0.isHeld = true }
        let second = Task { try await store.receive(link + "2").id }
        state.change(when: { $0.isWaiting }) { _ in }
        #expect(try await store.pending().map(\.id) == [first])
        #expect(try await store.request(first).status == .pending)
        state.change { $0.isHeld = false }
        let id = try await second.value
        #expect(try await store.pending().map(\.id) == [first, id])
        try await store.expectCleanReplay()
    }

    @Test func `a store that has gone can be opened again at once`() async throws {
        let bench = try Bench()
        for number in 0..<50 {
            let store = try bench.open()
            _ = try await store.receive("dashwallet://request=address&sender=c\(number)")
        }
    }
}
