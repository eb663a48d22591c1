/// A map with ordered keys, made of sorted leaves of bounded size.
///
/// A write moves a few dozen entries at most. A copy shares every leaf that neither side has
/// changed since.
struct OrderedMap<Key: Comparable, Value> {
    /// Neighbouring entries in ascending order; only the leaf of a map without entries is empty.
    fileprivate struct Leaf {
        var keys: [Key]
        var values: [Value]
    }

    /// The place of an entry.
    struct Index {
        fileprivate var leaf: Int
        fileprivate var entry: Int
    }

    /// How many entries a leaf holds before it is split in two.
    ///
    /// The first write to a leaf after the state was published copies it, so leaves of large values
    /// are short.
    private static var leafCapacity: Int { MemoryLayout<Value>.stride > 96 ? 16 : 64 }

    /// The first key of each leaf, kept apart so that a search touches one array.
    private var firstKeys: [Key] = []
    private var leaves: [Leaf] = []

    /// How many entries there are.
    private(set) var count = 0

    subscript(key: Key) -> Value? {
        let (index, isFound) = find(key)
        return isFound ? leaves[index.leaf].values[index.entry] : nil
    }

    /// Whether a key's value is not nil, without copying the value; nil if the key is missing.
    func containsValue<Wrapped>(of key: Key) -> Bool? where Value == Wrapped? {
        let (index, isFound) = find(key)
        guard isFound else { return nil }
        return if case .some = leaves[index.leaf].values[index.entry] { true } else { false }
    }

    /// Sets the value of a key.
    mutating func set(_ key: Key, to value: consuming Value) {
        if leaves.isEmpty {
            leaves = [Leaf(keys: [key], values: [value])]
            firstKeys = [key]
            count = 1
            return
        }
        let (index, isFound) = find(key)
        if isFound {
            leaves[index.leaf].values[index.entry] = value
            return
        }
        leaves[index.leaf].keys.insert(key, at: index.entry)
        leaves[index.leaf].values.insert(value, at: index.entry)
        if count == 0 {
            firstKeys.append(key)
        } else if index.entry == 0 {
            firstKeys[index.leaf] = key
        }
        count += 1
        if leaves[index.leaf].keys.count > Self.leafCapacity { split(index.leaf) }
    }

    /// Changes a key's value in place; nil if the key is missing.
    mutating func change<Result>(_ key: Key, _ body: (inout Value) -> Result) -> Result? {
        let (index, isFound) = find(key)
        guard isFound else { return nil }
        return body(&leaves[index.leaf].values[index.entry])
    }

    /// Removes a key, if it exists.
    mutating func remove(_ key: Key) {
        let (index, isFound) = find(key)
        guard isFound else { return }
        leaves[index.leaf].keys.remove(at: index.entry)
        leaves[index.leaf].values.remove(at: index.entry)
        count -= 1
        if leaves[index.leaf].keys.isEmpty {
            // The last leaf stays: tables of what is under way are emptied and filled all the time.
            if count > 0 { leaves.remove(at: index.leaf) }
            firstKeys.remove(at: index.leaf)
        } else if index.entry == 0 {
            firstKeys[index.leaf] = leaves[index.leaf].keys[0]
        }
    }

    /// Returns the result of `body` for a key's value, which is not copied; nil if the key is
    /// missing.
    func read<Result>(_ key: Key, _ body: (borrowing Value) -> Result) -> Result? {
        let (index, isFound) = find(key)
        guard isFound else { return nil }
        let values = leaves[index.leaf].values
        return body(values.span[index.entry])
    }

    /// Calls `body` with each entry from an index on, without copying it, until it returns false.
    func each(from index: Index, _ body: (borrowing Key, borrowing Value) -> Bool) {
        var entry = index.entry
        for number in leaves.indices.dropFirst(index.leaf) {
            let leaf = leaves[number]
            let (keys, values) = (leaf.keys.span, leaf.values.span)
            while entry < keys.count {
                guard body(keys[entry], values[entry]) else { return }
                entry += 1
            }
            entry = 0
        }
    }

