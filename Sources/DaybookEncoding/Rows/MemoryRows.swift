/// Rows in memory: those of a replay or an audit, and changes that are not stored yet.
///
/// The rows are in sorted leaves of bounded size, so that a write moves a few hundred rows at most,
/// and a copy shares every leaf that neither side has changed since.
package struct MemoryRows: Rows, Sendable {
    /// How many rows a leaf holds before it is split in two.
    static let leafCapacity = 256

    /// Keys and values of neighbouring rows, ascending by key, never empty.
    private struct Leaf: Sendable {
        var keys: [Bytes]
        var values: [Bytes]
    }

    /// The index of a row, or the one at which it would be inserted.
    private struct Index {
        var leaf: Int
        var row: Int
    }

    /// The first key of each leaf, kept apart so that a search touches one array.
    private var firstKeys: [Bytes] = []
    private var leaves: [Leaf] = []

    /// How many rows there are.
    package private(set) var count = 0

    /// No rows.
    package init() {}

    package func value(_ key: Bytes) -> Bytes? {
        let (index, found) = find(key)
        return found ? leaves[index.leaf].values[index.row] : nil
    }

    package mutating func set(_ key: Bytes, _ value: Bytes) {
        if leaves.isEmpty {
            leaves = [Leaf(keys: [key], values: [value])]
            firstKeys = [key]
            count = 1
            return
        }
        let (index, found) = find(key)
        if found {
            leaves[index.leaf].values[index.row] = value
            return
        }
        leaves[index.leaf].keys.insert(key, at: index.row)
        leaves[index.leaf].values.insert(value, at: index.row)
        if index.row == 0 { firstKeys[index.leaf] = key }
        count += 1
        if leaves[index.leaf].keys.count > Self.leafCapacity { split(index.leaf) }
    }

    package mutating func remove(_ key: Bytes) {
        let (index, found) = find(key)
        guard found else { return }
        leaves[index.leaf].keys.remove(at: index.row)
        leaves[index.leaf].values.remove(at: index.row)
        count -= 1
        if leaves[index.leaf].keys.isEmpty {
            leaves.remove(at: index.leaf)
            firstKeys.remove(at: index.leaf)
        } else if index.row == 0 {
            firstKeys[index.leaf] = leaves[index.leaf].keys[0]
        }
    }

    package func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        var index: Index
        if let after, !ByteOrder.precedes(after, prefix) {
            let (nearest, found) = find(after)
            index = nearest
            if found { index.row += 1 }
        } else {
            index = find(prefix).index
        }
        var rows: [Row] = []
        while rows.count < limit, index.leaf < leaves.count {
            guard index.row < leaves[index.leaf].keys.count else {
                index = Index(leaf: index.leaf + 1, row: 0)
                continue
            }
            let key = leaves[index.leaf].keys[index.row]
            guard ByteOrder.begins(key, with: prefix) else { break }
            rows.append(Row(key: key, value: leaves[index.leaf].values[index.row]))
            index.row += 1
        }
        return rows
    }

    package func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        var index = endIndex(prefix: prefix, before: before)
        var rows: [Row] = []
        while rows.count < limit {
            guard index.row > 0 else {
                guard index.leaf > 0 else { break }
                index = Index(leaf: index.leaf - 1, row: leaves[index.leaf - 1].keys.count)
                continue
            }
            index.row -= 1
            let key = leaves[index.leaf].keys[index.row]
            guard ByteOrder.begins(key, with: prefix) else { break }
            rows.append(Row(key: key, value: leaves[index.leaf].values[index.row]))
        }
        return rows
    }

    /// The index just after the last row that begins with `prefix` and comes before `before`.
    private func endIndex(prefix: Bytes, before: Bytes?) -> Index {
        if let before, ByteOrder.begins(before, with: prefix)
            || ByteOrder.precedes(before, prefix)
        {
            return find(before).index
        }
        if let end = ByteOrder.firstAfterAll(beginningWith: prefix) { return find(end).index }
        return Index(leaf: leaves.count, row: 0)
    }

    /// The index of a key, or the index in its leaf at which inserting it keeps the order.
    private func find(_ key: Bytes) -> (index: Index, found: Bool) {
        let leaf = max(Self.firstIndex(after: key, in: firstKeys) - 1, 0)
        guard leaf < leaves.count else { return (Index(leaf: 0, row: 0), false) }
        let after = Self.firstIndex(after: key, in: leaves[leaf].keys)
        if after > 0, leaves[leaf].keys[after - 1] == key {
            return (Index(leaf: leaf, row: after - 1), true)
        }
        return (Index(leaf: leaf, row: after), false)
    }

    /// The index of the first key that comes after `key`.
    private static func firstIndex(after key: Bytes, in keys: [Bytes]) -> Int {
        // Rows often arrive in order, so that the end is the likeliest index.
        if let last = keys.last, !ByteOrder.precedes(key, last) { return keys.count }
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if ByteOrder.precedes(key, keys[middle]) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }

    /// Splits a full leaf; the last one near its end, because rows that arrive in order fill it.
    private mutating func split(_ index: Int) {
        let size = leaves[index].keys.count
        let middle = index == leaves.count - 1 ? size * 7 / 8 : size / 2
        let upper = Leaf(
            keys: Array(leaves[index].keys[middle...]),
            values: Array(leaves[index].values[middle...]))
        leaves[index].keys.removeSubrange(middle...)
        leaves[index].values.removeSubrange(middle...)
        leaves.insert(upper, at: index + 1)
        firstKeys.insert(upper.keys[0], at: index + 1)
    }
}
