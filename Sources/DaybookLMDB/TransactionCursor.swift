internal import CLMDB

/// A cursor of LMDB.
///
/// Safe because the view that it holds knows whether the transaction is still open.
@safe
final class TransactionCursor: CursorMoves {
    private let view: TransactionView
    private let handle: OpaquePointer

    init(_ view: TransactionView, _ table: Table) throws(LMDBError) {
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

    package func move<Value>(
        _ move: CursorMove, _ read: (_ key: RawSpan, _ value: RawSpan) -> Value
    ) throws(LMDBError) -> Value? {
        switch move {
        case .first: try self.move(MDB_FIRST, [], read)
        case .last: try self.move(MDB_LAST, [], read)
        case .next: try self.move(MDB_NEXT, [], read)
        case .previous: try self.move(MDB_PREV, [], read)
        case .notBefore(let key): try self.move(MDB_SET_RANGE, key, read)
        }
    }

    // The same as for other cursors, and compiled for this one: a walk is the hottest loop.
    package func each(
        from key: [UInt8], _ body: (_ key: RawSpan, _ value: RawSpan) -> Bool
    ) throws(LMDBError) {
        var goesOn = try move(key.isEmpty ? MDB_FIRST : MDB_SET_RANGE, key, body)
        while goesOn == true { goesOn = try move(MDB_NEXT, [], body) }
    }

    private func move<Value>(
        _ operation: MDB_cursor_op, _ key: [UInt8], _ read: (RawSpan, RawSpan) -> Value
    ) throws(LMDBError) -> Value? {
        precondition(view.isOpen, "a cursor is only used inside the closure of its transaction")
        var value = unsafe MDB_val()
        var result: Value?
        let code = unsafe withValue(key) { key in
            let code = unsafe mdb_cursor_get(handle, &key, &value, operation)
            if code == MDB_SUCCESS {
                let keyBytes = unsafe UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)
                let valueBytes = unsafe UnsafeRawBufferPointer(
                    start: value.mv_data, count: value.mv_size)
                // Both spans end with the call, and the entry stays where it is until the next one.
                result = unsafe read(keyBytes.bytes, valueBytes.bytes)
            }
            return code
        }
        if code == MDB_NOTFOUND { return nil }
        try view.checked(code)
        return result
    }
}
