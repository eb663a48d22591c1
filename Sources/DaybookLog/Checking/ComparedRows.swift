internal import DaybookEncoding

/// Stored rows to which nothing is written: what would be set is compared with what is there.
struct ComparedRows: Rows {
    private let stored: StoredRows
    private let result = Result()

    private final class Result {
        var count: UInt64 = 0
        var different: (key: Bytes, byte: Int)?
        var missing: Bytes?
    }

    init(_ stored: StoredRows) {
        self.stored = stored
    }

    /// How many rows were set.
    var count: UInt64 { result.count }
    /// The first row that is there with another value, and the first byte that differs.
    var different: (key: Bytes, byte: Int)? { result.different }
    /// The key of the first row that is not there.
    var missing: Bytes? { result.missing }
    /// Why the rows can't be read.
    var failure: (any Error)? { stored.failure }

    func value(_ key: Bytes) -> Bytes? { stored.value(key) }

    mutating func set(_ key: Bytes, _ value: Bytes) {
        result.count += 1
        guard let found = stored.value(key) else {
            result.missing = result.missing ?? key
            return
        }
        if found != value, result.different == nil {
            result.different = (key, zip(found, value).prefix { $0 == $1 }.count)
        }
    }

    /// Nothing is taken away from a tree.
    mutating func remove(_ key: Bytes) {}

    func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        stored.scan(prefix: prefix, after: after, limit: limit)
    }

    func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        stored.scanBackward(prefix: prefix, before: before, limit: limit)
    }
}
