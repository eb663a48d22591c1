package import DaybookEncoding
package import DaybookLMDB
import DaybookLog
import DaybookSystem

/// The rows of a state as of a size of the log, read from a history.
///
/// A history has an entry for each value that a row had, and for its removal. Its key is the row's
/// key and the size from which the value holds, inverted, so that the newest value comes first.
/// Rows never throw: `failure` is set when the answers do not count.
package final class PastRows: Rows {
    private let content: Monitor<Content>
    private let table: Table
    private let size: UInt64

    private struct Content {
        let view: TransactionView
        var failure: (any Error)?
    }

    /// The rows as of a size; don't use them after the view's transaction.
    package init(_ view: TransactionView, _ table: Table, at size: UInt64) {
        // Only one thread at a time gets to it, while its transaction is open.
        nonisolated(unsafe) let content = Content(view: view)
        self.content = unsafe Monitor(content)
        self.table = table
        self.size = size
    }

    /// The first failure, after which what was read does not count.
    package var failure: (any Error)? { content.change { $0.failure } }

    package func value(_ key: Bytes) -> Bytes? {
        attempt(orElse: nil) { view in
            guard VersionedRow.canHold(key) else { return nil }
            return try entry(Cursor(view, table), key)?.value()
        }
    }

    /// Fails: only `HistoryCache` writes a history.
    package func set(_ key: Bytes, _ value: Bytes) { refuse() }

    package func remove(_ key: Bytes) { refuse() }

    private func refuse() { content.change { $0.failure = HistoryError.notWritable } }

    package func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        attempt(orElse: []) { view in
            let cursor = try Cursor(view, table)
            let start = after.map { VersionedRow.keyAfter($0) } ?? prefix
            var rows: [Row] = []
            var found = try cursor.seek(
                ByteOrder.precedes(start, prefix) ? prefix : start, VersionedRow.init)
            while rows.count < limit, let newest = found, newest.isUnder(prefix) {
                let row = newest.row
                let then = newest.size > size ? try entry(cursor, row) : newest
                if let value = try then?.value() { rows.append(Row(key: row, value: value)) }
                // Most rows have one value, so that the next entry is usually of the next row.
                found = try then == nil ? nil : cursor.next(VersionedRow.init)
                if try found?.isOf(row) ?? true {
                    found = try cursor.seek(VersionedRow.keyAfter(row), VersionedRow.init)
                }
            }
            return rows
        }
    }

    package func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        attempt(orElse: []) { view in
            let cursor = try Cursor(view, table)
            var rows: [Row] = []
            var found = try VersionedRow(cursor.last(under: prefix, before: before))
            while rows.count < limit, let oldest = found, oldest.isUnder(prefix) {
                let row = oldest.row
                if let value = try entry(cursor, row)?.value() {
                    rows.append(Row(key: row, value: value))
                }
                found = try VersionedRow(cursor.seekBefore(row))
            }
            return rows
        }
    }

    package func walk(_ body: (_ key: Bytes, _ value: Bytes) -> Void) {
        attempt(orElse: ()) { view in
            var walk = HistoryWalk(at: size)
            var isDamaged = false
            try Cursor(view, table).each { key, value in
                switch walk.take(key, value) {
                case .value: body(walk.row, walk.value)
                case .other: break
                case .damage: isDamaged = true
                }
                return !isDamaged
            }
            if isDamaged { throw HistoryError.damaged }
        }
    }

    /// The entry of a row as of the size.
    private func entry(_ cursor: borrowing Cursor, _ row: Bytes) throws -> VersionedRow? {
        let found = try cursor.seek(VersionedRow.key(row, size), VersionedRow.init)
        return try found?.isOf(row) == true ? found : nil
    }

    private func attempt<Value: Sendable>(
        orElse nothing: Value, _ body: (TransactionView) throws -> Value
    ) -> Value {
        content.change { content in
            if content.failure != nil { return nothing }
            do {
                return try body(content.view)
            } catch {
                content.failure = error
                return nothing
            }
        }
    }
}
