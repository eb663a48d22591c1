package import DaybookEncoding

/// The address of a database, or of a log in one: `postgres://[USER@]HOST[:PORT]/DATABASE[/LOG]`.
///
/// Everything but the log is libpq's, as its documentation has it ("Connection URIs"): several
/// hosts, a Unix socket as `?host=/run/postgresql`, a service, TLS. It may have the parameters of a
/// list, none of which is a secret, because arguments and settings are shown to others: a password
/// belongs into `PGPASSFILE` or a service file.
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
        // A password with a slash ends in what looks like the name of the database.
        let user = path[2].lastIndex(of: "@").map { path[2][..<$0] } ?? ""
        if user.contains(":") || path[3].contains("@") {
            throw Self.invalid(Self.passwordAdvice)
        }
        // Before libpq reads it, because its errors repeat what they are about.
        try Self.check(parameters: parts.count > 1 ? parts[1] : "")
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
        // The names again as libpq has decoded them, which also come from the parts of the address.
        for name in options.keys.sorted() where !Self.parts.contains(name) {
            try Self.check(parameter: name)
        }
        if options["user"]?.contains(":") ?? false { throw Self.invalid(Self.passwordAdvice) }
    }

    /// The address before the parameters, as libpq reads it.
    private static let parts: Set<String> = ["dbname", "host", "port", "user"]

    /// The parameters that an address may have, all of which can be shown and stored.
    ///
    /// Any other one is refused, also one that a later libpq has. Files are named by their paths.
    package static let parameters: Set<String> = [
        "application_name", "channel_binding", "client_encoding", "connect_timeout",
        "fallback_application_name", "gssdelegation", "gssencmode", "gsslib", "host", "hostaddr",
        "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "krbsrvname",
        "load_balance_hosts", "options", "passfile", "port", "require_auth", "requirepeer",
        "service", "ssl_max_protocol_version", "ssl_min_protocol_version", "sslcert",
        "sslcertmode", "sslcrl", "sslcrldir", "sslkey", "sslmode", "sslnegotiation",
        "sslrootcert", "sslsni", "target_session_attrs", "tcp_user_timeout", "user",
    ]

    /// Refuses a parameter that is not in the list, and values that libpq would repeat in an error.
    private static func check(parameters query: Substring) throws(PostgresError) {
        if query.isEmpty { return }
        for parameter in query.split(separator: "&", omittingEmptySubsequences: false) {
            let pair = parameter.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            try check(parameter: String(pair[0]))
            guard pair.count == 2, isEncoded(pair[1].utf8) else {
                throw invalid("the value of the parameter \(pair[0]) is not percent-encoded")
            }
        }
    }

    private static func check(parameter name: String) throws(PostgresError) {
        if parameters.contains(name) { return }
        if name.contains("password") { throw invalid(passwordAdvice) }
        // A text that is no name may be a part of a secret.
        let isName = name.utf8.count <= 32
            && name.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0 == UInt8(ascii: "_") }
        throw invalid(isName ? "it can't have the parameter \(name)" : "it can't have a parameter")
    }

    /// Whether each `%` is followed by two hexadecimal digits, and no `=` is left.
    private static func isEncoded(_ value: Substring.UTF8View) -> Bool {
        var rest = value[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "=") { return false }
            guard byte == UInt8(ascii: "%") else { continue }
            guard rest.count >= 2,
                Hex.decode(String(decoding: rest.prefix(2), as: UTF8.self)) != nil
            else { return false }
            rest = rest.dropFirst(2)
        }
        return true
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
