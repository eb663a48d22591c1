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
        "postgres://u:secret@h/w/\(id)", "postgres:///w?sslpassword=secret",
        "postgres://h/w?sslmode=require&sslpassword=secret%zz", "postgres://h/w?password=se=cret",
        "postgres://u:s/secret@h/\(id)", "postgres://u%3Asecret@h/w",
        "postgres://h/w?user=u%3Asecret",
    ])
    func `a password in the address is refused, and not repeated`(text: String) {
        #expect(Self.refusal(text)?.contains("PGPASSFILE") == true)
        #expect(Self.refusal(text)?.contains("secret") == false)
    }

    /// libpq's documentation, "Parameter Key Words", up to its version 18.
    @Test(arguments: [
        "sslpassword", "oauth_client_secret", "oauth_client_id", "oauth_issuer", "scram_client_key",
        "scram_server_key", "replication", "dbname", "sslkeylogfile", "servicefile", "nonsense",
    ])
    func `a parameter that is not in the list is refused by its name`(name: String) {
        let refusal = Self.refusal("postgres://h/w?sslmode=require&\(name)=hidden")
        let isNamed = refusal?.contains(name) == true || refusal?.contains("PGPASSFILE") == true
        #expect(isNamed, "\(refusal ?? "it is taken")")
        #expect(refusal?.contains("hidden") == false)
    }

    @Test(arguments: [
        "S3cret", "S3cre%74=1", "sslmode=S3cret%", "sslmode=S3cret=1", "=S3cret", "&",
        "sslmode=require&S3cret", "S3cret=1", "sslmode", "ssl%6Dode=S3cret",
    ])
    func `a query that is wrong is refused without its text`(query: String) {
        // libpq repeats a whole address whose host is wrong.
        for address in ["postgres://h/w?\(query)", "postgres://[h/w?\(query)"] {
            let refusal = Self.refusal(address)
            #expect(refusal?.hasPrefix("the address of the database is wrong: ") == true)
            #expect(refusal?.contains("S3cre") == false)
        }
    }

    @Test func `every parameter of the list is one of libpq's`() throws {
        let newer: Set<String> = [
            "gssdelegation", "load_balance_hosts", "require_auth", "sslcertmode", "sslnegotiation",
        ]
        for name in PostgresURL.parameters.subtracting(newer).sorted() {
            let address = "postgres://h/w?\(name)=5"
            #expect(try PostgresURL(address).database == address)
        }
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
