/// A value in the log's format: deterministic CBOR, so that each value has one encoding.
///
/// It has the integers, byte and text strings, arrays, maps, booleans and null of RFC 8949.
/// Decoding refuses floats, tags, undefined and other simple values.
package enum CBOR: Sendable {
    /// An integer from zero up.
    case unsigned(UInt64)
    /// The integer `-1 - n`.
    case negative(UInt64)
    /// A byte string.
    case bytes(Bytes)
    /// A text string.
    case text(String)
    /// Values in order.
    case array([CBOR])
    /// Entries in any order; writing sorts them.
    case map([Entry])
    /// True or false.
    case bool(Bool)
    /// Null.
    case null

    /// A key of a map and its value.
    package struct Entry: Equatable, Sendable {
        /// The key.
        package var key: CBOR
        /// The value.
        package var value: CBOR

        /// An entry of a key and its value.
        package init(key: CBOR, value: CBOR) {
            self.key = key
            self.value = value
        }
    }

    /// How deep arrays and maps may be nested.
    package static let maximumDepth = 16
}

// MARK: - Creating values

extension CBOR {
    /// An integer of either sign.
    package static func int(_ value: Int64) -> CBOR {
        value < 0 ? .negative(UInt64(bitPattern: ~value)) : .unsigned(UInt64(value))
    }

    /// A map with text keys, without the fields whose value is nil.
    package static func record(_ fields: KeyValuePairs<String, CBOR?>) -> CBOR {
        var entries: [Entry] = []
        entries.reserveCapacity(fields.count)
        for (name, value) in fields {
            if let value { entries.append(Entry(key: .text(name), value: value)) }
        }
        return .map(entries)
    }
}

// MARK: - Reading values

extension CBOR {
    /// The integer, when it fits.
    package var intValue: Int64? {
        switch self {
        case .unsigned(let value): Int64(exactly: value)
        case .negative(let value): Int64(exactly: value).map(~)
        default: nil
        }
    }

    /// The integer from zero up.
    package var uintValue: UInt64? {
        if case .unsigned(let value) = self { value } else { nil }
    }

    /// The text.
    package var textValue: String? {
        if case .text(let value) = self { value } else { nil }
    }

    /// The bytes.
    package var bytesValue: Bytes? {
        if case .bytes(let value) = self { value } else { nil }
    }

    /// The values of an array.
    package var arrayValue: [CBOR]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The entries of a map.
    package var mapValue: [Entry]? {
        if case .map(let entries) = self { entries } else { nil }
    }

    /// The truth value.
    package var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// Whether this is null.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The value of a text key of a map.
    package subscript(key: String) -> CBOR? {
        guard case .map(let entries) = self else { return nil }
        // By index: a loop over entries would copy each value that is passed over.
        for index in entries.indices {
            if case .text(let name) = entries[index].key, Text.equal(name, key) {
                return entries[index].value
            }
        }
        return nil
    }

    /// The value of an integer key of a map.
    package subscript(key: UInt64) -> CBOR? {
        guard case .map(let entries) = self else { return nil }
        for index in entries.indices {
            if case .unsigned(key) = entries[index].key { return entries[index].value }
        }
        return nil
    }
}

// MARK: - Equality

