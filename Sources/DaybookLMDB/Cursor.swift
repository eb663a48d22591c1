/// A place in a table, moved by key order; closed when it goes.
package struct Cursor: ~Copyable {
    private let moves: any CursorMoves

    /// A cursor over a table, not yet at any entry.
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
        // An empty key is none to LMDB; every key comes after it.
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

    /// What `read` makes of the first entry whose key is not before `key`, where it lies.
    package func seek<Value>(
        _ key: [UInt8], _ read: (_ key: RawSpan, _ value: RawSpan) -> Value
    ) throws(LMDBError) -> Value? {
        try moves.move(key.isEmpty ? .first : .notBefore(key), read)
    }

    /// What `read` makes of the entry after the one that was returned last, where it lies.
    package func next<Value>(
        _ read: (_ key: RawSpan, _ value: RawSpan) -> Value
    ) throws(LMDBError) -> Value? {
        try moves.move(.next, read)
    }

    /// Hands out entries where they lie, from a key on, for as long as `body` is true.
    ///
    /// The first is the one that is not before the key; an empty key is before all.
    package func each(
        from key: [UInt8] = [], _ body: (_ key: RawSpan, _ value: RawSpan) -> Bool
    ) throws(LMDBError) {
        try moves.each(from: key, body)
    }

    private static func entry(_ key: RawSpan, _ value: RawSpan) -> Entry {
        Entry(key: copied(key), value: copied(value))
    }

    private static func copied(_ bytes: RawSpan) -> [UInt8] {
        unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    }
}