    /// The index after the last key that `isPassed` accepts; it must accept all keys before that
    /// one.
    func firstIndex(behind isPassed: (Key) -> Bool) -> Index {
        let leaf = max(Self.firstIndex(behind: isPassed, in: firstKeys) - 1, 0)
        guard leaf < leaves.count else { return Index(leaf: 0, entry: 0) }
        return Index(leaf: leaf, entry: Self.firstIndex(behind: isPassed, in: leaves[leaf].keys))
    }

    /// The index of the first entry.
    var startIndex: Index { Index(leaf: 0, entry: 0) }

    /// The index after the last entry.
    var endIndex: Index { Index(leaf: leaves.count, entry: 0) }

    /// Advances an index over one entry, and returns where that is; nil at the end.
    func next(_ index: inout Index) -> Index? {
        while index.leaf < leaves.count {
            if index.entry < leaves[index.leaf].keys.count {
                defer { index.entry += 1 }
                return index
            }
            index = Index(leaf: index.leaf + 1, entry: 0)
        }
        return nil
    }

    /// Moves an index back by one entry and returns it; nil at the beginning.
    func previous(_ index: inout Index) -> Index? {
        if index.entry == 0 {
            guard index.leaf > 0, count > 0 else { return nil }
            let leaf = index.leaf - 1
            index = Index(leaf: leaf, entry: leaves[leaf].keys.count)
        }
        index.entry -= 1
        return index
    }

    /// The key of an entry.
    func key(at index: Index) -> Key { leaves[index.leaf].keys[index.entry] }

    /// The value of an entry.
    func value(at index: Index) -> Value { leaves[index.leaf].values[index.entry] }

    /// The place of a key, or the place where inserting it keeps the order.
    private func find(_ key: Key) -> (index: Index, isFound: Bool) {
        let leaf = max(Self.firstIndex(after: key, in: firstKeys.span) - 1, 0)
        let leaves = leaves.span
        guard leaf < leaves.count else { return (Index(leaf: 0, entry: 0), false) }
        let keys = leaves[leaf].keys.span
        let after = Self.firstIndex(after: key, in: keys)
        let isFound = after > 0 && keys[after - 1] == key
        return (Index(leaf: leaf, entry: isFound ? after - 1 : after), isFound)
    }

    /// The index of the first key that comes after `key`.
    ///
    /// A span accesses keys without counting references, which an array does.
    private static func firstIndex(
        after key: borrowing Key, in keys: borrowing Span<Key>
    ) -> Int {
        // Keys often arrive in order, so the end is checked first.
        var high = keys.count
        if high > 0, !(key < keys[high - 1]) { return high }
        var low = 0
        while low < high {
            let middle = (low + high) / 2
            if key < keys[middle] { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private static func firstIndex(behind isPassed: (Key) -> Bool, in keys: [Key]) -> Int {
        let keys = keys.span
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            if isPassed(keys[middle]) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Splits a full leaf in two; the last one near its end, because keys often arrive in order.
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

/// A property stored in a shared box, so that copies of a row are cheap.
@propertyWrapper
package struct Indirect<Value: Equatable & Sendable>: Equatable, Sendable {
    private final class Storage: Sendable {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private var storage: Storage?

    package init(wrappedValue: Value?) {
        storage = wrappedValue.map { Storage($0) }
    }

    package var wrappedValue: Value? {
        get { storage?.value }
        set { storage = newValue.map { Storage($0) } }
    }

    /// Returns the result of `body` for the value, which is not copied.
    func read<Result>(_ body: (Value) -> Result) -> Result? {
        storage.map { body($0.value) }
    }

    package static func == (left: Indirect, right: Indirect) -> Bool {
        left.storage === right.storage || left.wrappedValue == right.wrappedValue
    }
}

extension OrderedMap: Sendable where Key: Sendable, Value: Sendable {}
extension OrderedMap.Leaf: Sendable where Key: Sendable, Value: Sendable {}
