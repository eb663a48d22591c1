/// An encoded map with an index of its keys, so that values are found without a scan.
package struct EncodedMap: Sendable {
    /// The map as a value.
    package let record: EncodedCBOR
    private let count: Int
    /// The offsets of the first keys, stored inline; few maps have more.
    private let starts: InlineArray<16, UInt32>

    /// The entries of a map; nil if the value is not one.
    package init?(_ value: EncodedCBOR) {
        self.init(orEmpty: value)
        guard value.isMap else { return nil }
    }

    /// The entries of a map; none if the value is not one.
    package init(orEmpty value: EncodedCBOR) {
        let bytes = value.buffer.span
        let head = CBORHead(bytes, at: value.start)
        let count = head.isMap ? head.count : 0
        var starts = InlineArray<16, UInt32>(repeating: 0)
        var next = head.end
        for index in 0..<Swift.min(count, starts.count) {
            // Each but the first begins where the value before it ends; nothing is asked of what
            // follows the last, which in an envelope is nearly all of it.
            if index > 0 { next = Self.entryEnd(bytes, at: next) }
            starts[index] = UInt32(next)
        }
        (self.count, self.starts) = (count, starts)
        record = value
    }

    /// The value of a text key.
    package subscript(key: String) -> EncodedCBOR? {
        head(key).map { EncodedCBOR(record.buffer, at: $0.start) }
    }

    /// The value of an integer key.
    package subscript(key: UInt64) -> EncodedCBOR? {
        head(key).map { EncodedCBOR(record.buffer, at: $0.start) }
    }

    /// The head of the value of a text key.
    package func head(_ key: String) -> CBORHead? {
        let bytes = record.buffer.span
        let key = key.utf8.span
        let initial = key.count < 24 ? 0x60 | UInt8(key.count) : 0
        return first { start in
            // The first byte, which is the length of a short name, tells most of them apart.
            guard bytes[start] == initial || key.count >= 24 else { return nil }
            let name = CBORHead(bytes, at: start)
            guard name.argument == key.count, name.isOf(.text) else { return nil }
            let end = name.end + key.count
            let text = bytes.extracting(name.end..<end)
            return ByteOrder.areSame(text, key) ? end : nil
        }
    }

    /// The head of the value of an integer key.
    package func head(_ key: UInt64) -> CBORHead? {
        let bytes = record.buffer.span
        guard key < starts.count else {
            return first { start in
                let number = CBORHead(bytes, at: start)
                return number.uintValue == key ? number.end : nil
            }
        }
        // Keys ascend, integers first: at most n keys come before the key n.
        for index in (0..<Swift.min(count, Int(key) + 1)).reversed() {
            let number = CBORHead(bytes, at: Int(starts[index]))
            guard let found = number.uintValue, found <= key else { continue }
            return found == key ? CBORHead(bytes, at: number.end) : nil
        }
        return nil
    }

    /// The first value of which `find` says where it begins, given where its key begins.
    @inline(__always)
    private func first(_ find: (Int) -> Int?) -> CBORHead? {
        let bytes = record.buffer.span
        var start = 0
        for index in 0..<count {
            start = index < starts.count ? Int(starts[index]) : Self.entryEnd(bytes, at: start)
            if let value = find(start) { return CBORHead(bytes, at: value) }
        }
        return nil
    }

    /// Whether every key is an integer from zero through a maximum.
    package func hasOnlyKeys(through last: UInt64) -> Bool {
        guard count > 0 else { return true }
        let bytes = record.buffer.span
        var start = Int(starts[Swift.min(count, starts.count) - 1])
        for _ in starts.count..<Swift.max(count, starts.count) {
            start = Self.entryEnd(bytes, at: start)
        }
        // Keys ascend, integers first: the last key decides.
        return CBORHead(bytes, at: start).uintValue.map { $0 <= last } ?? false
    }

    /// The text of a value of this map; nil if it is not a text.
    package func text(_ head: CBORHead) -> String? {
        // Not by `map`, which would copy this map for its closure.
        guard let range = head.textRange else { return nil }
        return record.text(range)
    }

    /// The bytes of a value of this map; nil if it is not a byte string.
    package func bytes(_ head: CBORHead) -> Bytes? {
        guard let range = head.bytesRange else { return nil }
        return record.bytes(range)
    }

    /// The offset after the entry whose key is at an offset.
    private static func entryEnd(_ bytes: Span<UInt8>, at start: Int) -> Int {
        EncodedCBOR.end(bytes, at: EncodedCBOR.end(bytes, at: start))
    }
}

/// A map with integer keys below 24, whose values are read once, in the order of the keys.
package struct EncodedEnvelope: ~Copyable {
    private let buffer: Bytes
    /// How many entries are left, and where the first of them begins.
    private var left: Int
    private var next: Int

    /// The fields of a map; nil if the value is not one.
    package init?(_ value: EncodedCBOR) {
        let head = CBORHead(value.buffer.span, at: value.start)
        guard head.isMap else { return nil }
        buffer = value.buffer
        left = head.count
        next = head.end
    }

    /// Whether all entries were read.
    package var isAtEnd: Bool { left == 0 }

    /// The beginning of the next value, if it has this number; else nil, and it stays the next.
    package mutating func take(_ number: UInt64) -> CBORHead? {
        guard let entry = first(number) else { return nil }
        left -= 1
        next = entry.end
        return entry.value
    }

    /// The next entry, if it has this number: its value, and where it ends.
    @inline(__always)
    private func first(_ number: UInt64) -> (value: CBORHead, end: Int)? {
        precondition(number < 24, "such a number is spelled by itself")
        let bytes = buffer.span
        guard left > 0, bytes[next] == UInt8(number) else { return nil }
        let value = CBORHead(bytes, at: next + 1)
        // Nothing is asked of what follows the last, which is nearly all of an event.
        return (value, left > 1 ? EncodedCBOR.end(bytes, at: value) : next)
    }
}
