import DaybookLog
import DaybookReplay
import DaybookSystem
import TestSupport
import Testing

@testable import Daybook

/// A store's conduct while its writer waits for the disk, and when it goes.
struct WriterTests {
    @Test
    func `a store answers while a commit waits for the disk`() async throws {
        let temporary = try TemporaryStore()
        let isHeld = Monitor(false)
        let (commits, beginning) = AsyncStream<Void>.makeStream()
        let disk = try HookedDisk(temporary.path + "/log") {
            if isHeld.change({ $0 }) { beginning.yield() }
            isHeld.change(when: { !$0 }) { _ in }
        }
        // Not on a thread that the other tests need.
        let store = try temporary.open(run: WorkThread().run) { parts in
            parts.log = { try EventLog(in: disk) }
        }
        _ = try await store.addTestWallet(.dash)
        let link = "dashwallet://request=address&sender=caller"
        let first = try await store.receive(link + "1").id
        isHeld.change { $0 = true }
        let second = Task { try await store.receive(link + "2").id }
        for await _ in commits { break }
        #expect(try await store.pending().map(\.id) == [first])
        #expect(try await store.request(first).status == .pending)
        isHeld.change { $0 = false }
        let id = try await second.value
        #expect(try await store.pending().map(\.id) == [first, id])
        try await store.expectCleanReplay()
    }

    @Test func `a store that has gone can be opened again at once`() async throws {
        let temporary = try TemporaryStore()
        for number in 0..<50 {
            let store = try temporary.open()
            _ = try await store.receive("dashwallet://request=address&sender=c\(number)")
        }
    }
}
