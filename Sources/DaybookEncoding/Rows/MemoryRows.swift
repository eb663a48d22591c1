/// Rows in memory: for replay, for tests, and as the model that a stored one is compared with.
///
/// The rows lie in sorted leaves of bounded size, so that a write moves a few hundred rows at most
/// and a copy of the whole shares every leaf that neither side has changed since.
package struct MemoryRows: Rows, Sendable {
    /// How many rows a leaf holds before it is split in two.
    static let leafCapacity = 256

    /// Keys and values of neighbouring rows, ascending by key, never empty.
    private struct Leaf: Sendable {
        var keys: [Bytes]
        var values: [Bytes]
    }

    /// Where a row is, or would be put.
    private struct Place {
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
        let (place, found) = find(key)
        return found ? leaves[place.leaf].values[place.row] : nil
    }

    package mutating func set(_ key: Bytes, _ value: Bytes) {
        if leaves.isEmpty {
            leaves = [Leaf(keys: [key], values: [value])]
            firstKeys = [key]
            count = 1
            return
        }
        let (place, found) = find(key)
        if found {
            leaves[place.leaf].values[place.row] = value
            return
        }
        leaves[place.leaf].keys.insert(key, at: place.row)
        leaves[place.leaf].values.insert(value, at: place.row)
        if place.row == 0 { firstKeys[place.leaf] = key }
        count += 1
        if leaves[place.leaf].keys.count > Self.leafCapacity { split(place.leaf) }
    }

    package mutating func remove(_ key: Bytes) {
        let (place, found) = find(key)
        guard found else { return }
        leaves[place.leaf].keys.remove(at: place.row)
        leaves[place.leaf].values.remove(at: place.row)
        count -= 1
        if leaves[place.leaf].keys.isEmpty {
            leaves.remove(at: place.leaf)
            firstKeys.remove(at: place.leaf)
        } else if place.row == 0 {
            firstKeys[place.leaf] = leaves[place.leaf].keys[0]
        }
    }

    package func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        var place: Place
        if let after, !ByteOrder.precedes(after, prefix) {
            let (nearest, found) = find(after)
            place = nearest
            if found { place.row += 1 }
        } else {
            place = find(prefix).place
        }
        var rows: [Row] = []
        while rows.count < limit, place.leaf < leaves.count {
            guard place.row < leaves[place.leaf].keys.count else {
                place = Place(leaf: place.leaf + 1, row: 0)
                continue
            }
            let key = leaves[place.leaf].keys[place.row]
            guard ByteOrder.begins(key, with: prefix) else { break }
            rows.append(Row(key: key, value: leaves[place.leaf].values[place.row]))
            place.row += 1
        }
        return rows
    }

    package func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        var place = endPlace(prefix: prefix, before: before)
        var rows: [Row] = []
        while rows.count < limit {
            guard place.row > 0 else {
                guard place.leaf > 0 else { break }
                place = Place(leaf: place.leaf - 1, row: leaves[place.leaf - 1].keys.count)
                continue
            }
            place.row -= 1
            let key = leaves[place.leaf].keys[place.row]
            guard ByteOrder.begins(key, with: prefix) else { break }
            rows.append(Row(key: key, value: leaves[place.leaf].values[place.row]))
        }
        return rows
    }

    /// The place just after the last row that begins with `prefix` and comes before `before`.
    private func endPlace(prefix: Bytes, before: Bytes?) -> Place {
        if let before, ByteOrder.begins(before, with: prefix)
            || ByteOrder.precedes(before, prefix)
        {
            return find(before).place
        }
        if let end = ByteOrder.firstAfterAll(beginningWith: prefix) { return find(end).place }
        return Place(leaf: leaves.count, row: 0)
    }

    /// Where the key is, or the place in its leaf that keeps the order when it is put there.
    private func find(_ key: Bytes) -> (place: Place, found: Bool) {
        let leaf = max(Self.firstIndex(after: key, in: firstKeys) - 1, 0)
        guard leaf < leaves.count else { return (Place(leaf: 0, row: 0), false) }
        let after = Self.firstIndex(after: key, in: leaves[leaf].keys)
        if after > 0, leaves[leaf].keys[after - 1] == key {
            return (Place(leaf: leaf, row: after - 1), true)
        }
        return (Place(leaf: leaf, row: after), false)
    }

    /// The index of the first key that comes after `key`.
    private static func firstIndex(after key: Bytes, in keys: [Bytes]) -> Int {
        // Rows often arrive in order, so that the end is the likeliest place.
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
