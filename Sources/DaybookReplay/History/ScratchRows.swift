package import DaybookDomain
package import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookSystem

/// Rows in a file that nobody needs later, so that memory stays flat whatever a fold adds up to.
///
/// The file goes with the value. Rows never throw: `check` says what went wrong.
package final class ScratchRows: Rows {
    private let environment: DaybookLMDB.Environment
    private var open: Open
    private var changes = 0

    /// A write that has not been committed yet; nil after a failure.
    private final class Open {
        private var transaction: WriteTransaction?
        let rows: StoredRows

        init(_ environment: DaybookLMDB.Environment) throws {
            let begun = try environment.beginWrite()
            guard let table = try begun.view.table("rows", create: true) else {
                throw LMDBError.notFound
            }
            rows = StoredRows(begun.view, table)
            transaction = consume begun
        }

        func commit() throws {
            if let begun = transaction.take() { try begun.commit() }
        }
    }

    private var failure: (any Error)?

    /// Changes that are held in memory at most.
    private static let batch = 100_000
    /// Addresses, not disk: the map of a scratch file never has to grow.
    private static let mapBytes = 1 << 40

    /// No rows, in a file of their own.
    package init() throws {
        let folder = try ScratchFolder()
        environment = try DaybookLMDB.Environment(
            folder.path, EnvironmentOptions(initialMapBytes: Self.mapBytes))
        // The map keeps the file alive: the folder goes now.
        _ = consume folder
        open = try Open(environment)
    }

    /// Runs `body` with rows for the state of a log of so many events.
    ///
    /// They are in memory, or of a longer log in a file. What went wrong with them is thrown.
    package static func with<Value>(
        forEvents count: UInt64, _ body: (any Rows) throws -> Value
    ) throws -> Value {
        try with(forEvents: count) { (make: () throws -> any Rows) in try body(try make()) }
    }

    /// As `with(forEvents:_:)`, with as many rows as `body` asks for.
    package static func with<Value>(
        forEvents count: UInt64, _ body: (() throws -> any Rows) throws -> Value
    ) throws -> Value {
        var made: [any Rows] = []
        let value = try body {
            let rows = try forEvents(count)
            made.append(rows)
            return rows
        }
        for rows in made { try check(rows) }
        return value
    }

    /// Rows in memory, or in a file for what more events add up to; `check` says what went wrong.
    package static func forEvents(_ count: UInt64) throws -> any Rows {
        count > foldedInMemory ? try ScratchRows() : MemoryRows()
    }

    /// Throws what went wrong with rows that were made here, if something did.
    package static func check(_ rows: any Rows) throws {
        if let failure = (rows as? ScratchRows)?.failure { throw failure }
    }

    /// Runs `body` with the state of a log of so many events, of which none has happened yet.
    ///
    /// A short log's rows stay in memory, as values; a longer one's are kept in a file.
    package static func withState<Value>(
        forEvents count: UInt64, _ body: (State) throws -> Value
    ) throws -> Value {
        guard count > foldedInMemory else { return try body(State()) }
        return try with(forEvents: count) { rows in try body(State(in: rows)) }
    }

    /// Rows of so many events take some hundred megabytes at most.
    private static let foldedInMemory: UInt64 = 250_000

    package func value(_ key: Bytes) -> Bytes? { open.rows.value(key) }

    package func set(_ key: Bytes, _ value: Bytes) {
        var rows = open.rows
        rows.set(key, value)
        changed()
    }

    package func remove(_ key: Bytes) {
        var rows = open.rows
        rows.remove(key)
        changed()
    }

    package func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        open.rows.scan(prefix: prefix, after: after, limit: limit)
    }

    package func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        open.rows.scanBackward(prefix: prefix, before: before, limit: limit)
    }

    private func changed() {
        changes += 1
        failure = failure ?? open.rows.failure
        guard changes >= Self.batch, failure == nil else { return }
        changes = 0
        do {
            try open.commit()
            open = try Open(environment)
        } catch {
            failure = error
        }
    }
}
