extension CBOR {
    /// The value's one spelling (RFC 8949, section 4.2.1).
    ///
    /// Integers and lengths are as short as they can be, lengths definite, and the keys of a map
    /// in the order of their encodings' bytes.
    package func encoded() -> Bytes {
        var output = Bytes()
        // Rows and events are kept: to the byte, and without growing on the way.
        output.reserveCapacity(encodedLength)
        encode(into: &output, depth: 0)
        return output
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

    /// Appends the value's one spelling to `output`.
    package func encode(into output: inout Bytes) {
        encode(into: &output, depth: 0)
    }

    private func encode(into output: inout Bytes, depth: Int) {
        switch self {
        case .unsigned(let value): Self.appendHead(.unsigned, value, to: &output)
        case .negative(let value): Self.appendHead(.negative, value, to: &output)
        case .bytes(let value):
            Self.appendHead(.bytes, UInt64(value.count), to: &output)
            output.append(contentsOf: value)
        case .text(let value):
            Self.appendHead(.text, UInt64(value.utf8.count), to: &output)
            output.append(contentsOf: value.utf8)
        case .array(let values):
            Self.checkDepth(depth)
            Self.appendHead(.array, UInt64(values.count), to: &output)
            for value in values { value.encode(into: &output, depth: depth + 1) }
        case .map(let entries):
            Self.checkDepth(depth)
            Self.appendHead(.map, UInt64(entries.count), to: &output)
            let sorted = Self.sorted(entries)
            for index in sorted.indices {
                precondition(
                    index == 0 || Self.precedes(sorted[index - 1].key, sorted[index].key),
                    "a map is written with each key once: who builds one names its fields by hand")
                sorted[index].key.encode(into: &output, depth: depth + 1)
                sorted[index].value.encode(into: &output, depth: depth + 1)
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

    /// A map's entries in the order in which they are written.
    static func sorted(_ entries: [Entry]) -> [Entry] {
        for index in entries.indices.dropFirst()
        where !precedes(entries[index - 1].key, entries[index].key) {
            return entries.sorted { precedes($0.key, $1.key) }
        }
        return entries
    }

    /// Whether the encoding of `left` comes bytewise before that of `right`.
    private static func precedes(_ left: CBOR, _ right: CBOR) -> Bool {
        switch (left, right) {
        case (.unsigned(let left), .unsigned(let right)):
            return left < right
        case (.text(let left), .text(let right)):
            // A shorter length has a smaller head, so that length decides before content.
            let (ours, theirs) = (left.utf8.count, right.utf8.count)
            return ours == theirs ? left.utf8.lexicographicallyPrecedes(right.utf8) : ours < theirs
        default:
            return ByteOrder.precedes(left.encoded(), right.encoded())
        }
    }

    /// Appends a major type and its argument in the fewest bytes.
    private static func appendHead(_ type: Major, _ argument: UInt64, to output: inout Bytes) {
        let type = type.rawValue << 5
        let size: Int
        switch argument {
        case 0..<24:
            output.append(type | UInt8(truncatingIfNeeded: argument))
            return
        case ...0xff:
            output.append(type | 24)
            size = 1
        case ...0xffff:
            output.append(type | 25)
            size = 2
        case ...0xffff_ffff:
            output.append(type | 26)
            size = 4
        default:
            output.append(type | 27)
            size = 8
        }
        for index in (0..<size).reversed() {
            output.append(UInt8(truncatingIfNeeded: argument >> UInt64(8 * index)))
        }
    }

    /// The major types of RFC 8949, section 3.1, that the log uses.
    enum Major: UInt8 {
        case unsigned = 0
        case negative = 1
        case bytes = 2
        case text = 3
        case array = 4
        case map = 5
    }
}
