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
