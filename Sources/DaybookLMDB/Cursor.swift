internal import CLMDB

/// A cursor over a table, which moves in key order; closed when it is destroyed.
package struct Cursor: ~Copyable {
    private let moves: any CursorMoves

    /// A cursor over a table, before the first entry.
    package init(_ view: any StorageView, _ table: Table) throws(LMDBError) {
        moves = try view.moves(in: table)
    }

    /// The first entry; nil if the table is empty.
    package func first() throws(LMDBError) -> Entry? {
        try moves.move(.first, Self.entry)
    }

    /// The last entry; nil if the table is empty.
    package func last() throws(LMDBError) -> Entry? {
        try moves.move(.last, Self.entry)
    }

    /// The first entry whose key is not before `key`.
    package func seek(_ key: [UInt8]) throws(LMDBError) -> Entry? {
        // LMDB allows no empty key; every key comes after it.
        try moves.move(key.isEmpty ? .first : .notBefore(key), Self.entry)
    }

    /// The last entry whose key is before `key`.
    package func seekBefore(_ key: [UInt8]) throws(LMDBError) -> Entry? {
        if key.isEmpty { return nil }
        return try seek(key) == nil ? try last() : try previous()
    }

    /// The entry after the one that was returned last.
    package func next() throws(LMDBError) -> Entry? {
        try moves.move(.next, Self.entry)
    }

    /// The entry before the one that was returned last.
    package func previous() throws(LMDBError) -> Entry? {
        try moves.move(.previous, Self.entry)
    }

    /// Calls `read` with the first entry whose key is not before `key`, in LMDB's memory.
    package func seek<Value>(
        _ key: [UInt8], _ read: (_ key: RawSpan, _ value: RawSpan) -> Value
    ) throws(LMDBError) -> Value? {
        try moves.move(key.isEmpty ? .first : .notBefore(key), read)
    }

    /// Calls `read` with the entry after the last one, in LMDB's memory.
    package func next<Value>(
        _ read: (_ key: RawSpan, _ value: RawSpan) -> Value
    ) throws(LMDBError) -> Value? {
        try moves.move(.next, read)
    }

    /// Calls `body` with the entries from a key on, in LMDB's memory, until it returns false.
    ///
    /// The key need not exist; an empty key is before all others.
    package func each(
        from key: [UInt8] = [], _ body: (_ key: RawSpan, _ value: RawSpan) -> Bool
    ) throws(LMDBError) {
        try moves.each(from: key, body)
    }

    /// Calls `body` with copies of the entries from a key on until it returns false.
    package func each(from key: [UInt8], _ body: (Entry) -> Bool) throws(LMDBError) {
        try moves.each(from: key) { body(Self.entry($0, $1)) }
    }

    private static func entry(_ key: RawSpan, _ value: RawSpan) -> Entry {
        Entry(key: copied(key), value: copied(value))
    }

    private static func copied(_ bytes: RawSpan) -> [UInt8] {
        unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    }
}

/// A cursor of LMDB.
///
/// Safe because the view that it holds knows whether the transaction is still open.
@safe
final class TransactionCursor: CursorMoves {
    private let view: TransactionView
    private let table: Table
    private let handle: OpaquePointer
    /// The page with the entry that it is at; nil where that is not known.
    private var leaf: UInt?
    /// Whether the leaves on both sides of the entry were checked.
    private var isSurrounded = false

    init(_ view: TransactionView, _ table: Table) throws(LMDBError) {
        try view.pages.find(table.name)
        var handle: OpaquePointer?
        try view.checked(unsafe mdb_cursor_open(view.transaction, table.handle, &handle))
        guard let opened = unsafe handle else { throw .badTransaction }
        self.view = view
        self.table = table
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

    // Repeats the default implementation, so that this hot loop is specialized.
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
        try prepare(operation, key)
        var value = unsafe MDB_val()
        var result: Value?
        let code = unsafe withValue(key) { key in
            let code = unsafe mdb_cursor_get(handle, &key, &value, operation)
            if code == MDB_SUCCESS {
                let keyBytes = unsafe UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)
                let valueBytes = unsafe UnsafeRawBufferPointer(
                    start: value.mv_data, count: value.mv_size)
                unsafe note(keyBytes)
                // Both spans end with the call; LMDB keeps the entry in place until the next call.
                result = unsafe read(keyBytes.bytes, valueBytes.bytes)
            }
            return code
        }
        if code == MDB_NOTFOUND {
            // LMDB says where it is then only when it is asked again.
            (leaf, isSurrounded) = (nil, false)
            return nil
        }
        try view.checked(code)
        return result
    }

    /// Checks the pages that a move may read.
    private func prepare(_ operation: MDB_cursor_op, _ key: [UInt8]) throws(LMDBError) {
        switch operation {
        case MDB_FIRST: try view.pages.check(table, at: .first, for: .moving)
        case MDB_LAST: try view.pages.check(table, at: .last, for: .moving)
        case MDB_SET_RANGE: try view.pages.check(table, at: .key(key), for: .moving)
        default:
            if isSurrounded { return }
            try view.pages.check(table, at: try present(or: operation), for: .moving)
            isSurrounded = true
        }
    }

    /// The key that it is at, or where LMDB goes from nowhere.
    private func present(
        or operation: MDB_cursor_op
    ) throws(LMDBError) -> CheckedPages.Target {
        var (key, value) = unsafe (MDB_val(), MDB_val())
        let code = unsafe mdb_cursor_get(handle, &key, &value, MDB_GET_CURRENT)
        if code == MDB_SUCCESS { return .key(unsafe copied(key)) }
        // Behind the last entry.
        if code == MDB_NOTFOUND { return .last }
        if LMDBError(rawValue: code) == .notPositioned {
            return operation == MDB_NEXT ? .first : .last
        }
        try view.checked(code)
        return .first
    }

    /// Notes whether a move has led to another leaf.
    private func note(_ key: UnsafeRawBufferPointer) {
        let page = UInt(bitPattern: key.baseAddress) / UInt(view.pages.pageBytes)
        // A page that a write has changed may lie anywhere in memory.
        if !view.isWritable, leaf == page { return }
        (leaf, isSurrounded) = (page, false)
    }
}

/// One key of a table with its value, copied out of the map.
package struct Entry: Equatable, Sendable {
    /// The key.
    package let key: [UInt8]
    /// The value.
    package let value: [UInt8]

    /// A key with its value.
    package init(key: [UInt8], value: [UInt8]) {
        self.key = key
        self.value = value
    }
}
