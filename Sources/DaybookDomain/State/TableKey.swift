package import DaybookEncoding

/// The key of a row in a table.
///
/// A key has exactly one encoding, and keys are ordered by their encoded bytes: numbers are
/// big-endian, and texts end with a zero byte.
package protocol TableKey: Hashable, Comparable, Sendable {
    func append(to bytes: inout Bytes)

    /// Decodes a key; nil if the bytes are none.
    init?(_ reader: inout KeyReader)

    /// Whether it may be longer than a database key can be.
    var isLong: Bool { get }
}

extension TableKey {
    package var isLong: Bool { false }

    /// The encoded key, with its table's name in front.
    func bytes(behind name: Bytes) -> Bytes {
        var bytes = Bytes()
        bytes.reserveCapacity(64)
        bytes.append(contentsOf: name)
        append(to: &bytes)
        return bytes
    }
}

/// A key of two parts.
package struct Pair<First: TableKey, Second: TableKey>: TableKey {
    package let first: First
    package let second: Second

    package init(_ first: First, _ second: Second) {
        self.first = first
        self.second = second
    }

    package static func < (left: Pair, right: Pair) -> Bool {
        left.first == right.first ? left.second < right.second : left.first < right.first
    }

    package func append(to bytes: inout Bytes) {
        first.append(to: &bytes)
        second.append(to: &bytes)
    }

    package init?(_ reader: inout KeyReader) {
        guard let first = First(&reader), let second = Second(&reader) else { return nil }
        self.init(first, second)
    }

    package var isLong: Bool { first.isLong || second.isLong }
}

/// The key of a table with a single row.
package struct OnlyKey: TableKey {
    package init() {}
    package static func < (left: OnlyKey, right: OnlyKey) -> Bool { false }
    package func append(to bytes: inout Bytes) {}
    package init?(_ reader: inout KeyReader) {}
}

/// A text in a key, compared by its bytes; Swift compares strings by canonical equivalence.
package struct KeyText: TableKey {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: KeyText, right: KeyText) -> Bool {
        Text.equal(left.text, right.text)
    }

    package static func < (left: KeyText, right: KeyText) -> Bool {
        Text.precedes(left.text, right.text)
    }

    package func hash(into hasher: inout Hasher) {
        let bytes = text.utf8.span
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    /// Appends the text's bytes and a zero byte. In the text, 0 is encoded as 1 1, and 1 as 1 2.
    package func append(to bytes: inout Bytes) {
        for byte in text.utf8 {
            if byte > 1 { bytes.append(byte) } else { bytes += [1, byte + 1] }
        }
        bytes.append(0)
    }

    package var isLong: Bool { text.utf8.count > 128 }

    package init?(_ reader: inout KeyReader) {
        guard let spelled = reader.bytesBeforeZero(), let text = Self.unescaped(spelled) else {
            return nil
        }
        self.text = text
    }

    private static func unescaped(_ spelled: ArraySlice<UInt8>) -> String? {
        guard spelled.contains(1) else { return Text.utf8String(spelled) }
        var bytes: Bytes = []
        var rest = spelled
        while let byte = rest.popFirst() {
            guard byte == 1 else {
                bytes.append(byte)
                continue
            }
            guard let escaped = rest.popFirst(), escaped == 1 || escaped == 2 else { return nil }
            bytes.append(escaped - 1)
        }
        return Text.utf8String(bytes)
    }
}

/// Bytes of any length at the end of a key: a script, or a transaction's id as displayed.
package struct KeyBytes: TableKey {
    package let bytes: Bytes
    /// The first eight bytes as a number, which tells most keys apart without access to the array.
    private let head: UInt64

    package init(_ bytes: Bytes) {
        self.bytes = bytes
        head = BigEndian.head(of: bytes.span)
    }

    package static func == (left: KeyBytes, right: KeyBytes) -> Bool {
        left.head == right.head && ByteOrder.areSame(left.bytes.span, right.bytes.span)
    }

    package static func < (left: KeyBytes, right: KeyBytes) -> Bool {
        left.head == right.head
            ? ByteOrder.precedes(left.bytes, right.bytes) : left.head < right.head
    }

    // Hashing an array would feed its bytes one by one.
    package func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    package func append(to bytes: inout Bytes) { bytes += self.bytes }

    package init?(_ reader: inout KeyReader) { self.init(Bytes(reader.remainder())) }

    package var isLong: Bool { bytes.count > 128 }
}

/// A SHA-256 digest in a key: 32 bytes.
package struct KeyDigest: TableKey {
    // Four numbers instead of an array, because keys are compared often.
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    package init(_ bytes: Bytes) {
        precondition(bytes.count == 32, "a digest in a key has 32 bytes")
        self.init(bytes.span)
    }

    private init(_ bytes: Span<UInt8>) {
        first = BigEndian.number(in: bytes, at: 0)
        second = BigEndian.number(in: bytes, at: 8)
        third = BigEndian.number(in: bytes, at: 16)
        fourth = BigEndian.number(in: bytes, at: 24)
    }

    package static func < (left: KeyDigest, right: KeyDigest) -> Bool {
        if left.first != right.first { return left.first < right.first }
        if left.second != right.second { return left.second < right.second }
        return (left.third, left.fourth) < (right.third, right.fourth)
    }

    package func append(to bytes: inout Bytes) {
        for number in [first, second, third, fourth] { BigEndian.append(number, to: &bytes) }
    }

    package init?(_ reader: inout KeyReader) {
        guard let bytes = reader.bytes(32) else { return nil }
        self.init(bytes.span)
    }
}

/// A set of keys that begin with the same parts.
package struct KeyPrefix<Key: TableKey> {
    /// The common prefix of the encoded keys.
    let bytes: Bytes
    let isAfter: (Key) -> Bool
    let holds: (Key) -> Bool

    /// The keys whose first parts are equal to `parts`.
    init<Part: TableKey>(_ parts: Part, _ partsOf: @escaping (Key) -> Part) {
        var bytes = Bytes()
        parts.append(to: &bytes)
        self.bytes = bytes
        isAfter = { partsOf($0) < parts }
        holds = { partsOf($0) == parts }
    }

    /// The keys with this first part.
    package static func first<First, Second>(_ first: First) -> KeyPrefix
    where Key == Pair<First, Second> {
        KeyPrefix(first) { $0.first }
    }
}

/// Decodes the parts of a key, in order.
package struct KeyReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// The remaining bytes.
    mutating func remainder() -> ArraySlice<UInt8> {
        defer { rest = [] }
        return rest
    }

    /// The bytes before the next zero byte, which is skipped.
    mutating func bytesBeforeZero() -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: 0) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end]
    }
}
