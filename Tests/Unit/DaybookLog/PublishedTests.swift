import DaybookEncoding
import DaybookMigrations
import DaybookSystem
import Synchronization
import Testing
import TestSupport

@testable import DaybookLMDB
@testable import DaybookLog

/// The threads of a process see the last durable commit of a log, whoever made it.
struct PublishedTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        _ = try Migrations.createLog(at: folder.log)
    }

    /// Two logs on one file can't be open in one process: two stand here for two processes, on
    /// storages that they share.
    private func open(_ disk: WatchedDisk, _ tables: any Storage) throws -> EventLog {
        try EventLog(in: disk, derived: tables)
    }

    private func tables() throws -> any Storage {
        let path = LogFolder.derived(of: folder.log)
        try Files.createDirectories(path, mode: 0o700)
        return try DaybookLMDB.Environment(path)
    }

    /// A reader's sight: the number of events, and the rows that follow from them.
    private struct Sight: Sendable {
        let count: UInt64
        let isWhole: Bool

        init(of log: EventLog) throws {
            self = try log.read { log in
                Sight(
                    count: log.count,
                    isWhole: try log.revision(ofStream: "session/0") == log.count
                        && log.failures(of: 0) ?? 0 == log.count && log.head().size == log.count)
            }
        }

        private init(count: UInt64, isWhole: Bool) {
            (self.count, self.isWhole) = (count, isWhole)
        }
    }

    @Test(arguments: [1, 2, 3])
    func `a reader never sees an older state than before, nor one that is not durable`(
        seed: UInt64
    ) throws {
        let disk = try WatchedDisk(folder.log)
        let shared = try tables()
        let logs = [try open(disk, shared), try open(disk, shared)]
        let isOver = Atomic(false)
        let readers = logs.flatMap { [$0, $0] }.map { log in
            // The reader sees each commit after it was acknowledged, and none before it began.
            Reader { seen in
                let durable = disk.durable
                let sight = try Sight(of: log)
                #expect(sight.isWhole)
                #expect(sight.count >= max(seen, durable), "an older state")
                #expect(sight.count <= disk.committed, "a state that is not durable")
                return isOver.load(ordering: .acquiring) ? nil : sight.count
            }
        }
        var numbers = Seeded(seed)
        var count = 0
        for _ in 0..<60 {
            let log = logs[Int(numbers.next() % 2)]
            let batch = numbers.next() % 8 == 0 ? 300 : Int(numbers.next() % 5)
            let fails = numbers.next() % 6 == 0
            struct Undone: Error {}
            do {
                try log.write { transaction in
                    for number in 0..<batch {
                        let session: EventDraft.Reference = count + number == 0 ? .own : .at(0)
                        _ = try transaction.append(.sample(session: session, wallet: 0))
                    }
                    if fails { throw Undone() }
                }
                count += batch
            } catch is Undone {
                continue
            }
        }
        isOver.store(true, ordering: .releasing)
        for reader in readers { try reader.wait() }
        for log in logs {
            let sight = try Sight(of: log)
            #expect(sight.count == UInt64(count))
        }
    }

    @Test func `a commit that the file shows before it is durable is not seen`() throws {
        let disk = try WatchedDisk(folder.log)
        let log = try open(disk, tables())
        try log.add(.sample(session: .own, wallet: 0))
        let seen = Mutex<[UInt64]>([])
        disk.whileCommitting {
            // Nobody may wait: what is published is what is durable.
            let sight = try Sight(of: log)
            seen.withLock { $0.append(sight.count) }
        }
        try log.add(.sample(wallet: 0))
        #expect(seen.withLock { $0 } == [1])
        #expect(try log.read { $0.count } == 2)
    }

    @Test func `a reader waits for the state of a commit that its process has just made`() throws {
        let disk = try WatchedDisk(folder.log)
        let log = try open(disk, tables())
        try log.add(.sample(session: .own, wallet: 0))
        let reader = Mutex<Reader?>(nil)
        disk.afterCommit {
            let begun = Reader { _ in
                let sight = try Sight(of: log)
                #expect(sight.count == 2)
                return nil
            }
            reader.withLock { $0 = begun }
        }
        try log.add(.sample(wallet: 0))
        try reader.withLock { $0 }?.wait()
    }

    @Test func `a process decodes no event that it has made, and another each once`() throws {
        let disk = try WatchedDisk(folder.log)
        let shared = try tables()
        let (own, other) = (try open(disk, shared), try open(disk, shared))
        for number in 0..<20 {
            _ = try own.add([.sample(session: number == 0 ? .own : .at(0), wallet: 0)])
            let records = try own.read { try $0.records(from: 0, limit: .max) }
            #expect(records.count == number + 1)
        }
        let before = disk.transactions
        for _ in 0..<100 { _ = try own.read { try $0.records(from: 0, limit: .max) } }
        #expect(disk.transactions == before)
        for _ in 0..<100 {
            let sight = try Sight(of: other)
            #expect(sight.isWhole)
        }
        // One to see the commit, one to read the events of it.
        #expect(disk.transactions <= before + 2)
    }

    @Test func `a table that another process brings forward is looked at again`() throws {
        let disk = try WatchedDisk(folder.log)
        let shared = try tables()
        let (own, other) = (try open(disk, shared), try open(disk, shared))
        let drafts = (0..<40).map { EventDraft.sample(stream: "s/\($0)", wallet: $0) }
        _ = try own.add([.sample(stream: "s/0", session: .own, wallet: 0)])
        for draft in drafts { _ = try own.add([draft]) }
        try own.bringForward()
        // The first reads nothing of the tables before the second has brought them forward.
        #expect(try own.read { $0.count } == 41)
        for draft in drafts { _ = try other.add([draft]) }
        try other.bringForward()
        for wallet in UInt64(0)..<40 {
            let count: UInt64 = wallet == 0 ? 3 : 2
            #expect(try own.read { try $0.revision(ofStream: "s/\(wallet)") } == count)
            #expect(try own.read { $0.failures(of: wallet) } == count)
        }
    }
}

