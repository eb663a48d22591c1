import DaybookLMDB
import DaybookLog
import DaybookReplay
import DaybookSigner
import Synchronization
import Testing

@testable import Daybook

/// What a payment does more than once, although once is enough.
struct RepeatedWorkTests {
    @Test func `a payment writes five times, and reads nothing that its process has made`()
        async throws
    {
        let temporary = try TemporaryStore()
        let disk = try CountingDisk(temporary.path + "/log")
        var options = StoreOptions()
        options.clock = { 1_800_000_000_000_000 }
        var parts = StoreParts(in: StoreFolder(temporary.path), sealing: .init(n: 16, r: 1, p: 1))
        parts.log = { try EventLog(in: disk, by: StateFold()) }
        let store = try Store(parts, at: temporary.path, frontEnd: "tests", options: options)
        try await store.addFundedWallet(.dash)
        _ = disk.take()

        let request = try await store.receive(Flow.all[0].text)
        #expect(disk.take() == Counts(reads: 0, writes: 1))
        let shown = try await store.prompt(for: request.id)
        #expect(disk.take() == Counts(reads: 0, writes: 0))
        // The decision with its signatures, the node's answer, and what a scan brought.
        let done = try await store.approve(
            request.id, shown: shown, unlockedBy: Passphrase("correct horse"))
        #expect(done.status == .completed)
        #expect(disk.take() == Counts(reads: 0, writes: 3))
        _ = try await store.delivered(request.id)
        #expect(disk.take() == Counts(reads: 0, writes: 1))
        for _ in 0..<3 {
            _ = try await store.request(request.id)
            _ = try await store.pending()
            _ = try await store.balances()
        }
        #expect(disk.take() == Counts(reads: 0, writes: 0))
        try await store.expectCleanReplay()
    }
}

/// How many transactions were begun.
private struct Counts: Equatable, Sendable {
    var reads = 0
    var writes = 0
}

/// A log's storage that counts its transactions.
private final class CountingDisk: Storage {
    private let environment: DaybookLMDB.Environment
    private let counts = Mutex(Counts())

    init(_ path: String) throws { environment = try DaybookLMDB.Environment(path) }

    /// The counts since the last call.
    func take() -> Counts {
        counts.withLock { counts in
            defer { counts = Counts() }
            return counts
        }
    }

    func snapshot<Value>(_ body: (any StorageView) throws -> Value) throws -> Value {
        counts.withLock { $0.reads += 1 }
        return try environment.snapshot(body)
    }

    func update<Value>(_ body: (any StorageView) throws -> Value) throws -> Value {
        counts.withLock { $0.writes += 1 }
        return try environment.update(body)
    }

    func copy(to folder: String) throws { try environment.copy(to: folder) }
    var mapBytes: Int { environment.mapBytes }
    var newestCommit: UInt64? { environment.newestCommit }
}
