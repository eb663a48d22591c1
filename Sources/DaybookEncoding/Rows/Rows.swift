/// An ordered map from bytes to bytes, in which the state is stored.
///
/// Rows never throw. A backing store that fails remembers its failure and answers as if it were
/// empty from then on, and its transaction refuses to commit. Threads may share rows that nobody
/// changes.
package protocol Rows: Sendable {
    /// The value of a key, if there is one.
    func value(_ key: Bytes) -> Bytes?

    /// Sets the value of a key.
    mutating func set(_ key: Bytes, _ value: Bytes)

    /// Removes a key; does nothing when it is absent.
    mutating func remove(_ key: Bytes)

    /// The rows whose keys begin with `prefix` and come after `after`, ascending, `limit` at most.
    func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row]

    /// The rows whose keys begin with `prefix` and come before `before`, descending.
    func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row]

    /// Calls `body` with every row in key order.
    func walk(_ body: (_ key: Bytes, _ value: Bytes) -> Void)
}

extension Rows {
    package func walk(_ body: (_ key: Bytes, _ value: Bytes) -> Void) {
        var rows = RowReader { self.scan(prefix: [], after: $0, limit: RowReader.batch) }
        while let row = rows.next() { body(row.key, row.value) }
    }
}

/// One row of the state: a key and its value.
package struct Row: Hashable, Sendable {
    /// The key, by whose bytes rows are ordered.
    package var key: Bytes
    /// The value.
    package var value: Bytes

    /// A row of a key and its value.
    package init(key: Bytes, value: Bytes) {
        self.key = key
        self.value = value
    }
}

/// Reads two sets of rows in the order of their keys, and pairs the rows with the same key.
package struct RowPairs {
    private var left: RowReader
    private var right: RowReader
    private let isForward: Bool

    /// All rows of two sets.
    package init(_ left: any Rows, _ right: any Rows) {
        self.init(left, right) { $0.scan(prefix: [], after: $1, limit: RowReader.batch) }
    }

    /// The rows of two sets that `scan` returns, each time those after the last key.
    init(
        _ left: any Rows, _ right: any Rows, isForward: Bool = true,
        _ scan: @escaping (_ rows: any Rows, _ last: Bytes?) -> [Row]
    ) {
        self.left = RowReader { scan(left, $0) }
        self.right = RowReader { scan(right, $0) }
        self.isForward = isForward
    }

    /// The rows of the next key, with nil for a side that lacks it; nil when no key is left.
    package mutating func next() -> (left: Row?, right: Row?)? {
        switch (left.first, right.first) {
        case (nil, nil): return nil
        case (let one?, let other?) where one.key == other.key:
            return (left.next(), right.next())
        case (let one?, let other?) where ByteOrder.precedes(one.key, other.key) != isForward:
            return (nil, right.next())
        case (nil, _): return (nil, right.next())
        default: return (left.next(), nil)
        }
    }
}

/// Reads rows one by one, in batches.
struct RowReader {
    /// How many rows a batch has.
    static let batch = 256

    private let read: (_ last: Bytes?) -> [Row]
    private var rows: ArraySlice<Row>

    /// A reader of the batches that `read` returns, each after the last key of the one before.
    init(_ read: @escaping (_ last: Bytes?) -> [Row]) {
        self.read = read
        rows = read(nil)[...]
    }

    /// The next row, which stays; nil when none is left.
    var first: Row? { rows.first }

    /// The next row; nil when none is left.
    @discardableResult
    mutating func next() -> Row? {
        let row = rows.popFirst()
        if rows.isEmpty, let row { rows = read(row.key)[...] }
        return row
    }
}