/// A thread that does something again and again, until that says that it is over.
private final class Reader: Sendable {
    private let result = Monitor<Result<Void, any Error>?>(nil)
    private let thread = WorkThread()

    /// `look` gets what it returned before, 0 at first.
    init(_ look: @escaping @Sendable (UInt64) throws -> UInt64?) {
        thread.run { [result] in
            let found = Result {
                var seen: UInt64 = 0
                while let next = try look(seen) { seen = next }
            }
            return { result.change { $0 = found } }
        }
    }

    func wait() throws { try result.change(when: { $0 != nil }) { $0 }?.get() }
}

/// The storage of a log, which says how many events were committed.
///
/// As the file does, it counts a commit before that is durable.
private final class WatchedDisk: Storage {
    private let environment: DaybookLMDB.Environment
    private let table: Table
    private let counts = Mutex(Counts())

    private struct Counts: Sendable {
        var durable: UInt64 = 0
        var committed: UInt64 = 0
        var transactions = 0
        var ahead: UInt64?
        var whileCommitting: (@Sendable () throws -> Void)?
        var afterCommit: (@Sendable () -> Void)?
    }

    init(_ path: String) throws {
        let environment = try DaybookLMDB.Environment(path)
        self.environment = environment
        table = try environment.read { try #require(try $0.table("events")) }
    }

    /// How many events the last acknowledged commit has left.
    var durable: UInt64 { counts.withLock { $0.durable } }
    /// How many events the last commit has left, which may be about to be acknowledged.
    var committed: UInt64 { counts.withLock { $0.committed } }
    var transactions: Int { counts.withLock { $0.transactions } }

    func whileCommitting(_ body: @escaping @Sendable () throws -> Void) {
        counts.withLock { $0.whileCommitting = body }
    }

    func afterCommit(_ body: @escaping @Sendable () -> Void) {
        counts.withLock { $0.afterCommit = body }
    }

    func snapshot<Value>(_ body: (any StorageView) throws -> Value) throws -> Value {
        counts.withLock { $0.transactions += 1 }
        return try environment.snapshot(body)
    }

    func update<Value>(_ body: (any StorageView) throws -> Value) throws -> Value {
        var events: UInt64 = 0
        let value = try environment.update { view in
            let value = try body(view)
            events = try view.count(table)
            counts.withLock { counts in
                counts.ahead = view.commit.map { $0 + 1 }
                // It can be seen as soon as it is durable, before this process knows.
                counts.committed = events
            }
            try counts.withLock { $0.whileCommitting }?()
            return value
        }
        let after = counts.withLock { counts in
            counts.durable = events
            counts.ahead = nil
            return counts.afterCommit
        }
        after?()
        return value
    }

    func copy(to folder: String) throws { try environment.copy(to: folder) }
    var mapBytes: Int { environment.mapBytes }
    var newestCommit: UInt64? { counts.withLock { $0.ahead } ?? environment.newestCommit }
}
