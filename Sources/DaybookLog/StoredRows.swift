package import DaybookEncoding
package import DaybookLMDB
internal import DaybookSystem

/// Rows in a table of LMDB, inside a transaction.
///
/// Copies share the table. After a failure they answer as if it were empty, and the owner of the
/// transaction throws `failure` instead of committing.
package struct StoredRows: Rows {
    private let store: RowStore

    /// The rows of a table; don't use them after the view's transaction.
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

    /// Sets the value of a key; a key that is too long for LMDB fails the transaction.
    package mutating func set(_ key: Bytes, _ value: Bytes) {
        store.attempt(orElse: ()) { view, table in
            guard (1...LogLimits.rowKeyBytes).contains(key.count) else {
                throw LogError.badLength(
                    field: "row key", bytes: key.count, limit: LogLimits.rowKeyBytes)
            }
            try view.put(table, key, value)
        }
    }

    /// Removes a key; does nothing when it is absent.
    package mutating func remove(_ key: Bytes) {
        store.attempt(orElse: ()) { view, table in
            if key.isEmpty || key.count > LogLimits.rowKeyBytes { return }
            try view.remove(table, key)
        }
    }

    /// The rows under a prefix that come after a key, ascending.
    package func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        store.attempt(orElse: []) { view, table in
            if limit <= 0 { return [] }
            var start = prefix
            // The first key after another one is that key with a zero byte appended.
            if let after, !ByteOrder.precedes(after, prefix) { start = after + [0] }
            var rows: [Row] = []
            try Cursor(view, table).each(from: start) { entry in
                guard ByteOrder.begins(entry.key, with: prefix) else { return false }
                rows.append(Row(key: entry.key, value: entry.value))
                return rows.count < limit
            }
            return rows
        }
    }

    /// The rows under a prefix that come before a key, descending.
    package func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        store.attempt(orElse: []) { view, table in
            let cursor = try Cursor(view, table)
            var rows: [Row] = []
            var entry = limit > 0 ? try cursor.last(under: prefix, before: before) : nil
            while let found = entry, ByteOrder.begins(found.key, with: prefix) {
                rows.append(Row(key: found.key, value: found.value))
                entry = rows.count < limit ? try cursor.previous() : nil
            }
            return rows
        }
    }
}

extension Cursor {
    /// The last entry under a prefix and before `before`, or an entry that is not under the prefix.
    package func last(under prefix: Bytes, before: Bytes?) throws(LMDBError) -> Entry? {
        let end = ByteOrder.firstAfterAll(beginningWith: prefix)
        if let before, end.map({ ByteOrder.precedes(before, $0) }) ?? true {
            return try seekBefore(before)
        }
        guard let end else { return try last() }
        return try seekBefore(end)
    }
}

/// The table and the first failure, which all copies of `StoredRows` share.
private final class RowStore: Sendable {
    private let content: Monitor<Content>

    private struct Content {
        let view: any StorageView
        let table: Table
        var failure: (any Error)?
    }

    init(_ view: any StorageView, _ table: Table) {
        // Only one thread at a time gets to it, while its transaction is open.
        nonisolated(unsafe) let content = Content(view: view, table: table)
        self.content = unsafe Monitor(content)
    }

    var failure: (any Error)? { content.change { $0.failure } }

    func attempt<Value: Sendable>(
        orElse nothing: Value, _ body: (any StorageView, Table) throws -> Value
    ) -> Value {
        content.change { content in
            if content.failure != nil { return nothing }
            do {
                return try body(content.view, content.table)
            } catch {
                content.failure = error
                return nothing
            }
        }
    }
}
