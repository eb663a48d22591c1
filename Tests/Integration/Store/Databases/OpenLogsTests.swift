import DaybookSystem
import Testing
import TestSupport

@testable import Daybook

/// The logs that are open at once. A log in a folder can't be opened twice, so no test passes if
/// one has two stores.
struct OpenLogsTests {
    private let folders = Folders()

    @Test func `a log is opened once for all that use it at once`() async throws {
        let logs = folders.logs()
        let ids = try await withThrowingTaskGroup { group in
            for _ in 0..<50 { group.addTask { try await logs.use("a").store.logID } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 1 && folders.opened == ["a"] && logs.count == 1)
    }

    @Test func `the log that was used least recently makes place`() async throws {
        let logs = folders.logs { $0.logs = 2 }
        for log in ["a", "b", "a", "c"] { _ = try await logs.use(log) }
        #expect(folders.opened == ["a", "b", "c"])
        // Of these, b had to go.
        for log in ["a", "c", "b"] { _ = try await logs.use(log) }
        #expect(folders.opened == ["a", "b", "c", "b"] && logs.count == 2)
    }

    @Test func `a log in use stays open, and another one waits for its place`() async throws {
        let logs = folders.logs { ($0.logs, $0.waitSeconds) = (1, 3600) }
        var use: LogUse? = try await logs.use("a")
        #expect(use?.log == "a")
        let waiting = Task { try await logs.use("b").store.logID }
        while logs.waiters == 0 { await Task.yield() }
        #expect(folders.opened == ["a"])
        use = nil
        #expect(try await waiting.value.utf8.count == 32)
        #expect(folders.opened == ["a", "b"])
    }

    @Test func `where no place gets free in time, the call fails, and the next one works`()
        async throws
    {
        let logs = folders.logs { ($0.logs, $0.waitSeconds) = (1, 0) }
        do {
            let use = try await logs.use("a")
            await #expect(throws: DaybookError.self) { try await logs.use("b") }
            await #expect { try await logs.use("b") } throws: {
                ($0 as? DaybookError)?.code == .tooManyLogs
            }
            #expect(use.log == "a")
        }
        #expect(try await logs.use("b").log == "b")
    }

    @Test func `a call that has waited too long fails when the clock ticks`() async throws {
        let logs = folders.logs { ($0.logs, $0.waitSeconds) = (1, 1) }
        let use = try await logs.use("a")
        let waiting = Task { try await logs.use("b").log }
        await #expect { try await waiting.value } throws: {
            ($0 as? DaybookError)?.code == .tooManyLogs
        }
        #expect(use.log == "a")
    }

    @Test func `a log that nobody uses is closed after a while, and opened again when named`()
        async throws
    {
        let logs = folders.logs { $0.idleSeconds = 0 }
        var use: LogUse? = try await logs.use("a")
        logs.tick()
        #expect(logs.count == 1 && use != nil)
        use = nil
        logs.tick()
        #expect(logs.count == 0)
        #expect(try await logs.use("a").store.logID.utf8.count == 32)
        #expect(folders.opened == ["a", "a"])
    }

    @Test func `a log that can't be opened leaves nothing behind`() async throws {
        let logs = folders.logs { $0.logs = 1 }
        for _ in 0..<3 {
            await #expect { try await logs.use("missing") } throws: {
                ($0 as? DaybookError)?.code == .storeMissing
            }
            #expect(logs.count == 0)
        }
        #expect(try await logs.use("a").log == "a")
    }

    @Test func `calls come in while logs are closed for others`() async throws {
        let logs = folders.logs { ($0.logs, $0.waitSeconds) = (2, 3600) }
        try await withThrowingTaskGroup { group in
            for number in 0..<24 {
                group.addTask {
                    for step in 0..<20 {
                        let log = ["a", "b", "c", "d", "e"][(number * 7 + step * step) % 5]
                        let use = try await logs.use(log)
                        #expect(logs.count <= 2)
                        _ = try await use.store.info()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(logs.waiters == 0 && logs.count == 2)
    }

    @Test func `a log with an unlocked wallet stays open until it is locked`() async throws {
        let logs = folders.logs { ($0.logs, $0.waitSeconds, $0.idleSeconds) = (1, 0, 0) }
        let wallet = try await logs.use("a").store.addTestWallet(.dash)
        try await logs.use("a").store.unlock(
            wallet.id, with: Passphrase("correct horse"), seconds: 60, limit: "1000")
        logs.tick()
        #expect(logs.count == 1)
        await #expect { try await logs.use("b") } throws: {
            ($0 as? DaybookError)?.code == .tooManyLogs
        }
        try await logs.use("a").store.lock(wallet.id)
        #expect(try await logs.use("b").log == "b")
        #expect(folders.opened == ["a", "b"])
    }

    @Test func `subscriptions leave places for the calls of others`() async throws {
        let logs = folders.logs { ($0.logs, $0.waitSeconds) = (4, 0) }
        var uses: [LogUse] = []
        for log in ["a", "b", "c"] {
            uses.append(try await logs.use(log))
            try uses.last?.subscribe()
        }
        let further = try await logs.use("a")
        try further.subscribe()
        let other = try await logs.use("d")
        #expect { try other.subscribe() } throws: {
            ($0 as? DaybookError)?.code == .tooManyLogs
        }
        uses.removeFirst()
        #expect { try other.subscribe() } throws: { _ in further.log == "a" }
        uses.removeFirst()
        try other.subscribe()
    }

    @Test func `a log that was taken over is opened anew when nobody uses it, and not before`()
        async throws
    {
        let logs = folders.logs()
        var use: LogUse? = try await logs.use("a")
        _ = try await logs.use("a")
        #expect(folders.opened == ["a"])
        var changes = try #require(use?.store.changes()).makeAsyncIterator()
        folders.takeOver("a")
        let waiting = Task { try await logs.use("a").store.logID }
        // The subscription ends; the further use waits until the last one is over.
        #expect(try await changes.next() == nil)
        #expect(folders.opened == ["a"])
        use = nil
        #expect(try await waiting.value.utf8.count == 32)
        #expect(folders.opened == ["a", "a"])
    }
}

/// Logs in folders, and which of them were opened.
private final class Folders: Sendable {
    private let folder = try? TemporaryFolder()
    private let state = Monitor(State())

    private struct State {
        var opened: [String] = []
        var takenOver: Set<String> = []
    }

    /// The logs that were opened, in order.
    var opened: [String] { state.change { $0.opened } }

    /// Lets the next opening of a log find something else.
    func takeOver(_ log: String) { state.change { _ = $0.takenOver.insert(log) } }

    func logs(_ change: (inout OpenLogs.Limits) -> Void = { _ in }) -> OpenLogs {
        var limits = OpenLogs.Limits()
        change(&limits)
        return OpenLogs(limits, on: TaskThreads(4)) { [self] log in
            let path = "\(folder?.path ?? "/nonexistent")/\(log)"
            if log != "missing", try !Files.exists(path) { try Store.create(at: path) }
            let store = try Store(opening: path, frontEnd: "tests")
            state.change { state in
                state.opened.append(log)
                state.takenOver.remove(log)
            }
            return OpenLogs.Opened(store: store, isWriter: false) { [self] in
                state.change { $0.takenOver.contains(log) }
            }
        }
    }
}
