import DaybookEncoding
import DaybookSystem
import EventStores
import Testing
import TestSupport

/// Databases that can't be used: each has a code, an exit status, and nothing half-written.
struct DatabaseRefusalTests {
    private let scene: Scene
    private let server: TemporaryPostgres
    /// A name for a database or a role of one test.
    private let name: String

    init() throws {
        scene = try Scene(empty: true)
        server = try TemporaryPostgres.shared.get()
        name = "n" + Hex.encode(try Entropy.bytes(8))
    }

    private func run(_ words: String...) throws -> ProgramRun {
        try Programs.run(
            [Programs.daybook] + words, environment: ["XDG_DATA_HOME": scene.path("data")])
    }

    /// Expects that no log can be made at an address, and that no folder is left over.
    private func expectRefusal(
        of address: String, _ code: String, status: Int32 = 3,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        let answer = try run("store", "create", address)
        #expect(
            answer.status == status && answer.error.contains("(\(code))"), "\(answer.error)",
            sourceLocation: location)
        #expect(try !Files.exists(scene.path("data")), sourceLocation: location)
    }

    /// Makes a log in a database of its own, and returns its address.
    private func makeLog() throws -> String {
        let made = try run("store", "create", server.makeDatabase(name), "--json")
        #expect(made.status == 0, "\(made.error)")
        return try #require(made.object["store"]?.stringValue)
    }

    @Test(arguments: [
        ("postgres://127.0.0.1:1/w", 5, "databaseUnreachable"),
        ("postgres:///w?host=/nonexistent", 5, "databaseUnreachable"),
        ("postgres://u:secret@h/w", 3, "databaseURLInvalid"),
        ("http://h/w", 3, "databaseURLInvalid"),
    ])
    func `an address that can't be used`(address: String, status: Int32, code: String) throws {
        try expectRefusal(of: address, code, status: status)
        #expect(try !run("store", "create", address).error.contains("secret"))
    }

    @Test func `a wrong database, a wrong user and a wrong password`() throws {
        try expectRefusal(of: server.address(of: name), "databaseMissing")
        try expectRefusal(of: server.address(of: "postgres", user: name), "databaseLoginRefused")
        try scene.write("passwords", "*:*:*:*:wrong\n")
        let guarded = "postgres://daybook@127.0.0.1:\(server.guarded.port)/postgres"
        try expectRefusal(
            of: "\(guarded)?passfile=\(scene.path("passwords"))", "databaseLoginRefused")
    }

    @Test func `a role without rights makes no tables, and writes to none`() throws {
        _ = try server.makeDatabase(name)
        try server.run("CREATE ROLE \(name) LOGIN")
        let guest = server.address(of: name, user: name)
        try expectRefusal(of: guest, "databaseNotPermitted")
        #expect(try grant(to: guest) == "GRANT CREATE ON DATABASE \(name) TO \(name)")
        let tables = try server.run(
            "SELECT count(*) FROM pg_namespace WHERE nspname = 'daybook'", in: name)
        #expect(tables == "0\n")
        // Tables that a role may read are not enough for a log.
        let made = try run(
            "store", "create", server.address(of: name), "--home", scene.path("other"))
        #expect(made.status == 0, "\(made.error)")
        try server.run(
            """
            GRANT USAGE ON SCHEMA daybook TO \(name);
            GRANT SELECT ON ALL TABLES IN SCHEMA daybook TO \(name)
            """, in: name)
        try expectRefusal(of: guest, "databaseNotPermitted")
        #expect(try server.run("SELECT count(*) FROM daybook.logs", in: name) == "1\n")
        // The remedy that the message names is enough.
        try server.run(grant(to: guest), in: name)
        #expect(try run("store", "create", guest).status == 0)
    }

    /// The statement that a refused creation tells the owner to run.
    private func grant(to guest: String) throws -> String {
        let words = try run("store", "create", guest).error.components(separatedBy: " by: ")
        let statement = try #require(words.last?.components(separatedBy: " (database").first)
        return statement
    }

    @Test func `a role whose name has to be quoted is told so`() throws {
        let role = "ops \"x\" \(name)"
        let quoted = "\"" + role.replacing("\"", with: "\"\"") + "\""
        _ = try server.makeDatabase(name)
        try server.run("CREATE ROLE \(quoted) LOGIN")
        let encoded = role.replacing(" ", with: "%20").replacing("\"", with: "%22")
        let guest = server.address(of: name, user: encoded)
        try server.run(grant(to: guest), in: name)
        #expect(try run("store", "create", guest).status == 0)
    }

    @Test(arguments: [
        ("UPDATE daybook.meta SET version = 11", "databaseTooNew"),
        ("UPDATE daybook.meta SET version = 2", "developmentVersion"),
        ("DELETE FROM daybook.meta", "databaseHalfMade"),
        ("DROP TABLE daybook.events", "databaseHalfMade"),
        ("ALTER TABLE daybook.logs DROP COLUMN root", "databaseHalfMade"),
        ("ALTER DATABASE NAME SET default_transaction_read_only = on", "databaseReadOnly"),
        ("ALTER DATABASE NAME SET synchronous_commit = off", "databaseNotDurable"),
    ])
    func `tables or settings that changed stop a store that is there`(
        sql: String, code: String
    ) throws {
        let log = try makeLog()
        try server.run(sql.replacing("NAME", with: name), in: name)
        let link = "dashwallet://pay=\(Scene.payee)&amount=1&sender=myapp"
        let opened = try run("open", "--store", log, link)
        #expect(opened.status == 3 && opened.error.contains("(\(code))"), "\(opened.error)")
        let other = try run(
            "store", "create", server.address(of: name), "--home", scene.path("other"))
        #expect(other.status == 3 && other.error.contains("(\(code))"), "\(other.error)")
        #expect(try !Files.exists(scene.path("other")))
        #expect(try server.run("SELECT count(*) FROM daybook.logs", in: name) == "1\n")
    }

    @Test func `a standby, a server of version 11 and one whose disk is full`() throws {
        let standby = try TemporaryPostgres()
        try standby.becomeStandby()
        try expectRefusal(of: standby.database, "databaseReadOnly")
        let old = try TemporaryPostgres("--pretend", "11.22")
        try expectRefusal(of: old.database, "databaseTooOld")
        let full = try TemporaryPostgres("--pretend", "15.1", "--refuse", "53100")
        try expectRefusal(of: full.database, "databaseFull")
    }

    @Test func `an import of another log`() throws {
        let log = try makeLog()
        let (other, file) = (scene.path("other"), scene.path("log.daybook"))
        #expect(try run("init", "--home", other).status == 0)
        #expect(try run("checkpoint", "--home", other).status == 0)
        #expect(try run("export", file, "--home", other).status == 0)
        let answer = try run("import", file, "--store", log)
        #expect(
            answer.status == 3 && answer.error.contains("(databaseLogDiffers)"), "\(answer.error)")
        #expect(try server.run("SELECT count(*) FROM daybook.events", in: name) == "0\n")
    }
}
