internal import CPostgres
internal import DaybookEncoding
internal import DaybookSystem

/// A connection to a server, used by one thread at a time.
///
/// Safe because the handle is made in `init`, freed in `deinit`, and never leaves this type, and
/// the pool lends a connection to one thread at a time.
@safe
final class PostgresConnection: Sendable {
    private nonisolated(unsafe) let handle: OpaquePointer
    private let state = Monitor(State())

    private struct State {
        var prepared: Set<String> = []
        var failure: PostgresError?
        var lastUse: UInt64 = 0
        /// Whether the server committed something without waiting for its standby to the end.
        var isUnreplicated = false
    }

    /// The failure that has ended the connection, if one has.
    var failure: PostgresError? { state.change { $0.failure } }

    /// When it was last used, in microseconds of the monotonic clock.
    var lastUse: UInt64 {
        get { state.change { $0.lastUse } }
        set { state.change { $0.lastUse = newValue } }
    }

    /// Connects as libpq does, with what its environment variables and files add.
    init(_ database: String) throws(PostgresError) {
        guard let handle = unsafe PQconnectdb(Self.withDefaults(database)) else {
            throw PostgresError(.databaseBusy, "there is too little memory for a connection")
        }
        unsafe self.handle = handle
        guard unsafe PQstatus(handle) == CONNECTION_OK else {
            throw PostgresError(connecting: unsafe String(cString: PQerrorMessage(handle)))
        }
        _ = unsafe PQsetnonblocking(handle, 1)
        _ = unsafe PQsetNoticeReceiver(
            handle,
            { state, notice in
                guard let state = unsafe state, let notice = unsafe notice,
                    let name = unsafe PQresultErrorField(notice, PostgresRows.functionField),
                    unsafe String(cString: name) == PostgresConnection.waitingFunction
                else { return }
                unsafe Unmanaged<Monitor<State>>.fromOpaque(state).takeUnretainedValue()
                    .change { $0.isUnreplicated = true }
            }, unsafe Unmanaged.passUnretained(state).toOpaque())
        let version = unsafe PQserverVersion(handle)
        guard version >= Self.oldestVersion else {
            throw PostgresError(
                .databaseTooOld,
                "the server has version \(version / 10_000), older than "
                    + "\(Self.oldestVersion / 10_000)")
        }
    }

    deinit { unsafe PQfinish(handle) }

    /// The address with what it leaves open.
    private static func withDefaults(_ database: String) -> String {
        // A stopped server takes the connection, but says nothing on it.
        let defaults = ["connect_timeout=5", "client_encoding=UTF8", "application_name=daybook"]
        let missing = defaults.filter { !database.contains($0.prefix { $0 != "=" } + "=") }
        let separator = database.contains("?") ? "&" : "?"
        return missing.isEmpty ? database : database + separator + missing.joined(separator: "&")
    }

    /// PostgreSQL 12, the oldest version with which the statements were tried.
    private static let oldestVersion: Int32 = 120_000

    /// The server's function that warns when somebody cancels a commit's wait for the standby. The
    /// commit is then acknowledged all the same; the warning's text depends on the language.
    private static let waitingFunction = "SyncRepWaitForLSN"

    /// How long a statement may take; the pool tries again after that, for as long as it waits.
    static let statementSeconds: UInt64 = 10

    /// The options that an address sets; nil where libpq has no memory.
    static func options(of database: String) throws(PostgresError) -> [String: String]? {
        var message: UnsafeMutablePointer<CChar>?
        guard let parsed = unsafe PQconninfoParse(database, &message) else {
            defer { unsafe PQfreemem(message) }
            guard let text = unsafe message else { return nil }
            throw PostgresError(
                .databaseURLInvalid,
                "the address of the database is wrong: "
                    + (unsafe String(cString: text).filter { !$0.isNewline }))
        }
        defer { unsafe PQconninfoFree(parsed) }
        var found: [String: String] = [:]
        var option = unsafe parsed
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe found[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        return found
    }

    // MARK: - Statements

    /// Runs a statement with each of several lists of values, as one transaction.
    ///
    /// Returns the rows of each, or how many rows it wrote. A connection that was lost, or on which
    /// the server did not answer in time, is broken: it is not known then whether the transaction
    /// took effect.
    func run(
        _ statement: PostgresStatement, together lists: [[PostgresValue]], unprepared: Bool
    ) throws(PostgresError) -> [PostgresRows] {
        if !unprepared, state.change({ $0.prepared.insert(statement.name).inserted }) {
            try prepare(statement)
        }
        if lists.count == 1 {
            let values = lists[0]
            return [
                unsafe try rows { handle in
                    unsafe Self.send(statement, values, unprepared: unprepared, on: handle)
                }
            ]
        }
        return try noting { () throws(PostgresError) in
            try pipelined(statement, lists, unprepared)
        }
    }

    private static func send(
        _ statement: PostgresStatement, _ values: [PostgresValue], unprepared: Bool,
        on handle: OpaquePointer
    ) -> Int32 {
        unsafe PostgresValue.withArguments(values) { types, values, lengths, formats in
            let count = Int32(types.count)
            return unprepared
                ? unsafe PQsendQueryParams(
                    handle, statement.text, count, types.baseAddress, values.baseAddress,
                    lengths.baseAddress, formats.baseAddress, 1)
                : unsafe PQsendQueryPrepared(
                    handle, statement.name, count, values.baseAddress, lengths.baseAddress,
                    formats.baseAddress, 1)
        }
    }

    /// Runs statements without parameters, as one transaction unless they say otherwise.
    @discardableResult
    func run(_ text: String) throws(PostgresError) -> PostgresRows {
        unsafe try rows { unsafe PQsendQuery($0, text) }
    }

    private func prepare(_ statement: PostgresStatement) throws(PostgresError) {
        do {
            _ = unsafe try rows { unsafe PQsendPrepare($0, statement.name, statement.text, 0, nil) }
        } catch {
            // Through PgBouncer, another client may have prepared it on this server's connection.
            if error.state == "42P05" { return }
            state.change { _ = $0.prepared.remove(statement.name) }
            throw error
        }
    }

    // MARK: - Answers

    /// Sends, and waits for the whole answer; notes whether that ended the connection.
    private func rows(_ send: (OpaquePointer) -> Int32) throws(PostgresError) -> PostgresRows {
        try noting { () throws(PostgresError) in unsafe try wholeAnswer(send) }
    }

    private func noting<Answer>(
        _ body: () throws(PostgresError) -> Answer
    ) throws(PostgresError) -> Answer {
        do throws(PostgresError) {
            let answer = try body()
            guard !state.change({ $0.isUnreplicated }) else {
                throw PostgresError(
                    .databaseTimeout, "the database stopped waiting for its standby")
            }
            return answer
        } catch {
            if error.endsConnection { state.change { $0.failure = error } }
            throw error
        }
    }

    private func wholeAnswer(
        _ send: (OpaquePointer) -> Int32
    ) throws(PostgresError) -> PostgresRows {
        guard unsafe send(handle) == 1 else { throw lost() }
        let deadline = Self.deadline
        var answer = PostgresRows()
        var failure: PostgresError?
        while let result = unsafe try next(before: deadline) {
            defer { unsafe PQclear(result) }
            switch unsafe PQresultStatus(result) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK: unsafe answer = PostgresRows(result)
            default: unsafe failure = failure ?? error(of: result)
            }
        }
        if let failure { throw failure }
        return answer
    }

