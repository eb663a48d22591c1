package import DaybookEncoding
package import DaybookLMDB
import DaybookLog

/// The rows of a state as they were when the log had so many events, read out of a history.
///
/// A history has an entry for each value that a row had, and for its end: the row's key and the
/// size from which the value holds, its bits turned round so that the newest comes first. Rows
/// never throw: `failure` says why the answers do not count.
package final class PastRows: WalkedRows {
    private let view: TransactionView
    private let table: Table
    private let size: UInt64
    /// Why what was read is not to be believed, if something failed.
    package private(set) var failure: (any Error)?

    /// The rows as of a size; they must not be used after the view's transaction.
    package init(_ view: TransactionView, _ table: Table, at size: UInt64) {
        self.view = view
        self.table = table
        self.size = size
    }

    package func value(_ key: Bytes) -> Bytes? {
        attempt(orElse: nil) {
            guard HistoryEntry.canHold(key) else { return nil }
            return try entry(Cursor(view, table), key)?.value()
        }
    }

    /// A history is written by `HistoryCache`, not through its rows.
    package func set(_ key: Bytes, _ value: Bytes) { failure = HistoryError.notWritable }

    package func remove(_ key: Bytes) { failure = HistoryError.notWritable }

    package func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        attempt(orElse: []) {
            let cursor = try Cursor(view, table)
            let start = after.map { HistoryEntry.keyAfter($0) } ?? prefix
            var rows: [Row] = []
            var found = try cursor.seek(
                ByteOrder.precedes(start, prefix) ? prefix : start, HistoryEntry.init)
            while rows.count < limit, let newest = found, newest.isUnder(prefix) {
                let row = newest.row
                let then = newest.size > size ? try entry(cursor, row) : newest
                if let value = try then?.value() { rows.append(Row(key: row, value: value)) }
                // Most rows have one value, so that the next entry is the next row's.
                found = try then == nil ? nil : cursor.next(HistoryEntry.init)
                if try found?.isOf(row) ?? true {
                    found = try cursor.seek(HistoryEntry.keyAfter(row), HistoryEntry.init)
                }
            }
            return rows
        }
    }

    package func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        attempt(orElse: []) {
            let cursor = try Cursor(view, table)
            var rows: [Row] = []
            var found = try HistoryEntry(Self.last(cursor, prefix, before))
            while rows.count < limit, let oldest = found, oldest.isUnder(prefix) {
                let row = oldest.row
                if let value = try entry(cursor, row)?.value() {
                    rows.append(Row(key: row, value: value))
                }
                found = try HistoryEntry(cursor.seekBefore(row))
            }
            return rows
        }
    }

    package func walk(_ body: (_ key: Bytes, _ value: Bytes) -> Void) {
        attempt(orElse: ()) {
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

    /// The entry of the value that a row had at that size.
    private func entry(_ cursor: borrowing Cursor, _ row: Bytes) throws -> HistoryEntry? {
        let found = try cursor.seek(HistoryEntry.key(row, size), HistoryEntry.init)
        return try found?.isOf(row) == true ? found : nil
    }

    /// The last entry under the prefix and before `before`, or one that is not under the prefix.
    private static func last(
        _ cursor: borrowing Cursor, _ prefix: Bytes, _ before: Bytes?
    ) throws(LMDBError) -> Entry? {
        let end = ByteOrder.firstAfterAll(beginningWith: prefix)
        if let before, end.map({ ByteOrder.precedes(before, $0) }) ?? true {
            return try cursor.seekBefore(before)
        }
        guard let end else { return try cursor.last() }
        return try cursor.seekBefore(end)
    }

    private func attempt<Value>(orElse nothing: Value, _ body: () throws -> Value) -> Value {
        if failure != nil { return nothing }
        do {
            return try body()
        } catch {
            failure = error
            return nothing
        }
    }
}
