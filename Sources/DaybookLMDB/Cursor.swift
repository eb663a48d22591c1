internal import CLMDB

/// A place in a table, moved by key order; closed when it goes.
///
/// Safe because the view that it holds knows whether the transaction is still open.
@safe
package struct Cursor: ~Copyable {
    private let view: TransactionView
    private let handle: OpaquePointer

    /// A cursor over a table, not yet at any entry.
    package init(_ view: TransactionView, _ table: Table) throws(LMDBError) {
        var handle: OpaquePointer?
        try view.checked(unsafe mdb_cursor_open(view.transaction, table.handle, &handle))
        guard let opened = unsafe handle else { throw .badTransaction }
        self.view = view
        unsafe self.handle = opened
    }

    deinit {
        // lmdb.h, mdb_cursor_close: the end of a write transaction has closed its cursors itself.
        if view.isOpen || !view.isWritable { unsafe mdb_cursor_close(handle) }
    }

    /// The first entry; nil if the table is empty.
    package func first() throws(LMDBError) -> Entry? {
        try move(MDB_FIRST, [])
    }

    /// The last entry; nil if the table is empty.
    package func last() throws(LMDBError) -> Entry? {
        try move(MDB_LAST, [])
    }

    /// The first entry whose key is not before `key`.
    package func seek(_ key: [UInt8]) throws(LMDBError) -> Entry? {
        // An empty key is none to LMDB; every key comes after it.
        key.isEmpty ? try first() : try move(MDB_SET_RANGE, key)
    }

    /// The last entry whose key is before `key`.
    package func seekBefore(_ key: [UInt8]) throws(LMDBError) -> Entry? {
        if key.isEmpty { return nil }
        return try seek(key) == nil ? try last() : try previous()
    }

    /// The entry after the one that was returned last.
    package func next() throws(LMDBError) -> Entry? {
        try move(MDB_NEXT, [])
    }

    /// The entry before the one that was returned last.
    package func previous() throws(LMDBError) -> Entry? {
        try move(MDB_PREV, [])
    }

    private func move(_ operation: MDB_cursor_op, _ key: [UInt8]) throws(LMDBError) -> Entry? {
        precondition(view.isOpen, "a cursor is only used inside the closure of its transaction")
        var value = unsafe MDB_val()
        var entry: Entry?
        let code = unsafe withValue(key) { key in
            let code = unsafe mdb_cursor_get(handle, &key, &value, operation)
            if code == MDB_SUCCESS { entry = unsafe Entry(key: copied(key), value: copied(value)) }
            return code
        }
        if code == MDB_NOTFOUND { return nil }
        try view.checked(code)
        return entry
    }
}
