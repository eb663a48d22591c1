/// A storage of tables: LMDB's `Environment`, or the memory of a simulated computer.
///
/// A simulation uses its own storage to cut the power between any two steps.
package protocol Storage: AnyObject, Sendable {
    /// Runs `body` on a snapshot of the last commit.
    func snapshot<Value>(_ body: (any StorageView) throws -> Value) throws -> Value

    /// Runs `body` as the only writer and commits; nothing is written if it throws.
    func update<Value>(_ body: (any StorageView) throws -> Value) throws -> Value

    /// Copies the last commit into an empty folder, durably.
    func copy(to folder: String) throws

    /// The maximum size at present, in bytes.
    var mapBytes: Int { get }

    /// Whether damage was found, after which nothing is written any more.
    var isDamaged: Bool { get }

    /// The number of the newest commit of any process, without a transaction; nil where none are
    /// counted.
    ///
    /// That commit may not be durable yet, while a snapshot shows only what is.
    var newestCommit: UInt64? { get }
}

extension Storage {
    package var isDamaged: Bool { false }
    package var newestCommit: UInt64? { nil }
}

/// The operations inside a transaction of a storage; invalid after its end.
package protocol StorageView: AnyObject {
    /// The number of the commit that it began from; nil where none are counted.
    ///
    /// The commit of a write that changes something has the next number.
    var commit: UInt64? { get }

    /// Opens a table, or creates it if `create` is true; nil if there is none.
    func table(_ name: String, create: Bool) throws(LMDBError) -> Table?

    /// The value of a key; nil if there is none.
    func value(_ table: Table, _ key: [UInt8]) throws(LMDBError) -> [UInt8]?

    /// Writes a value.
    func put(
        _ table: Table, _ key: [UInt8], _ value: [UInt8], mode: PutMode
    ) throws(LMDBError)

    /// Removes a key; false if it was not there.
    @discardableResult
    func remove(_ table: Table, _ key: [UInt8]) throws(LMDBError) -> Bool

    /// How many entries a table has.
    func count(_ table: Table) throws(LMDBError) -> UInt64

    /// The moves of a `Cursor` over a table.
    func moves(in table: Table) throws(LMDBError) -> any CursorMoves
}

extension StorageView {
    package var commit: UInt64? { nil }

    package func table(_ name: String) throws(LMDBError) -> Table? {
        try table(name, create: false)
    }

    package func put(
        _ table: Table, _ key: [UInt8], _ value: [UInt8]
    ) throws(LMDBError) {
        try put(table, key, value, mode: .replace)
    }
}

/// The moves of a cursor, to entries in the order of their keys.
package protocol CursorMoves: AnyObject {
    /// Calls `read` with the entry that a move leads to, in place; nil if there is none.
    func move<Value>(
        _ move: CursorMove, _ read: (_ key: RawSpan, _ value: RawSpan) -> Value
    ) throws(LMDBError) -> Value?

    /// Calls `body` with the entries from a key on, in place, until it returns false.
    ///
    /// The key need not exist; an empty key is before all others.
    func each(
        from key: [UInt8], _ body: (_ key: RawSpan, _ value: RawSpan) -> Bool
    ) throws(LMDBError)
}

extension CursorMoves {
    package func each(
        from key: [UInt8], _ body: (_ key: RawSpan, _ value: RawSpan) -> Bool
    ) throws(LMDBError) {
        var goesOn = try move(key.isEmpty ? .first : .notBefore(key), body)
        while goesOn == true { goesOn = try move(.next, body) }
    }
}

/// One move of a cursor.
package enum CursorMove: Equatable, Sendable {
    case first
    case last
    case next
    case previous
    /// To the first entry whose key, which is not empty, is not before this one.
    case notBefore([UInt8])
}

/// How a value is written where the key may exist.
package enum PutMode: Sendable {
    /// Replaces the value of an existing key.
    case replace
    /// Fails with `keyExists` if the key exists.
    case insert
    /// Requires a key after all others, and fills pages completely.
    case append
}
