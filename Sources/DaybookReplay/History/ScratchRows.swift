package import DaybookDomain
package import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookSystem

/// Rows in a temporary file, so that folding a long log takes little memory.
///
/// The file is deleted with the value. Rows never throw: `check` throws the first failure.
package final class ScratchRows: Rows {
    private let content: Monitor<Content>

    private struct Content {
        let environment: Environment
        var open: Open
        var changes = 0
        var failure: (any Error)?
    }

    /// The open write transaction; nil after a failure.
    private final class Open {
        private var transaction: WriteTransaction?
        let rows: StoredRows

        init(_ environment: Environment) throws {
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

    /// How many changes a transaction has at most, because LMDB holds them in memory.
    private static let batch = 100_000

    /// Creates a temporary file without rows.
    package init() throws {
        let environment = try Environment.temporary()
        content = Monitor(Content(environment: environment, open: try Open(environment)))
    }

    /// Runs `body` with empty rows for the state of a log of so many events.
    ///
    /// They are in memory, or in a file for a long log. Throws their first failure.
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

    /// Empty rows for the state of a log of so many events; `check` throws their first failure.
    package static func forEvents(_ count: UInt64) throws -> any Rows {
        count > foldedInMemory ? try ScratchRows() : MemoryRows()
    }

    /// Throws the first failure of rows that were made here, if there was one.
    package static func check(_ rows: any Rows) throws {
        if let failure = (rows as? ScratchRows)?.content.change({ $0.failure }) { throw failure }
    }

    /// Runs `body` with an empty state for a log of so many events.
    ///
    /// A short log's state is in memory, as values; a long one's is in a file.
    package static func withState<Value>(
        forEvents count: UInt64, _ body: (State) throws -> Value
    ) throws -> Value {
        guard count > foldedInMemory else { return try body(State()) }
        return try with(forEvents: count) { rows in try body(State(in: rows)) }
    }

    /// The state of so many events takes some hundred megabytes at most.
    private static let foldedInMemory: UInt64 = 250_000

    package func value(_ key: Bytes) -> Bytes? { content.change { $0.open.rows.value(key) } }

    package func set(_ key: Bytes, _ value: Bytes) { change { $0.set(key, value) } }

    package func remove(_ key: Bytes) { change { $0.remove(key) } }

    package func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        content.change { $0.open.rows.scan(prefix: prefix, after: after, limit: limit) }
    }

    package func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        content.change { $0.open.rows.scanBackward(prefix: prefix, before: before, limit: limit) }
    }

    private func change(_ body: (inout StoredRows) -> Void) {
        content.change { content in
            var rows = content.open.rows
            body(&rows)
            content.changes += 1
            content.failure = content.failure ?? rows.failure
            guard content.changes >= Self.batch, content.failure == nil else { return }
            content.changes = 0
            do {
                try content.open.commit()
                content.open = try Open(content.environment)
            } catch {
                content.failure = error
            }
        }
    }
}
