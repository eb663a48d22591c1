/// An ordered map from bytes to bytes: what the state is kept in.
///
/// Rows never throw: a backing store that fails remembers its failure, answers as if it were empty
/// from then on, and its transaction refuses to commit.
package protocol Rows {
    /// The value of a key, if there is one.
    func value(_ key: Bytes) -> Bytes?

    /// Gives a key its value, in place of an earlier one.
    mutating func set(_ key: Bytes, _ value: Bytes)

    /// Takes a key away; nothing happens when it is absent.
    mutating func remove(_ key: Bytes)

    /// The rows whose keys begin with `prefix` and come after `after`, ascending, `limit` at most.
    func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row]

    /// The rows whose keys begin with `prefix` and come before `before`, descending.
    func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row]
}

/// Rows that hand out all of themselves in one pass, which costs less than scans of them.
package protocol WalkedRows: Rows {
    /// Hands out every row in key order; bytes that nobody keeps make room for the next ones.
    func walk(_ body: (_ key: Bytes, _ value: Bytes) -> Void)
}

/// One row of the state: a key and its value.
package struct Row: Hashable, Sendable {
    /// What the row is found by, and ordered by bytewise.
    package var key: Bytes
    /// What the row holds.
    package var value: Bytes

    /// A row of a key and its value.
    package init(key: Bytes, value: Bytes) {
        self.key = key
        self.value = value
    }
}

/// Goes through two sets of rows in the order of their keys, and pairs those with the same key.
package struct RowPairs {
    private var left: RowWalk
    private var right: RowWalk

    package init(_ left: any Rows, _ right: any Rows) {
        self.left = RowWalk(left)
        self.right = RowWalk(right)
    }

    /// The rows of the next key, nil where a side has none; nil when no key is left.
    package mutating func next() -> (left: Row?, right: Row?)? {
        switch (left.first, right.first) {
        case (nil, nil): return nil
        case (let one?, let other?) where one.key == other.key:
            return (left.next(), right.next())
        case (let one?, let other?) where ByteOrder.precedes(other.key, one.key):
            return (nil, right.next())
        case (nil, _): return (nil, right.next())
        default: return (left.next(), nil)
        }
    }
}

/// Reads rows one after the other, a batch at a time.
private struct RowWalk {
    private let rows: any Rows
    private var batch: ArraySlice<Row> = []

    init(_ rows: any Rows) {
        self.rows = rows
        read(after: nil)
    }

    /// The next row, which stays; nil when none is left.
    var first: Row? { batch.first }

    mutating func next() -> Row? {
        let row = batch.popFirst()
        if batch.isEmpty, let row { read(after: row.key) }
        return row
    }

    private mutating func read(after key: Bytes?) {
        batch = rows.scan(prefix: [], after: key, limit: 256)[...]
    }
}
