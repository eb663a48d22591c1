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
