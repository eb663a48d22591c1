import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookSystem
import EventStores
import Foundation
import Testing
import TestSupport

/// A synchronous standby that is away: what only the primary has may be lost with it.
///
/// The primary shows such an event nevertheless, after a crash for example.
struct StandbyTests {
    private let server: DevServer
    private let address: String
    private let log: Bytes
    private let events: PostgresEvents
    private let answer = Monitor<Result<Void, any Error>?>(nil)

    init() throws {
        server = try DevServer(["postgres"])
        address = try #require(server.words.first)
        log = try Entropy.bytes(LogLimits.idBytes)
        let pool = PostgresPool(address)
        try PostgresDatabase(pool).prepare()
        try PostgresDatabase(pool).create(log: log)
        events = PostgresEvents(pool, log: log, epoch: 1)
        try Self.append("first", to: events)
        try setStandby("away")
    }

    @Test func `an append that a crash interrupted is done when the standby has it`() throws {
        start { try Self.append("second", to: events) }
        while try waiting() == 0 {}
        #expect(try server.tell("kill") == "killed")
        try expectToWait()
        #expect(try events.read(from: 0, limit: 9) == ["first", "second"].map { Bytes($0.utf8) })
    }

    @Test func `an append whose wait for the standby is cancelled waits again`() throws {
        start { try Self.append("second", to: events) }
        while try waiting() == 0 {}
        try run("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE \(Self.isWaiting)")
        try expectToWait()
        #expect(try events.read(from: 0, limit: 9) == ["first", "second"].map { Bytes($0.utf8) })
    }

    @Test func `nothing is sent before the standby has the read events`() throws {
        try appendElsewhere()
        start { _ = try events.count(.asWriter) }
        try expectToWait()
    }

    @Test func `nothing is sent by a primary whose standby has left for the next one`() throws {
        try setStandby("")
        try Self.append("second", to: events)
        try setStandby("away")
        start { _ = try events.count(.asWriter) }
        try expectToWait()
    }

    @Test func `an answer waits until the standby has its events`() throws {
        try appendElsewhere()
        start {
            let count = try events.turn { ($0.count, NewEvents([]) { [] }) }
            #expect(count == 2)
        }
        try expectToWait()
    }

    @Test func `events of this process need no second commit`() throws {
        try setStandby("")
        try Self.append("second", to: events)
        let before = try run("SELECT pg_current_xact_id()")
        _ = try events.turn { ($0.count, NewEvents([]) { [] }) }
        #expect(try Int(run("SELECT pg_current_xact_id()")) == Int(before).map { $0 + 1 })
    }

    @Test func `a server that does not wait for its standby is not written to`() throws {
        let local = address + "&options=-csynchronous_commit%3Dlocal"
        let error = #expect(throws: LogError.self) {
            try PostgresDatabase(PostgresPool(local)).check(forWriting: true)
        }
        #expect(error?.code == "databaseNotDurable")
        try PostgresDatabase(PostgresPool(local)).check(forWriting: false)
        try setStandby("")
        try PostgresDatabase(PostgresPool(local)).check(forWriting: true)
    }

    // MARK: - Helpers

    private func setStandby(_ name: String) throws {
        try run("ALTER SYSTEM SET synchronous_standby_names = '\(name)'")
        try run("SELECT pg_reload_conf()")
        while try run("SHOW synchronous_standby_names") != name {}
    }

    private static func append(_ name: String, to events: PostgresEvents) throws {
        try events.turn { view in
            ((), NewEvents([Bytes(name.utf8)]) { Bytes(repeating: 7, count: 32) })
        }
    }

    /// Appends an event by another process, which the standby does not get.
    private func appendElsewhere() throws {
        let id = "'\\x\(Hex.encode(log))'"
        try run(
            "SET synchronous_commit = local; INSERT INTO daybook.events VALUES (\(id), 1, 'x'); "
                + "UPDATE daybook.logs SET head = 2 WHERE log_id = \(id)")
    }

    /// Runs something on a thread of its own.
    private func start(_ body: @escaping @Sendable () throws -> Void) {
        let thread = WorkThread()
        thread.run { [answer] in
            let result = Result { try body() }
            answer.change { $0 = result }
            return {}
        }
    }

    /// Expects what was started to wait for the standby, and to end when there is none any more.
    private func expectToWait() throws {
        while try waiting() == 0, answer.change({ $0 == nil }) {}
        #expect(answer.change { $0 == nil })
        try setStandby("")
        _ = try answer.change(when: { $0 != nil }, { $0 })?.get()
    }

    /// How many connections wait for the standby.
    private func waiting() throws -> Int {
        try #require(
            Int(try run("SELECT count(*) FROM pg_stat_activity WHERE \(Self.isWaiting)")))
    }

    private static let isWaiting = "wait_event = 'SyncRep'"

    /// Runs SQL, and returns what it printed.
    @discardableResult
    private func run(_ sql: String) throws -> String {
        let run = try ProgramRun(["psql", "-X", "-q", "-t", "-A", address, "-c", sql])
        try #require(run.status == 0, "\(run.output)")
        return run.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
