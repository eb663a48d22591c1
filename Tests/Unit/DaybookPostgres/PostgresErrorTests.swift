import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookSystem
import EventStores
import Foundation
import Testing
import TestSupport

/// Each failure of a database has a name.
struct PostgresErrorTests {
    private let server: TemporaryPostgres

    init() throws {
        server = try TemporaryPostgres.shared.get()
    }

    private func code(of database: String, forWriting: Bool = true) -> String? {
        failure { try PostgresDatabase(PostgresPool(database)).check(forWriting: forWriting) }
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
        try server.run("DROP TABLE daybook.events", in: "halved")
        #expect(code(of: database) == "databaseHalfMade")
        try server.run("UPDATE daybook.meta SET version = 11", in: "halved")
        #expect(code(of: database) == "databaseTooNew")
        try server.run("UPDATE daybook.meta SET version = 2", in: "halved")
        #expect(code(of: database) == "developmentVersion")
        try server.run("DELETE FROM daybook.meta", in: "halved")
        #expect(code(of: database) == "databaseHalfMade")
    }

    @Test func `a server that is not there, a wrong database and a wrong password`() throws {
        #expect(code(of: "postgres://127.0.0.1:1/w") == "databaseUnreachable")
        #expect(code(of: "postgres:///w?host=/nonexistent") == "databaseUnreachable")
        let wrong = server.database.replacingOccurrences(of: "///postgres?", with: "///none?")
        #expect(code(of: wrong) == "databaseMissing")
        let guarded = "postgres://daybook@127.0.0.1:\(server.guarded.port)/postgres"
        let folder = try TemporaryFolder()
        for (password, expected) in [
            ("wrong", "databaseLoginRefused"), (server.guarded.password, nil),
        ] {
            let file = folder.path + "/passwords"
            try Files.writeAtomically(file, Bytes("*:*:*:*:\(password)\n".utf8), mode: 0o600)
            let found = code(of: guarded + "?passfile=\(file)")
            #expect(found == expected || found == "databaseUnprepared" && expected == nil)
        }
        #expect(code(of: guarded + "?passfile=\(folder.path)/none") == "databaseLoginRefused")
    }

