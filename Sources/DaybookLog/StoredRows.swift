package import DaybookEncoding
package import DaybookLMDB

/// Rows in a table of LMDB, inside a transaction: reads see what was set before.
///
/// Copies share the one table. After a failure they answer as if it were empty, and whoever owns
/// the transaction throws `failure` instead of committing.
package struct StoredRows: Rows {
    private let store: RowStore

    /// The rows of a table; they must not be used after the view's transaction.
    package init(_ view: any StorageView, _ table: Table) {
        store = RowStore(view, table)
    }

    /// Why the transaction must not commit, if something failed.
    package var failure: (any Error)? { store.failure }

    /// The value of a key, if there is one.
    package func value(_ key: Bytes) -> Bytes? {
        store.attempt(orElse: nil) { view, table in
            key.isEmpty || key.count > LogLimits.rowKeyBytes ? nil : try view.value(table, key)
        }
    }

    /// Gives a key its value; a key that LMDB can't keep fails the transaction.
    package mutating func set(_ key: Bytes, _ value: Bytes) {
        store.attempt(orElse: ()) { view, table in
            guard (1...LogLimits.rowKeyBytes).contains(key.count) else {
                throw LogError.badLength(
                    field: "row key", bytes: key.count, limit: LogLimits.rowKeyBytes)
            }
            try view.put(table, key, value)
        }
    }

    /// Takes a key away; nothing happens when it is absent.
    package mutating func remove(_ key: Bytes) {
        store.attempt(orElse: ()) { view, table in
            if key.isEmpty || key.count > LogLimits.rowKeyBytes { return }
            try view.remove(table, key)
        }
    }

    /// The rows under a prefix that come after a key, ascending.
    package func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        store.attempt(orElse: []) { view, table in
            let cursor = try Cursor(view, table)
            // The shortest key that comes after another is that key with a zero behind it.
            let next = after.map { $0 + [0] } ?? prefix
            let start = next.lexicographicallyPrecedes(prefix) ? prefix : next
            var rows: [Row] = []
            var entry = limit > 0 ? try cursor.seek(start) : nil
            while let found = entry, found.key.starts(with: prefix) {
                rows.append(Row(key: found.key, value: found.value))
                entry = rows.count < limit ? try cursor.next() : nil
            }
            return rows
        }
    }

    /// The rows under a prefix that come before a key, descending.
    package func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        store.attempt(orElse: []) { view, table in
            let cursor = try Cursor(view, table)
            var rows: [Row] = []
            var entry = limit > 0 ? try Self.last(cursor, prefix, before) : nil
            while let found = entry, found.key.starts(with: prefix) {
                rows.append(Row(key: found.key, value: found.value))
                entry = rows.count < limit ? try cursor.previous() : nil
            }
            return rows
        }
    }

    /// The last entry under the prefix and before `before`, or one that is not under the prefix.
    private static func last(
        _ cursor: borrowing Cursor, _ prefix: Bytes, _ before: Bytes?
    ) throws(LMDBError) -> Entry? {
        let end = ByteOrder.firstAfterAll(beginningWith: prefix)
        guard let before, end.map({ before.lexicographicallyPrecedes($0) }) ?? true else {
            guard let end else { return try cursor.last() }
            return try cursor.seekBefore(end)
        }
        return try cursor.seekBefore(before)
    }
}

/// What all copies of `StoredRows` share: the table and the first failure.
private final class RowStore {
    private let view: any StorageView
    private let table: Table
    private(set) var failure: (any Error)?

    init(_ view: any StorageView, _ table: Table) {
        self.view = view
        self.table = table
    }

    func attempt<Value>(
        orElse nothing: Value, _ body: (any StorageView, Table) throws -> Value
    ) -> Value {
        if failure != nil { return nothing }
        do {
            return try body(view, table)
        } catch {
            failure = error
            return nothing
        }
    }
}
