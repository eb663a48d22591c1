package import DaybookEncoding

/// The address of a database, or of a log in one: `postgres://[USER@]HOST[:PORT]/DATABASE[/LOG]`.
///
/// Everything but the log is libpq's, as its documentation has it ("Connection URIs"): several
/// hosts, a Unix socket as `?host=/run/postgresql`, a service, TLS. A password is refused, because
/// arguments and settings are shown to others: it belongs into `PGPASSFILE` or a service file.
package struct PostgresURL: Hashable, Sendable, CustomStringConvertible {
    /// The address of the database, for libpq.
    package let database: String
    /// The log's id, 16 bytes; nil in the address of a database.
    package let log: Bytes?

    /// The address of a log in a database.
    package init(database: String, log: Bytes?) {
        self.database = database
        self.log = log
    }

    /// Parses an address.
    ///
    /// - Throws: `PostgresError` with the code `databaseURLInvalid`.
    package init(_ text: String) throws(PostgresError) {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let query = parts.count > 1 ? "?" + parts[1] : ""
        let path = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        guard Self.isOne(text), path.count >= 4, path[1].isEmpty, !path[3].isEmpty, path.count <= 5
        else { throw Self.invalid("expected postgres://[USER@]HOST[:PORT]/DATABASE[/LOG]") }
        if let at = path[2].lastIndex(of: "@"), path[2][..<at].contains(":") {
            throw Self.invalid(Self.passwordAdvice)
        }
        if path.count == 5 {
            guard let id = Hex.decode(String(path[4])), id.count == 16 else {
                throw Self.invalid("a log's id has 32 hex digits")
            }
            log = id
        } else {
            log = nil
        }
        database = "postgres:" + path[1...3].map { "/" + $0 }.joined() + query
        guard let options = try PostgresConnection.options(of: database) else { return }
        if options["password"] != nil { throw Self.invalid(Self.passwordAdvice) }
    }

    /// Whether a text is meant as such an address.
    package static func isOne(_ text: String) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// The address, which holds no secret.
    package var description: String {
        guard let log else { return database }
        let parts = database.split(separator: "?", maxSplits: 1)
        let query = parts.count > 1 ? "?" + parts[1] : ""
        return parts[0] + "/" + Hex.encode(log) + query
    }

    private static let passwordAdvice =
        "leave the password out, because others see the address: put it into PGPASSFILE"

    private static func invalid(_ reason: String) -> PostgresError {
        PostgresError(.databaseURLInvalid, "the address of the database is wrong: \(reason)")
    }
}
