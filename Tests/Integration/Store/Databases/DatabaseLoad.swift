import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookSystem
import Testing

@testable import Daybook

/// Logs in databases with processes that write to them, and what must be true of them at the end.
///
/// Two processes write to each log.
final class DatabaseLoad {
    /// A log, and the processes that append to it.
    private struct PlainLog {
        let url: PostgresURL
        let processes: [LoadProcess]
    }

    /// A store with embedded chains, and the front ends that receive and pay with it.
    private struct PayingStore {
        let home: SharedHome
        let processes: [LoadProcess]
    }

    /// The result of the load.
    struct Summary {
        var appends = 0
        var requests = 0
        var payments = 0
        var checkpoints = 0
        /// How often processes were told that the database failed, by code.
        var failures: [String: Int] = [:]
        /// Acknowledged events that are not there.
        var losses: [String] = []
    }

    private var logs: [PlainLog] = []
    private var stores: [PayingStore] = []

    /// Adds a log whose events say nothing; its writers add options to the address.
    func addLog(at database: String, options: String = "", pausing milliseconds: Int) throws {
        let pool = PostgresPool(database)
        let id = try Entropy.bytes(16)
        try PostgresDatabase(pool).prepare()
        try PostgresDatabase(pool).create(log: id)
        let url = PostgresURL(database: database + options, log: id)
        let processes = try (1...2).map { _ in
            try LoadProcess(["LogDriver", "load", url.description, "\(milliseconds)"])
        }
        logs.append(PlainLog(url: PostgresURL(database: database, log: id), processes: processes))
    }

    /// Adds a store with wallets of three chains.
    func addStore(at database: String, pausing milliseconds: Int) async throws {
        let home = try await SharedHome.funded(
            [.dash, .axe, .icon], times: 20, inDatabase: database)
        let processes = try (1...2).map { number in
            let seed = stores.count * 10 + number
            return try LoadProcess(
                ["StoreDriver", "patient", home.path, "\(seed)", "\(milliseconds)"])
        }
        stores.append(PayingStore(home: home, processes: processes))
    }

    /// Waits until each process has done something more; the last words of those that can't.
    func stuck() -> [String] {
        (logs.flatMap(\.processes) + stores.flatMap(\.processes)).filter { !$0.progresses() }
            .map { "\($0.words): \($0.end().suffix(3))" }
    }

    /// The longest time in which a process that appends was told of no event, in seconds, since
    /// this was asked last.
    func takeLongestOutage() -> Double {
        logs.flatMap(\.processes).map { $0.takeLongestOutage() }.max() ?? 0
    }

    /// Ends all processes, and compares what they were told with what the logs have.
    func end() async throws -> Summary {
        var summary = Summary()
        for log in logs { try check(log, &summary) }
        for store in stores {
            try await check(store.home, told: store.processes.flatMap { $0.end() }, &summary)
        }
        return summary
    }

    // MARK: - Logs

    private func check(_ log: PlainLog, _ summary: inout Summary) throws {
        let lines = log.processes.flatMap { $0.end() }
        summary.add(failuresIn: lines)
        guard let id = log.url.log else { return }
        let store = PostgresEvents(PostgresPool(log.url.database), log: id, epoch: nil)
        let hashes = try store.read(from: 0, limit: .max).map { event in
            var leaf = TreeFold()
            leaf.add(leaf: event)
            return Hex.encode(leaf.root().bytes)
        }
        var told: Set<Int> = []
        for line in lines where line.hasPrefix("event ") {
            let words = line.split(separator: " ")
            let position = try #require(Int(words[1]))
            // A position that was given twice had an event that is not there any more.
            if !told.insert(position).inserted || position >= hashes.count
                || hashes[position] != words[2]
            {
                summary.losses.append("event \(position) of \(Hex.encode(id))")
            }
        }
        summary.appends += told.count
        let whole = try EventLog(of: store, derivedAt: nil)
        #expect(try whole.read { try $0.head().size } == UInt64(hashes.count))
    }

    // MARK: - Stores

    /// Compares a store with what its front ends were told.
    func check(
        _ home: SharedHome, told lines: [String], _ summary: inout Summary
    ) async throws {
        summary.add(failuresIn: lines)
        let store = try home.open()
        for name in [ChainName.dash, .axe, .icon] { try await store.setFault(.none, on: name) }
        try await store.resume()
        _ = try await store.sync()
        try await store.mine(2)
        _ = try await store.sync()
        let log = StressTests.Outcome(try await store.allRecords())
        let decided = log.prepared + log.granted
        let known = [
            "received": log.received, "approved": decided, "rejected": log.rejected,
        ]
        for (word, ids) in known.sorted(by: { $0.key < $1.key }) {
            let told = Set(lines.filter { $0.hasPrefix(word + " ") }.compactMap { line in
                UInt64(line.split(separator: " ")[1]).map { RequestID($0) }
            })
            summary.losses += told.subtracting(ids).map { "\(word) \($0) in \(home.path)" }
        }
        summary.losses += try await lostCheckpoints(lines, store)
        let stress = StressTests()
        try stress.compareOrder(log)
        try await stress.compareChains(log, store)
        for id in decided where !log.rejected.contains(id) {
            let request = try await store.request(id)
            let isLate = try await store.isLate(id)
            #expect(request.status == .completed || isLate, "\(request)")
        }
        try await store.expectCleanReplay()
        #expect(try Store.verify(at: home.path).problems == [])
        summary.requests += log.received.count
        summary.payments += log.prepared.count
        summary.checkpoints += lines.count { $0.hasPrefix("checkpoint ") }
    }

    /// The checkpoints that were made, and are not heads of the log's beginning.
    private func lostCheckpoints(_ lines: [String], _ store: Store) async throws -> [String] {
        try await store.withLog { log in
            let end = try log.head()
            return try lines.filter { $0.hasPrefix("checkpoint ") }.filter { line in
                let words = line.split(separator: " ").map(String.init)
                let size = try #require(UInt64(words[1]))
                let root = try #require(Hex.decode(words[2]).flatMap { TreeHash($0) })
                if size > end.size { return true }
                return try !log.consistencyProof(from: size)
                    .proves(TreeHead(size: size, root: root), beginsAs: end)
            }
        }
    }
}

extension DatabaseLoad.Summary {
    fileprivate mutating func add(failuresIn lines: [String]) {
        for line in lines where line.hasPrefix("failed ") {
            failures[String(line.dropFirst(7)), default: 0] += 1
        }
    }
}

extension Store {
    fileprivate func withLog<Value>(_ body: (LogSnapshot) throws -> Value) throws -> Value {
        try journal.log.read { try body($0) }
    }
}
