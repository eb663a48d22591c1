import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookSystem
import EventStores
import Foundation
import Testing
import TestSupport

/// What goes wrong with a database has a name.
struct PostgresErrorTests {
    private let server: TemporaryPostgres

    init() throws {
        server = try TemporaryPostgres.shared.get()
    }

    private func code(of database: String, forWriting: Bool = true) -> String? {
        do {
            try PostgresDatabase(PostgresPool(database)).check(forWriting: forWriting)
            return nil
        } catch {
            return (error as? LogError)?.code
        }
    }

    @Test func `a database without tables, and one with them`() throws {
        let database = try server.makeDatabase("bare")
        #expect(code(of: database) == "databaseUnprepared")
        for _ in 0..<2 { try PostgresDatabase(PostgresPool(database)).prepare() }
        #expect(code(of: database) == nil)
    }

    @Test func `tables that are half made or too new`() throws {
        let database = try server.makeDatabase("halved")
        let pool = PostgresPool(database)
        try PostgresDatabase(pool).prepare()
        try Self.psql(database, "DROP TABLE daybook.events")
        #expect(code(of: database) == "databaseHalfMade")
        try Self.psql(database, "UPDATE daybook.meta SET version = 9")
        #expect(code(of: database) == "databaseTooNew")
        try Self.psql(database, "DELETE FROM daybook.meta")
        #expect(code(of: database) == "databaseHalfMade")
    }

    @Test func `a server that is not there, a wrong database and a wrong password`() throws {
        #expect(code(of: "postgres://127.0.0.1:1/w") == "databaseUnreachable")
        #expect(code(of: "postgres:///w?host=/nonexistent") == "databaseUnreachable")
        let wrong = server.database.replacingOccurrences(of: "///postgres?", with: "///none?")
        #expect(code(of: wrong) == "databaseMissing")
        let guarded = "postgres://daybook@127.0.0.1:\(server.guarded.port)/postgres"
        #expect(code(of: guarded + "?passfile=/dev/null") == "databaseLoginRefused")
    }

    @Test func `a role without rights, and a session that only reads`() throws {
        let database = try server.makeDatabase("guarded")
        try PostgresDatabase(PostgresPool(database)).prepare()
        try Self.psql(database, "CREATE ROLE guest LOGIN")
        let guest = database.replacingOccurrences(of: "user=daybook", with: "user=guest")
        #expect(code(of: guest) == "databaseNotPermitted")
        try Self.psql(database, "ALTER DATABASE guarded SET default_transaction_read_only = on")
        #expect(code(of: database) == "databaseReadOnly")
        #expect(code(of: database, forWriting: false) == nil)
    }

    @Test func `a server that may lose what it acknowledged is not written to`() throws {
        let database = try server.makeDatabase("careless")
        try PostgresDatabase(PostgresPool(database)).prepare()
        try Self.psql(database, "ALTER DATABASE careless SET synchronous_commit = off")
        #expect(code(of: database) == "databaseNotDurable")
        #expect(code(of: database, forWriting: false) == nil)
    }

    @Test func `an unknown log, and one that exists already`() throws {
        let pool = PostgresPool(server.database)
        let database = PostgresDatabase(pool)
        try database.prepare()
        let id = try Entropy.bytes(16)
        let log = PostgresEvents(pool, log: id, epoch: 1)
        #expect(throws: LogError.missing(path: "\(Hex.encode(id)) in the database")) {
            try log.count()
        }
        #expect(throws: LogError.missing(path: "\(Hex.encode(id)) in the database")) {
            try database.takeOver(log: id)
        }
        try database.create(log: id)
        #expect(throws: LogError.exists(path: Hex.encode(id))) { try database.create(log: id) }
        #expect(try log.count() == 0)
    }

    private static func psql(_ database: String, _ sql: String) throws {
        let run = try ProgramRun(["psql", "-X", "-q", database, "-c", sql])
        #expect(run.status == 0, "\(run.output)")
    }
}
