internal import DaybookEncoding
package import DaybookLog

/// A failure of the database, or of the way to it, with a code that stays the same.
package struct PostgresError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of failures, by the user's remedy.
    package enum Code: String, Sendable, CaseIterable {
        /// The address can't be read, or holds a password.
        case databaseURLInvalid
        /// No server answers, or the connection broke and could not be made again.
        case databaseUnreachable
        /// The server does not let the user in.
        case databaseLoginRefused
        /// The server has no database of that name.
        case databaseMissing
        /// A pooler in front of the server does not let through what is needed.
        case databasePooler
        /// The server, or this computer, does not make the encrypted connection that is demanded.
        case databaseTLS
        /// The server is older than the oldest one that is supported.
        case databaseTooOld
        /// The server is a standby, or only lets its clients read.
        case databaseReadOnly
        /// The server may lose what it acknowledged.
        case databaseNotDurable
        /// The user lacks a right in the database.
        case databaseNotPermitted
        /// The server's disk is full.
        case databaseFull
        /// The server has no connection, memory or lock left.
        case databaseBusy
        /// The server did not answer in time.
        case databaseTimeout
        /// The database has none of Daybook's tables.
        case databaseUnprepared
        /// A newer program made the tables.
        case databaseTooNew
        /// A development version before 1.0 made the tables.
        case developmentVersion
        /// Some of the tables are missing or are not Daybook's.
        case databaseHalfMade
        /// Another transaction came in the way, time and again.
        case databaseConflict
        /// The server refused something else.
        case databaseFailed
    }

    /// The kind of failure.
    package let code: Code
    /// The failure, in one sentence in lower case that holds no secret.
    private let reason: String
    /// PostgreSQL's own code, five characters; empty where the server gave none.
    package let state: String
    /// The user's remedy, where the sentence does not say it; empty otherwise.
    var advice = ""

    package init(_ code: Code, _ reason: String, state: String = "") {
        self.code = code
        self.reason = reason
        self.state = state
    }

    /// One sentence for people, in lower case; it holds no secret.
    package var description: String { advice.isEmpty ? reason : "\(reason); \(advice)" }

    /// Whether the same statement may succeed on a new connection, or a little later.
    var isTransient: Bool {
        switch code {
        case .databaseUnreachable, .databaseTimeout, .databaseBusy, .databaseConflict,
            .databaseReadOnly: true
        default: false
        }
    }

    /// Whether the connection can't be used any more, because its end or its role changed.
    var endsConnection: Bool {
        switch code {
        case .databaseUnreachable, .databaseTimeout, .databaseReadOnly, .databasePooler: true
        default: false
        }
    }
}

extension PostgresError {
    /// Refuses a number of the schema other than this program's; `isMigrated` refuses older ones.
    static func checkSchema(_ found: UInt64, isMigrated: Bool = true) throws(PostgresError) {
        let known = FormatNumber.schema
        do throws(FormatNumberError) {
            try known.check(found)
        } catch {
            throw PostgresError(
                error.isOfDevelopment ? .developmentVersion : .databaseTooNew, error.description)
        }
        if isMigrated, found < known.current {
            throw PostgresError(
                .databaseUnprepared,
                "\(known.name) \(found) is older than \(known.current): `daybook store create` "
                    + "brings the tables up to date")
        }
    }

    /// The error of a statement, from PostgreSQL's code (its documentation, appendix A).
    init(state: String, message: String) {
        if let advice = Self.poolerAdvice(message) {
            self.init(.databasePooler, advice, state: state)
            return
        }
        let code = Self.codes[state] ?? Self.classes[String(state.prefix(2))] ?? .databaseFailed
        self.init(code, "the database refused: \(Self.line(message))", state: state)
    }

    /// The error of a connection that could not be made, of which libpq gives the text alone.
    init(connecting message: String) {
        if let advice = Self.poolerAdvice(message) {
            self.init(.databasePooler, advice)
            return
        }
        let found = Self.texts.first { message.contains($0.part) }
        self.init(found?.code ?? .databaseUnreachable, Self.line(message))
    }

    /// The error of a connection that ended, of which libpq gives the text alone.
    init(losing message: String) {
        if let advice = Self.poolerAdvice(message) {
            self.init(.databasePooler, advice)
            return
        }
        self.init(
            .databaseUnreachable,
            "the connection to the database was lost: \(Self.line(message))")
    }

