import DaybookPostgres
import Testing

/// Addresses of databases and of logs in them.
struct PostgresURLTests {
    private static let id = "000102030405060708090a0b0c0d0e0f"

    @Test(arguments: [
        ("postgres://db.example/wallets", "postgres://db.example/wallets"),
        ("postgresql://u@a:1,b:2/w?target_session_attrs=read-write",
            "postgres://u@a:1,b:2/w?target_session_attrs=read-write"),
        ("postgres:///w?host=/run/postgresql", "postgres:///w?host=/run/postgresql"),
    ])
    func `the address of a database is read`(text: String, database: String) throws {
        let url = try PostgresURL(text)
        #expect(url.database == database)
        #expect(url.log == nil)
        #expect(url.description == database)
    }

    @Test func `the address of a log has its id behind the database`() throws {
        let url = try PostgresURL("postgres://u@h/w/\(Self.id)?sslmode=require")
        #expect(url.database == "postgres://u@h/w?sslmode=require")
        #expect(url.log == Array(0..<16))
        #expect(url.description == "postgres://u@h/w/\(Self.id)?sslmode=require")
    }

    @Test(arguments: [
        "postgres://u:secret@h/w", "postgres://h/w?password=secret",
        "postgres://u:secret@h/w/\(id)",
    ])
    func `a password in the address is refused, and not repeated`(text: String) {
        #expect(Self.refusal(text)?.contains("PGPASSFILE") == true)
        #expect(Self.refusal(text)?.contains("secret") == false)
    }

    @Test(arguments: [
        "", "http://h/w", "postgres://h", "postgres://h/", "postgres://h/w/00",
        "postgres://h/w/\(id)/more", "postgres://h/w/\(id)00", "postgres://h/w?nonsense=1",
        "postgres:h/w",
    ])
    func `another address is refused`(text: String) {
        #expect(Self.refusal(text)?.hasPrefix("the address of the database is wrong: ") == true)
    }

    private static func refusal(_ text: String) -> String? {
        do {
            _ = try PostgresURL(text)
            return nil
        } catch {
            #expect(error.code == .databaseURLInvalid)
            return error.description
        }
    }
}