    /// Sends all statements before it reads the first answer.
    ///
    /// They are one transaction, because only one synchronization point follows them
    /// (<https://www.postgresql.org/docs/current/libpq-pipeline-mode.html>).
    private func pipelined(
        _ statement: PostgresStatement, _ lists: [[PostgresValue]], _ unprepared: Bool
    ) throws(PostgresError) -> [PostgresRows] {
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw lost() }
        for values in lists {
            let sent = unsafe Self.send(statement, values, unprepared: unprepared, on: handle)
            guard sent == 1 else { throw lost() }
        }
        guard unsafe PQpipelineSync(handle) == 1 else { throw lost() }
        let deadline = Self.deadline
        var answers: [PostgresRows] = []
        var failure: PostgresError?
        var isWhole = false
        while !isWhole {
            guard let result = unsafe try next(before: deadline) else {
                // The end of one statement's answer, or of the connection.
                guard unsafe PQstatus(handle) == CONNECTION_OK else { throw lost() }
                continue
            }
            defer { unsafe PQclear(result) }
            switch unsafe PQresultStatus(result) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK: unsafe answers.append(PostgresRows(result))
            case PGRES_PIPELINE_SYNC: isWhole = true
            default: unsafe failure = failure ?? error(of: result)
            }
        }
        guard unsafe PQexitPipelineMode(handle) == 1 else { throw lost() }
        if let failure { throw failure }
        guard answers.count == lists.count else { throw lost() }
        return answers
    }

    private static var deadline: UInt64 {
        Clock.monotonicMicroseconds() + statementSeconds * 1_000_000
    }

    /// The next part of the answer; nil at its end.
    private func next(before deadline: UInt64) throws(PostgresError) -> OpaquePointer? {
        while true {
            let unsent = unsafe PQflush(handle)
            guard unsent >= 0 else { throw lost() }
            if unsent == 0, unsafe PQisBusy(handle) == 0 { return unsafe PQgetResult(handle) }
            let now = Clock.monotonicMicroseconds()
            guard now < deadline else {
                throw PostgresError(
                    .databaseTimeout,
                    "the database did not answer within \(Self.statementSeconds) seconds")
            }
            let milliseconds = Int32((deadline - now) / 1000 + 1)
            guard unsafe daybook_pq_wait(handle, unsent, milliseconds) != 0 else { throw lost() }
        }
    }

    private func error(of result: OpaquePointer) -> PostgresError {
        let state = unsafe PQresultErrorField(result, PostgresRows.stateField)
        let message = unsafe PQresultErrorField(result, PostgresRows.messageField)
        guard let state = unsafe state, let message = unsafe message else { return lost() }
        var error = unsafe PostgresError(
            state: String(cString: state), message: String(cString: message))
        if error.code == .databaseNotPermitted {
            error.advice = "their owner gives the rights that Daybook needs by: "
                + "GRANT USAGE ON SCHEMA daybook TO \(role); "
                + "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA daybook TO \(role)"
        }
        return error
    }

    /// The role that is logged in, as SQL names it.
    var role: String { unsafe Self.identifier(PQuser(handle)) }

    /// The database, as SQL names it.
    var databaseName: String { unsafe Self.identifier(PQdb(handle)) }

    private static func identifier(_ name: UnsafeMutablePointer<CChar>?) -> String {
        let name = unsafe name.map { unsafe String(cString: $0) } ?? ""
        let isPlain = name.utf8.allSatisfy {
            (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
        }
        return isPlain && name.utf8.first.map { $0 > 0x39 } ?? false
            ? name : "\"\(name.replacing("\"", with: "\"\""))\""
    }

    /// The error of a connection that ended.
    private func lost() -> PostgresError {
        PostgresError(losing: unsafe String(cString: PQerrorMessage(handle)))
    }
}
