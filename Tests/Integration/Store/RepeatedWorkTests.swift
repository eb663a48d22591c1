import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookReplay
import DaybookSigner
import Synchronization
import TestSupport
import Testing

@testable import Daybook
@testable import DaybookDomain

/// Work that a payment does more than once, although once is enough.
struct RepeatedWorkTests {
    @Test func `a payment writes five times, and reads nothing that its process has made`()
        async throws
    {
        let temporary = try TemporaryStore()
        let disk = try CountingDisk(temporary.path + "/log")
        let store = try temporary.open { parts in parts.log = { try EventLog(in: disk) } }
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

    @Test func `a payment makes its prompt and selects its coins once, and decides its inputs`()
        async throws
    {
        let temporary = try TemporaryStore()
        var options = StoreOptions()
        options.clock = { 1_800_000_000_000_000 }
        var parts = StoreParts(in: StoreFolder(temporary.path), sealing: .cheap)
        let work = Mutex(Work())
        let (decide, settings) = (parts.decide, parts.settings)
        parts.decide = { state, input in
            let before = state.promptCache?.content
            let outcomes = decide(state, input)
            let after = state.promptCache?.content
            work.withLock { work in
                work.decided.append(type(of: input.payload.data).type)
                work.prompts += (after?.prompts.count ?? 0) - (before?.prompts.count ?? 0)
                work.selections += (after?.payments.count ?? 0) - (before?.payments.count ?? 0)
            }
            return outcomes
        }
        parts.settings = {
            work.withLock { $0.settings += 1 }
            return try settings()
        }
        let store = try Store(parts, at: temporary.path, frontEnd: "tests", options: options)
        try await store.addFundedWallet(.dash)
        work.withLock { $0 = Work() }

        let request = try await store.receive(Flow.all[0].text)
        let shown = try await store.prompt(for: request.id)
        #expect(try await store.made() == Work(prompts: 1, selections: 1))
        _ = try await store.approve(
            request.id, shown: shown, unlockedBy: Passphrase("correct horse"))
        _ = try await store.delivered(request.id)
        // The approval is decided on before it is signed, and when it is recorded.
        let inputs = [
            "request.received", "decision.made", "decision.made", "signature.made",
            "broadcast.answered", "chain.observed", "callback.delivered",
        ]
        #expect(
            work.withLock { $0 }
                == Work(decided: inputs, prompts: 1, selections: 1, settings: 12))
    }
}

extension Store {
    /// The prompts and selections that were made of the present state.
    fileprivate func made() throws -> Work {
        try journal.read { state in
            let made = state.promptCache?.content
            return Work(prompts: made?.prompts.count ?? 0, selections: made?.payments.count ?? 0)
        }
    }
}

/// The work of a payment: values made, decisions, questions.
private struct Work: Equatable, Sendable {
    var decided: [String] = []
    var prompts = 0
    var selections = 0
    var settings = 0
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