    /// `tools/setup test` installs it.
    private static let hasPooler = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].contains {
        FileManager.default.fileExists(atPath: $0)
    }

    @Test(.enabled(if: hasPooler))
    func `a pooler in statement mode, or one that takes no options, is named at once`() throws {
        let server = try TemporaryPostgres("--pooler", "statement")
        let database = PostgresDatabase(PostgresPool(server.pooled))
        let start = Clock.monotonicMicroseconds()
        try PostgresDatabase(PostgresPool(server.database)).prepare()
        #expect(failure { try database.checkCreation(of: Entropy.bytes(16)) } == "databasePooler")
        #expect(code(of: server.pooled + "&options=-csearch_path%3Dx") == "databasePooler")
        let elsewhere = server.pooled.replacingOccurrences(of: "///postgres?", with: "///none?")
        #expect(code(of: elsewhere) == "databaseMissing")
        // A passing failure is tried again for 30 seconds.
        #expect(Clock.monotonicMicroseconds() - start < 20_000_000)
    }

    @Test(.enabled(if: hasPooler))
    func `a pooler in transaction mode serves`() throws {
        let server = try TemporaryPostgres("--pooler", "transaction")
        let database = PostgresDatabase(PostgresPool(server.pooled))
        try database.prepare()
        try database.checkCreation(of: Entropy.bytes(16))
    }

    @Test func `an error that does not pass by itself is no failure of the network`() throws {
        let folder = try TemporaryFolder()
        let long = folder.path + "/" + String(repeating: "s", count: 108)
        for (database, expected) in [
            ("postgres:///w?host=\(long)", "databaseURLInvalid"),
            (server.database + "&options=-cno.such%3D1%20-cnone%3D1", "databaseURLInvalid"),
            (server.database + "&sslrootcert=\(folder.path)/none", nil),
            (
                "postgres://daybook@127.0.0.1:\(server.guarded.port)/postgres?sslmode=require",
                "databaseTLS"
            ),
            (
                "postgres://daybook@127.0.0.1:\(server.guarded.port)/postgres?sslmode=verify-full",
                "databaseTLS"
            ),
        ] as [(String, String?)] {
            let found = code(of: database)
            #expect(found == expected || found == "databaseUnprepared" && expected == nil)
        }
        try server.run("CREATE ROLE crowd LOGIN CONNECTION LIMIT 0")
        #expect(
            code(of: server.address(of: "postgres", user: "crowd")) == "databaseBusy")
    }

    @Test func `a role without rights, and a session that only reads`() throws {
        let database = try server.makeDatabase("guarded")
        try PostgresDatabase(PostgresPool(database)).prepare()
        try server.run("CREATE ROLE guest LOGIN", in: "guarded")
        let guest = server.address(of: "guarded", user: "guest")
        #expect(code(of: guest) == "databaseNotPermitted")
        try server.run("ALTER DATABASE guarded SET default_transaction_read_only = on")
        #expect(code(of: database) == "databaseReadOnly")
        #expect(code(of: database, forWriting: false) == nil)
    }

    @Test func `a role that may read and not write appends nothing`() throws {
        let database = PostgresDatabase(PostgresPool(try server.makeDatabase("readable")))
        try database.prepare()
        let id = try Entropy.bytes(16)
        try database.create(log: id)
        try server.run(
            """
            CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA daybook TO reader;
            GRANT SELECT ON ALL TABLES IN SCHEMA daybook TO reader
            """, in: "readable")
        let pool = PostgresPool(server.address(of: "readable", user: "reader"))
        #expect(code(of: pool.database) == nil)
        let log = PostgresEvents(pool, log: id, epoch: 1)
        let append = failure { _ = try log.append(Self.event(9), expecting: 0, epoch: 1) }
        #expect(append == "databaseNotPermitted")
        let takeOver = failure { _ = try PostgresDatabase(pool).takeOver(log: id) }
        #expect(takeOver == "databaseNotPermitted")
        #expect(try log.count() == 0)
    }

    @Test func `a standby is read and not written to`() throws {
        let server = try TemporaryPostgres()
        let pool = PostgresPool(server.database)
        try PostgresDatabase(pool).prepare()
        let id = try Entropy.bytes(16)
        try PostgresDatabase(pool).create(log: id)
        let log = PostgresEvents(pool, log: id, epoch: 1)
        #expect(try log.append(Self.event(9), expecting: 0, epoch: 1) == .appended(count: 1))
        try server.becomeStandby()
        #expect(code(of: server.database) == "databaseReadOnly")
        #expect(code(of: server.database, forWriting: false) == nil)
        #expect(try PostgresEvents(pool, log: id, epoch: nil).count() == 1)
    }

    @Test func `a server of version 11, and one whose disk is full`() throws {
        let old = try TemporaryPostgres("--pretend", "11.22")
        #expect(code(of: old.database) == "databaseTooOld")
        let full = try TemporaryPostgres("--pretend", "15.1", "--refuse", "53100")
        #expect(code(of: full.database) == "databaseFull")
    }

    @Test(.enabled(if: SmallDisk.canMount))
    func `a disk that fills up takes whole batches or nothing`() throws {
        let server = try TemporaryPostgres()
        let folder = try TemporaryFolder()
        let disk = try SmallDisk(at: "\(folder.path)/small", kilobytes: 12_000)
        #expect(try ProgramRun(["chmod", "a+x", folder.path]).status == 0)
        #expect(try ProgramRun(["chown", "--reference", server.folder, disk.path]).status == 0)
        try server.run("CREATE TABLESPACE small LOCATION '\(disk.path)'")
        let pool = PostgresPool(try server.makeDatabase("small", options: "TABLESPACE small"))
        let database = PostgresDatabase(pool)
        try database.prepare()
        let id = try Entropy.bytes(16)
        try database.create(log: id)
        let log = PostgresEvents(pool, log: id, epoch: 1)
        var count: UInt64 = 0
        let found = failure { () throws in
            while true {
                let new = try Self.event(60_000, times: 8)
                #expect(
                    try log.append(new, expecting: count, epoch: 1) == .appended(count: count + 8))
                count += 8
            }
        }
        #expect(found == "databaseFull")
        #expect(count > 0)
        #expect(try log.count() == count)
        try log.snapshot { view throws in
            try view.checkEvents(noting: { Issue.record("\($0)") }, each: { _ in })
        }
        try disk.remount("size=64m")
        let answer = try log.append(Self.event(9), expecting: count, epoch: 1)
        #expect(answer == .appended(count: count + 1))
    }

    /// Events of random bytes, which no compression makes smaller.
    private static func event(_ size: Int, times: Int = 1) throws -> NewEvents {
        NewEvents(try (0..<times).map { _ in try Entropy.bytes(size) }) {
            Bytes(repeating: 0, count: 32)
        }
    }

    /// The code of the error that `body` throws.
    private func failure(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return (error as? LogError)?.code
        }
    }

    @Test func `a server that may lose acknowledged events is not written to`() throws {
        let database = try server.makeDatabase("careless")
        try PostgresDatabase(PostgresPool(database)).prepare()
        try server.run("ALTER DATABASE careless SET synchronous_commit = off", in: "careless")
        #expect(code(of: database) == "databaseNotDurable")
        #expect(code(of: database, forWriting: false) == nil)
    }

    @Test func `an unknown log, and one that exists already`() throws {
        let pool = PostgresPool(server.database)
        let database = PostgresDatabase(pool)
        try database.prepare()
        let id = try Entropy.bytes(16)
        let log = PostgresEvents(pool, log: id, epoch: 1)
        #expect(throws: LogError.missingInDatabase(log: Hex.encode(id))) {
            try log.count()
        }
        #expect(throws: LogError.missingInDatabase(log: Hex.encode(id))) {
            try database.takeOver(log: id)
        }
        try database.create(log: id)
        #expect(throws: LogError.exists(path: Hex.encode(id))) { try database.create(log: id) }
        #expect(try log.count() == 0)
    }
}
