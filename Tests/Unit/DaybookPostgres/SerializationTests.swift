import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookSystem
import EventStores
import Foundation
import TestSupport
import Testing

/// Servers that undo transactions because of others, as CockroachDB and YugabyteDB do.
struct SerializationTests {
    private let server: TemporaryPostgres
    private let log: Bytes

    init() throws {
        server = try TemporaryPostgres.shared.get()
        log = try Entropy.bytes(LogLimits.idBytes)
    }

    /// Makes a database with the log.
    private func prepare(_ name: String, patience: UInt64) throws -> PostgresPool {
        let pool = PostgresPool(try server.makeDatabase(name), patience: patience)
        try PostgresDatabase(pool).prepare()
        try PostgresDatabase(pool).create(log: log)
        return pool
    }

    private static let seconds: UInt64 = 1_000_000

    @Test(arguments: ["40001", "40003", "40P01"])
    func `an append that the server undoes is tried again`(state: String) throws {
        let pool = try prepare("undone\(state)".lowercased(), patience: 30 * Self.seconds)
        try undo("undone\(state)".lowercased(), with: state, times: 3)
        let events = PostgresEvents(pool, log: log, epoch: 1)
        #expect(try events.append(Self.event("a"), expecting: 0, epoch: 1) == .appended(count: 1))
        #expect(try events.turn { ($0.count, Self.event("b")) } == 1)
        #expect(try events.read(from: 0, limit: 9) == ["a", "b"].map { Bytes($0.utf8) })
    }

    @Test func `a server that undoes every append is given up after a while`() throws {
        let pool = try prepare("always_undone", patience: Self.seconds / 2)
        try undo("always_undone", with: "40001", times: 1_000_000)
        let events = PostgresEvents(pool, log: log, epoch: 1)
        let start = Clock.monotonicMicroseconds()
        let error = #expect(throws: LogError.self) {
            _ = try events.append(Self.event("a"), expecting: 0, epoch: 1)
        }
        #expect(error?.code == "databaseConflict")
        #expect(Clock.monotonicMicroseconds() - start >= Self.seconds / 2)
        #expect(try events.count() == 0)
    }

    @Test func `writers of serializable transactions lose and double nothing`() throws {
        let pool = try prepare("serializable", patience: 60 * Self.seconds)
        try server.run(
            "ALTER DATABASE serializable SET default_transaction_isolation = 'serializable'")
        let database = pool.database
        let done = Monitor<[Result<Void, any Error>]>([])
        let threads = (0..<4).map { _ in WorkThread() }
        for (writer, thread) in threads.enumerated() {
            thread.run { [log] in
                let result = Result {
                    let pool = PostgresPool(database, patience: 60 * Self.seconds)
                    let events = PostgresEvents(pool, log: log, epoch: 1)
                    for number in 0..<50 {
                        try events.turn { _ in ((), Self.event("\(writer) \(number)")) }
                    }
                }
                done.change { $0.append(result) }
                return {}
            }
        }
        for result in done.change(when: { $0.count == 4 }, { $0 }) { try result.get() }
        let events = try PostgresEvents(pool, log: log, epoch: nil).read(from: 0, limit: .max)
        #expect(events.count == 200)
        for writer in 0..<4 {
            let own = events.map { String(decoding: $0, as: UTF8.self) }
                .filter { $0.hasPrefix("\(writer) ") }
            #expect(own == (0..<50).map { "\(writer) \($0)" })
        }
        // Some of them were undone; the server counts them a little later.
        let wasUndone = try (0..<200).contains { _ in
            try server.run(
                "SELECT xact_rollback > 0 FROM pg_stat_database WHERE datname = 'serializable'")
                == "t\n"
        }
        #expect(wasUndone)
    }

    private static func event(_ name: String) -> NewEvents {
        NewEvents([Bytes(name.utf8)]) { Bytes(repeating: 0, count: 32) }
    }

    /// Makes a database undo so many appends with a code.
    private func undo(_ database: String, with state: String, times: Int) throws {
        let address = server.database.replacingOccurrences(
            of: "///postgres?", with: "///\(database)?")
        // A sequence counts on when its transaction is undone.
        let sql = """
            CREATE SEQUENCE tries;
            CREATE FUNCTION undo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF nextval('tries') <= \(times) THEN
                    RAISE EXCEPTION 'restart transaction' USING ERRCODE = '\(state)';
                END IF;
                RETURN NEW;
            END $$;
            CREATE TRIGGER undo BEFORE INSERT ON daybook.events
                FOR EACH ROW EXECUTE FUNCTION undo();
            """
        let run = try ProgramRun(["psql", "-X", "-q", address, "-c", sql])
        #expect(run.status == 0, "\(run.output)")
    }
}