    /// The remedy for a pooler's refusal, which does not pass; nil for any other error.
    ///
    /// PgBouncer has one code for all of its errors, 08P01.
    private static func poolerAdvice(_ message: String) -> String? {
        if message.contains("not allowed in statement pooling mode") {
            return "the pooler in front of the database is in statement mode, which has no "
                + "transactions: set its pool_mode to transaction or session"
        }
        if message.contains("unsupported startup parameter") {
            return "the pooler in front of the database does not take options: leave out "
                + "PGOPTIONS and `options` in the address, or name them in its "
                + "ignore_startup_parameters (\(line(message)))"
        }
        return nil
    }

    /// The state of an answer to a statement that was not prepared on this connection.
    static let unknownStatement = "26000"

    private static let codes: [String: Code] = [
        unknownStatement: .databaseConflict,
        "25006": .databaseReadOnly, "28000": .databaseLoginRefused,
        "28P01": .databaseLoginRefused, "3D000": .databaseMissing, "3F000": .databaseUnprepared,
        "42P01": .databaseUnprepared, "42703": .databaseHalfMade, "42501": .databaseNotPermitted,
        "53100": .databaseFull, "57014": .databaseTimeout, "40001": .databaseConflict,
        "40003": .databaseConflict, "40P01": .databaseConflict, "55P03": .databaseBusy,
    ]

    /// By the first two characters: connections, resources, and a server that stops or starts.
    private static let classes: [String: Code] = [
        "08": .databaseUnreachable, "53": .databaseBusy, "57": .databaseUnreachable,
    ]

    /// Parts of libpq's and the servers' texts; the first one that is found counts.
    ///
    /// Any other finding than busy does not pass by itself.
    private static let texts: [(part: String, code: Code)] = [
        // Names a role or a database, too.
        ("too many connections", .databaseBusy),
        ("is too long (maximum", .databaseURLInvalid),
        ("definition of service", .databaseURLInvalid),
        ("invalid port number", .databaseURLInvalid),
        ("invalid integer value", .databaseURLInvalid),
        (" value: \"", .databaseURLInvalid),
        ("unrecognized configuration parameter", .databaseURLInvalid),
        ("invalid value for parameter", .databaseURLInvalid),
        ("invalid command-line argument", .databaseURLInvalid),
        ("does not support SSL", .databaseTLS),
        ("certificate", .databaseTLS),
        ("private key file", .databaseTLS),
        ("SSL error", .databaseTLS),
        ("no encryption", .databaseTLS),
        ("SSL required", .databaseTLS),
        ("channel binding", .databaseTLS),
        ("password authentication failed", .databaseLoginRefused),
        ("no password supplied", .databaseLoginRefused),
        ("authentication failed", .databaseLoginRefused),
        ("no pg_hba.conf entry", .databaseLoginRefused),
        ("authentication method requirement", .databaseLoginRefused),
        ("auth failed", .databaseLoginRefused),
        ("no such user", .databaseLoginRefused),
        ("is not permitted to log in", .databaseLoginRefused),
        ("permission denied", .databaseNotPermitted),
        ("role \"", .databaseLoginRefused),
        ("database \"", .databaseMissing),
        ("no such database", .databaseMissing),
        // PgBouncer's words for a database that its settings do not have.
        ("bouncer config error", .databaseMissing),
        ("session is read-only", .databaseReadOnly),
        ("server is in hot standby mode", .databaseReadOnly),
        ("too many clients", .databaseBusy),
        ("remaining connection slots", .databaseBusy),
    ]

    /// A message of several lines as one.
    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline)
            .map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: "; ")
    }
}

extension LogError {
    /// The log's error for an error of the database.
    package init(_ error: PostgresError) {
        let isOfNetwork =
            switch error.code {
            case .databaseUnreachable, .databaseTimeout, .databaseBusy, .databaseConflict: true
            default: false
            }
        self = .database(
            code: error.code.rawValue, reason: error.description, isOfNetwork: isOfNetwork)
    }

    /// Runs `body`, and turns an error of the database into the log's.
    package static func explaining<Value>(database body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as PostgresError {
            throw LogError(error)
        }
    }
}
