package import DaybookEncoding

/// All that the events add up to: an ordered map of rows, read and written by type.
///
/// The same code works on the rows of a store (in the append's transaction) and on rows in memory
/// (replay, tests). A row that does not decode means damage: it is remembered in `damage`, and
/// whoever owns the transaction refuses to commit what was computed from it.
package struct State {
    private var cache: RowCache
    private var faults = Faults()
    let branchKeys = BranchKeys()

    /// Remembers damage also where the state is only read.
    private final class Faults {
        var first: FieldError?
    }

    package init(_ rows: any Rows) {
        cache = RowCache(rows)
    }

    /// The same state in another transaction, between which and the last one no event happened.
    ///
    /// What was read stays known. The state must have been saved.
    package consuming func moved(to rows: any Rows) -> State {
        cache.move(to: rows)
        faults = Faults()
        return self
    }

    /// The rows in bytes, with everything that was changed.
    package var rows: any Rows { cache.saved }

    /// Writes what was changed into the rows that the state was made of.
    ///
    /// Rows of a transaction of the log need it before the commit.
    package func save() { _ = cache.saved }

    /// The first row that did not decode, if there was one.
    package var damage: FieldError? { faults.first }

    /// Remembers that the rows contradict themselves.
    func note(damage: FieldError) {
        faults.first = faults.first ?? damage
    }

    package func get<Row: StateRow>(_ key: Bytes, _: Row.Type = Row.self) -> Row? {
        do {
            return try cache.get(key)
        } catch {
            note(damage: error)
            return nil
        }
    }

    /// Whether there is a row with a key.
    package func contains(_ key: Bytes) -> Bool { cache.contains(key) }

    package mutating func put(_ key: Bytes, _ row: some StateRow) {
        part()
        cache.put(key, row)
    }

    package mutating func remove(_ key: Bytes) {
        part()
        cache.remove(key)
    }

    /// The rows under a prefix that come after a key, in key order.
    package func scan(prefix: Bytes, after: Bytes? = nil, limit: Int) -> [Row] {
        cache.scan(prefix: prefix, after: after, limit: limit)
    }

    /// Every row under a prefix, in key order.
    package func list<Row: StateRow>(_ prefix: Bytes, _: Row.Type = Row.self)
        -> [(key: Bytes, row: Row)]
    {
        var result: [(key: Bytes, row: Row)] = []
        var after: Bytes?
        while true {
            let batch = scan(prefix: prefix, after: after, limit: 256)
            for row in batch {
                do {
                    result.append((row.key, try cache.value(of: row)))
                } catch {
                    note(damage: error)
                }
            }
            guard batch.count == 256 else { return result }
            after = batch.last?.key
        }
    }

    /// Copies of a state are values: the first change of one leaves the others what they were.
    private mutating func part() {
        if !isKnownUniquelyReferenced(&cache) { cache = RowCache(cache.saved) }
    }
}

/// A row of the state: a value with one spelling in bytes.
package protocol StateRow: Equatable, Sendable {
    var coded: CBOR { get }
    init(_ fields: Fields) throws(FieldError)
}
