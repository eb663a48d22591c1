/// Where tables are kept: LMDB's `Environment`, or the memory of a simulated computer.
///
/// A simulation runs everything above on this and takes the power away between any two steps.
package protocol Storage: AnyObject, Sendable {
    /// Runs `body` on what was committed last.
    func snapshot<Value>(_ body: (any StorageView) throws -> Value) throws -> Value

    /// Runs `body` as the only writer and commits; nothing is written if it throws.
    func update<Value>(_ body: (any StorageView) throws -> Value) throws -> Value

    /// Copies what was committed last into an empty folder, durably.
    func copy(to folder: String) throws

    /// How many bytes there may be.
    var mapBytes: Int { get }
}

/// What can be done inside a transaction of a storage; it means nothing after its end.
package protocol StorageView: AnyObject {
    /// Opens a table, making it if asked; nil if there is none.
    func table(_ name: String, create: Bool) throws(LMDBError) -> Table?

    /// The value of a key; nil if there is none.
    func value(_ table: Table, _ key: [UInt8]) throws(LMDBError) -> [UInt8]?

    /// Writes a value.
    func put(
        _ table: Table, _ key: [UInt8], _ value: [UInt8], _ mode: PutMode
    ) throws(LMDBError)

    /// Removes a key; false if it was not there.
    @discardableResult
    func remove(_ table: Table, _ key: [UInt8]) throws(LMDBError) -> Bool

    /// How many entries a table has.
    func count(_ table: Table) throws(LMDBError) -> UInt64

    /// What a `Cursor` over a table moves by.
    func moves(in table: Table) throws(LMDBError) -> any CursorMoves
}

extension StorageView {
    package func table(_ name: String) throws(LMDBError) -> Table? {
        try table(name, create: false)
    }

    package func put(
        _ table: Table, _ key: [UInt8], _ value: [UInt8]
    ) throws(LMDBError) {
        try put(table, key, value, .replace)
    }
}

/// The moves of a cursor, to entries in the order of their keys.
package protocol CursorMoves: AnyObject {
    /// What `read` makes of the entry that a move leads to, where it lies; nil where there is none.
    func move<Value>(
        _ move: CursorMove, _ read: (_ key: RawSpan, _ value: RawSpan) -> Value
    ) throws(LMDBError) -> Value?

    /// Hands out entries where they lie, from a key on, for as long as `body` is true.
    ///
    /// The first is the one that is not before the key; an empty key is before all.
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
    /// Demands a key after all others: fills pages to the brim.
    case append
}