extension CBOR: Equatable {
    /// Whether two values are the same; texts by their bytes, entries of maps in any order.
    package static func == (left: CBOR, right: CBOR) -> Bool {
        switch (left, right) {
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.negative(let left), .negative(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        case (.text(let left), .text(let right)): Text.equal(left, right)
        case (.array(let left), .array(let right)): left == right
        case (.map(let left), .map(let right)): sorted(left) == sorted(right)
        case (.bool(let left), .bool(let right)): left == right
        case (.null, .null): true
        default: false
        }
    }
}

/// Why bytes are not a value in the log's format, and where.
package struct CBORError: Error, Hashable, Sendable {
    /// The offset of the refused item.
    package let offset: Int
    /// The fault.
    package let reason: Reason

    /// An error at an offset.
    package init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    /// The faults of an item.
    package enum Reason: String, Sendable {
        case truncated = "ends in the middle of an item"
        case trailingBytes = "has bytes after the value"
        case notShortest = "an integer or a length is not in its shortest form"
        case indefiniteLength = "an indefinite length or a stray break"
        case reserved = "a reserved additional information"
        case float = "a floating point number"
        case tag = "a tag"
        case simple = "a simple value other than false, true and null"
        case keyOrder = "a map's keys are not in order"
        case duplicateKey = "a map has a key twice"
        case invalidUTF8 = "a text is not UTF-8"
        case tooDeep = "more than 16 levels of arrays and maps"
    }
}

extension CBORError: CustomStringConvertible {
    /// The reason and the place, for people.
    package var description: String { "cbor at byte \(offset): \(reason.rawValue)" }
}

extension CBOR {
    /// Decodes a value; refuses other encodings than its canonical one, and trailing bytes.
    package static func decode(_ bytes: Bytes) throws(CBORError) -> CBOR {
        try EncodedCBOR(bytes).value
    }
}

/// The head of an item: its major type, and its number, length or count.
package struct CBORHead {
    /// The offset of the item.
    package let start: Int
    /// The first byte: the major type and the length of the argument.
    let initial: UInt8
    let argument: UInt64
    /// The offset after the head.
    let end: Int

    /// The head of an item that was checked before.
    @inline(__always)
    init(_ bytes: Span<UInt8>, at start: Int) {
        self.start = start
        initial = bytes[start]
        let information = initial & 0x1f
        guard information >= 24 else {
            argument = UInt64(information)
            end = start + 1
            return
        }
        let size = 1 << Int(information & 3)
        end = start + 1 + size
        argument = Self.number(bytes, at: start + 1, size: size)
    }

    /// The number in one, two, four or eight bytes.
    @inline(__always)
    static func number(_ bytes: Span<UInt8>, at start: Int, size: Int) -> UInt64 {
        if bytes.count - start >= 8 {
            // All eight are there, of which the first count; any bits are a number.
            let word = unsafe bytes.bytes.unsafeLoadUnaligned(
                fromByteOffset: start, as: UInt64.self)
            return UInt64(bigEndian: word) >> UInt64(64 - 8 * size)
        }
        var number: UInt64 = 0
        for index in start..<(start + size) { number = number << 8 | UInt64(bytes[index]) }
        return number
    }

    /// Reads the head of an item; refuses one that could be shorter.
    init(checking bytes: Span<UInt8>, at start: Int) throws(CBORError) {
        guard start < bytes.count else { throw CBORError(offset: start, reason: .truncated) }
        try Self.check(bytes[start], bytes, at: start)
        self.init(bytes, at: start)
        let size = end - start - 1
        guard size == 0 || Self.isShortest(argument, size: size) else {
            throw CBORError(offset: start, reason: .notShortest)
        }
    }

    /// Whether an argument that follows the first byte needs so many bytes.
    @inline(__always)
    static func isShortest(_ argument: UInt64, size: Int) -> Bool {
        // One more bit than half the size could hold must be set, and below 24 nothing follows.
        size == 1 ? argument >= 24 : argument >> UInt64(4 * size) != 0
    }

    /// How many bytes or items follow, where the argument says that and was checked.
    @inline(__always)
    var count: Int { Int(argument) }

    /// The major type; nil for a simple value.
    @inline(__always)
    var type: MajorType? { MajorType(rawValue: initial >> 5) }

    /// Whether it is an item of a major type.
    @inline(__always)
    func isOf(_ type: MajorType) -> Bool { initial >> 5 == type.rawValue }

    /// Whether it is the head of a map.
    package var isMap: Bool { isOf(.map) }

    /// The integer from zero up.
    package var uintValue: UInt64? { isOf(.unsigned) ? argument : nil }

    /// The integer, when it fits.
    package var intValue: Int64? {
        if isOf(.unsigned) { return Int64(exactly: argument) }
        return isOf(.negative) ? Int64(exactly: argument).map(~) : nil
    }

    /// The truth value.
    package var boolValue: Bool? {
        switch initial {
        case 0xf4: false
        case 0xf5: true
        default: nil
        }
    }

    /// The range of a byte string's content.
    package var bytesRange: Range<Int>? { isOf(.bytes) ? end..<(end + count) : nil }

    /// The range of a text string's content.
    package var textRange: Range<Int>? { isOf(.text) ? end..<(end + count) : nil }

    /// Checks a first byte: its type, and that the argument is there.
    private static func check(
        _ initial: UInt8, _ bytes: Span<UInt8>, at start: Int
    ) throws(CBORError) {
        let reason: CBORError.Reason
        switch (initial, initial & 0x1f) {
        case (0xf4...0xf6, _), (..<0xc0, ..<24): return
        case (0xc0..<0xe0, _): reason = .tag
        case (0xf9...0xfb, _): reason = .float
        case (_, 31): reason = .indefiniteLength
        case (_, 28...): reason = .reserved
        case (0xe0..., _): reason = .simple
        case (_, let information):
            if bytes.count - start > 1 << Int(information - 24) { return }
            reason = .truncated
        }
        throw CBORError(offset: start, reason: reason)
    }
}
