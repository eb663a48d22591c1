extension CBOR {
    /// The value's canonical encoding (RFC 8949, section 4.2.1).
    ///
    /// Integers and lengths have the shortest form, lengths are definite, and the keys of a map are
    /// sorted by the bytes of their encodings.
    package func encoded() -> Bytes {
        // Rows and events are kept: to the byte, and without growing on the way.
        Bytes(capacity: encodedLength) { encode(into: &$0, depth: 0) }
    }

    /// How many bytes `encoded` has.
    private var encodedLength: Int {
        switch self {
        case .unsigned(let value), .negative(let value): Self.headLength(value)
        case .bytes(let value): Self.headLength(UInt64(value.count)) + value.count
        case .text(let value): Self.headLength(UInt64(value.utf8.count)) + value.utf8.count
        case .array(let values):
            values.reduce(Self.headLength(UInt64(values.count))) { $0 + $1.encodedLength }
        case .map(let entries):
            entries.reduce(Self.headLength(UInt64(entries.count))) {
                $0 + $1.key.encodedLength + $1.value.encodedLength
            }
        case .bool, .null: 1
        }
    }

    private static func headLength(_ argument: UInt64) -> Int {
        switch argument {
        case 0..<24: 1
        case ...0xff: 2
        case ...0xffff: 3
        case ...0xffff_ffff: 5
        default: 9
        }
    }

    private func encode(into output: inout OutputSpan<UInt8>, depth: Int) {
        switch self {
        case .unsigned(let value): output.append(.unsigned, value)
        case .negative(let value): output.append(.negative, value)
        case .bytes(let value): output.append(.bytes, value.span)
        case .text(let value): output.append(.text, value.utf8.span)
        case .array(let values):
            Self.checkDepth(depth)
            output.append(.array, UInt64(values.count))
            for index in values.indices {
                values[index].encode(into: &output, depth: depth + 1)
            }
        case .map(let entries):
            Self.checkDepth(depth)
            output.append(.map, UInt64(entries.count))
            let entries = Self.sorted(entries)
            precondition(
                Self.isSorted(entries),
                "a map is written with each key once: who builds one names its fields by hand")
            for index in entries.indices {
                entries[index].key.encode(into: &output, depth: depth + 1)
                entries[index].value.encode(into: &output, depth: depth + 1)
            }
        case .bool(let value): output.append(value ? 0xf5 : 0xf4)
        case .null: output.append(0xf6)
        }
    }

    private static func checkDepth(_ depth: Int) {
        precondition(
            depth < maximumDepth,
            "records are flat by design: reading refuses more than sixteen levels")
    }

    /// A map's entries in the order of the encoding.
    static func sorted(_ entries: [Entry]) -> [Entry] {
        isSorted(entries) ? entries : entries.sorted { precedes($0.key, $1.key) }
    }

    /// Whether each key comes after the one before it.
    private static func isSorted(_ entries: [Entry]) -> Bool {
        entries.indices.dropFirst().allSatisfy {
            precedes(entries[$0 - 1].key, entries[$0].key)
        }
    }

    /// Whether the encoding of `left` comes bytewise before that of `right`.
    private static func precedes(_ left: CBOR, _ right: CBOR) -> Bool {
        switch (left, right) {
        case (.unsigned(let left), .unsigned(let right)):
            return left < right
        case (.text(let left), .text(let right)):
            // A shorter length has a smaller head, so that length decides before content.
            let (ours, theirs) = (left.utf8.count, right.utf8.count)
            return ours == theirs ? ByteOrder.precedes(left.utf8, right.utf8) : ours < theirs
        default:
            return ByteOrder.precedes(left.encoded(), right.encoded())
        }
    }
}

/// The major types of RFC 8949, section 3.1, that the log uses.
@usableFromInline
package enum MajorType: UInt8 {
    case unsigned = 0
    case negative = 1
    case bytes = 2
    case text = 3
    case array = 4
    case map = 5

    /// The bits that the first byte of a value has besides its number or length.
    ///
    /// Other modules would ask `rawValue` by a call.
    @inlinable @inline(__always)
    package var initial: UInt8 {
        switch self {
        case .unsigned: 0x00
        case .negative: 0x20
        case .bytes: 0x40
        case .text: 0x60
        case .array: 0x80
        case .map: 0xa0
        }
    }
}

extension OutputSpan<UInt8> {
    /// Appends a major type and its argument in the fewest bytes.
    @inlinable @inline(__always)
    package mutating func append(_ type: MajorType, _ argument: UInt64) {
        if argument < 24 {
            append(type.initial | UInt8(truncatingIfNeeded: argument))
        } else {
            appendLong(type.initial, argument)
        }
    }

    /// Appends a byte string or a text.
    @inlinable @inline(__always)
    package mutating func append(_ type: MajorType, _ content: Span<UInt8>) {
        append(type, UInt64(content.count))
        append(content)
    }

    /// Appends bytes at once: an output span takes only one at a time.
    @usableFromInline
    package mutating func append(_ bytes: Span<UInt8>) {
        precondition(bytes.count <= freeCapacity, "the length was counted before")
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let from = source.baseAddress else { return }
            unsafe withUnsafeMutableBufferPointer { buffer, count in
                guard let start = buffer.baseAddress else { return }
                unsafe (start + count).initialize(from: from, count: source.count)
                count += source.count
            }
        }
    }

    /// Appends a major type and an argument that follows the first byte.
    @usableFromInline
    mutating func appendLong(_ initial: UInt8, _ argument: UInt64) {
        let size =
            switch argument {
            case ...0xff: 1
            case ...0xffff: 2
            case ...0xffff_ffff: 4
            default: 8
            }
        append((initial | 24) + UInt8(truncatingIfNeeded: size.trailingZeroBitCount))
        unsafe withUnsafeBytes(of: argument.bigEndian) { bytes in
            append(unsafe Span<UInt8>(_bytes: bytes.bytes).extracting(last: size))
        }
    }
}
