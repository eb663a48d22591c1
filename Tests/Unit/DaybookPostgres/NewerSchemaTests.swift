import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookSystem
import EventStores
import Testing
import TestSupport

/// An older and a newer server on one database: the newer one migrates the tables.
struct NewerSchemaTests {
    private let server: TemporaryPostgres
    private let database: String
    private let pool: PostgresPool
    private let log: Bytes

    init() throws {
        server = try TemporaryPostgres.shared.get()
        log = try Entropy.bytes(LogLimits.idBytes)
        database = "newer_\(Hex.encode(log))"
        pool = PostgresPool(try server.makeDatabase(database))
        try PostgresDatabase(pool).prepare()
        try PostgresDatabase(pool).create(log: log)
    }

    private func opened() throws -> EventLog {
        try EventLog(of: PostgresEvents(pool, log: log, epoch: 1), derivedAt: nil)
    }

    private func append(to log: EventLog) throws {
        _ = try log.write { transaction in
            try transaction.append(
                EventDraft(
                    stream: "a", type: "a", time: 1, session: .own, actor: "test",
                    data: CBOR.record([:]).encoded()))
        }
    }

    /// As a migration to this schema begins and ends.
    private func migrate(to version: UInt64) throws {
        try server.run(
            """
            BEGIN;
            ALTER TABLE daybook.logs ALTER version SET DEFAULT \(version);
            UPDATE daybook.logs SET version = \(version);
            UPDATE daybook.meta SET version = \(version);
            COMMIT
            """, in: database)
    }

    private func code(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return (error as? LogError)?.code
        }
    }

    @Test func `a server that was connected before a migration is refused by name`() throws {
        let old = try opened()
        try append(to: old)
        try migrate(to: 11)
        let refusal = #expect(throws: LogError.self) { try append(to: old) }
        #expect(
            refusal?.description == "the database's schema 11 is newer than 10, the last one "
                + "known; use the program that wrote it")
        #expect(refusal?.code == "databaseTooNew")
        #expect(code { try old.read { _ = $0.count } } == "databaseTooNew")
        #expect(code { _ = try old.read(.asWriter) { $0.count } } == "databaseTooNew")
        #expect(code { _ = try opened() } == "databaseTooNew")
        #expect(code { try PostgresDatabase(pool).check(forWriting: true) } == "databaseTooNew")
        #expect(code { try PostgresDatabase(pool).prepare() } == "databaseTooNew")
        #expect(try server.run("SELECT head FROM daybook.logs", in: database) == "1\n")
        #expect(try server.run("SELECT count(*) FROM daybook.events", in: database) == "1\n")
        try migrate(to: 10)
        try append(to: old)
        #expect(try old.read { $0.count } == 2)
    }

    @Test func `a log that an older server makes meanwhile is the newer program's`() throws {
        try migrate(to: 11)
        let other = try Entropy.bytes(LogLimits.idBytes)
        try PostgresDatabase(pool).create(log: other)
        let events = PostgresEvents(pool, log: other, epoch: 1)
        #expect(code { _ = try EventLog(of: events, derivedAt: nil) } == "databaseTooNew")
    }

    @Test func `tables of a development version are named, and left as they are`() throws {
        let old = try opened()
        try migrate(to: 2)
        #expect(code { try append(to: old) } == "developmentVersion")
        #expect(code { try PostgresDatabase(pool).prepare() } == "developmentVersion")
    }
}
