import DaybookDomain
import DaybookEncoding
import NodeServer
import Synchronization
import Testing

@testable import Daybook

/// When blocks were made, in the histories of a store, from embedded chains and from nodes.
struct RecordedBlockTimeTests {
    private static let target = "dashwallet://pay=\(Flow.dash)"

    @Test(arguments: Flow.all.filter { ["pay", "sendICX"].contains($0.name) })
    func `a payment's block time is in its history, in its request and in the table`(
        flow: Flow
    ) async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addFundedWallet(flow.chain)
        let paid = try await store.approve(try await store.receive(flow.text).id)
        temporary.wait(seconds: 200)
        try await store.mine(1)
        let now = temporary.now.withLock { $0 }
        let entries = try await store.history(of: wallet.id).entries
        let entry = try #require(entries.first { $0.request == paid.id })
        let time = try #require(entry.blockTime)
        #expect(try #require(paid.decided) <= time && time.microseconds <= now)
        #expect(entry.height != nil)
        #expect(try await store.request(paid.id).blockTime == time)
        let table = Mutex("")
        _ = try await store.export(as: .csv) { bytes in
            table.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        }
        let lines = table.withLock { $0 }.split(separator: "\r\n")
        #expect(lines.contains { $0.hasPrefix("\(Timestamp.readable(time)) UTC,") })
        try await store.expectCleanReplay()
    }

    @Test func `after a reorganization the time is that of the new block`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addFundedWallet(.dash)
        _ = try await store.approve(
            try await store.receive("\(Self.target)&amount=1&sender=myapp").id)
        try await store.mine(1)
        let first = try #require(try await store.history(of: wallet.id).entries.first?.blockTime)
        temporary.wait(seconds: 3600)
        try await store.reorganise(.dash, depth: 1)
        let gone = try #require(try await store.history(of: wallet.id).entries.first)
        #expect(gone.height == nil && gone.blockTime == nil)
        try await store.mine(1)
        let second = try #require(try await store.history(of: wallet.id).entries.first?.blockTime)
        #expect(second > first + 3_000_000_000)
        try await store.expectCleanReplay()
    }
}
