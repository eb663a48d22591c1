/// Rows in memory, for replay and for tests.
package struct MemoryRows: Rows {
    private var rows = OrderedMap<KeyBytes, Bytes>()

    /// No rows.
    package init() {}

    /// How many rows there are.
    package var count: Int { rows.count }

    package func value(_ key: Bytes) -> Bytes? { rows[KeyBytes(key)] }

    package mutating func set(_ key: Bytes, _ value: Bytes) {
        rows.set(KeyBytes(key), to: value)
    }

    package mutating func remove(_ key: Bytes) { rows.remove(KeyBytes(key)) }

    package func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
        var index = rows.firstIndex { key in
            ByteOrder.precedes(key.bytes, prefix)
                || after.map { !ByteOrder.precedes($0, key.bytes) } ?? false
        }
        return scan(prefix, limit) { rows.next(&index) }
    }

    package func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
        var index = rows.firstIndex { key in
            guard before.map({ ByteOrder.precedes(key.bytes, $0) }) ?? true else { return false }
            return ByteOrder.precedes(key.bytes, prefix)
                || ByteOrder.begins(key.bytes, with: prefix)
        }
        return scan(prefix, limit) { rows.previous(&index) }
    }

    private func scan(
        _ prefix: Bytes, _ limit: Int, _ next: () -> OrderedMap<KeyBytes, Bytes>.Index?
    ) -> [Row] {
        var found: [Row] = []
        while found.count < limit, let index = next() {
            let key = rows.key(at: index).bytes
            guard ByteOrder.begins(key, with: prefix) else { break }
            found.append(Row(key: key, value: rows.value(at: index)))
        }
        return found
    }
}

/// Bytes of any length in the order of rows.
package struct KeyBytes: Hashable, Comparable, Sendable {
    package let bytes: Bytes
    /// The first eight bytes as a number, which tells most keys apart without access to the array.
    @usableFromInline let head: UInt64

    package init(_ bytes: Bytes) {
        self.bytes = bytes
        head = BigEndian.head(of: bytes.span)
    }

    @inlinable package static func == (left: KeyBytes, right: KeyBytes) -> Bool {
        left.head == right.head && ByteOrder.areSame(left.bytes.span, right.bytes.span)
    }

    @inlinable package static func < (left: KeyBytes, right: KeyBytes) -> Bool {
        left.head == right.head
            ? ByteOrder.precedes(left.bytes, right.bytes) : left.head < right.head
    }

    // Hashing an array would feed its bytes one by one.
    package func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
