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
        case .unsigned(let value): Self.appendHead(.unsigned, value, to: &output)
        case .negative(let value): Self.appendHead(.negative, value, to: &output)
        case .bytes(let value):
            Self.appendHead(.bytes, UInt64(value.count), to: &output)
            Self.append(value.span, to: &output)
        case .text(let value):
            let text = value.utf8.span
            Self.appendHead(.text, UInt64(text.count), to: &output)
            Self.append(text, to: &output)
        case .array(let values):
            Self.checkDepth(depth)
            Self.appendHead(.array, UInt64(values.count), to: &output)
            for index in values.indices {
                values[index].encode(into: &output, depth: depth + 1)
            }
        case .map(let entries):
            Self.checkDepth(depth)
            Self.appendHead(.map, UInt64(entries.count), to: &output)
            let order = Self.isSorted(entries) ? nil : Self.orderOnce(entries)
            for place in entries.indices {
                let index = order?[place] ?? place
                entries[index].key.encode(into: &output, depth: depth + 1)
                entries[index].value.encode(into: &output, depth: depth + 1)
            }
        case .bool(let value): output.append(value ? 0xf5 : 0xf4)
        case .null: output.append(0xf6)
        }
    }

    /// Appends bytes at once: an output span takes only one at a time.
    package static func append(_ bytes: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
        precondition(bytes.count <= output.freeCapacity, "the length was counted before")
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let from = source.baseAddress else { return }
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                guard let start = buffer.baseAddress else { return }
                unsafe (start + count).initialize(from: from, count: source.count)
                count += source.count
            }
        }
    }

    private static func checkDepth(_ depth: Int) {
        precondition(
            depth < maximumDepth,
            "records are flat by design: reading refuses more than sixteen levels")
    }

    /// A map's entries in the order of the encoding.
    static func sorted(_ entries: [Entry]) -> [Entry] {
        isSorted(entries) ? entries : order(entries).map { entries[$0] }
    }

    /// The indexes of a map's entries in the order of the encoding.
    private static func order(_ entries: [Entry]) -> [Int] {
        // Sorting indexes avoids the reference counting of moving entries.
        var order = Array(entries.indices)
        guard entries.count <= mostInserted else {
            return order.sorted { precedes(entries[$0].key, entries[$1].key) }
        }
        for end in entries.indices.dropFirst() {
            var index = end
            while index > 0, precedes(entries[order[index]].key, entries[order[index - 1]].key) {
                order.swapAt(index, index - 1)
                index -= 1
            }
        }
        return order
    }

    /// Rows have a dozen fields, which are sorted faster by hand; text of others may have many.
    private static let mostInserted = 32

    /// The same of a map that is written, which has each key once.
    private static func orderOnce(_ entries: [Entry]) -> [Int] {
        let order = order(entries)
        precondition(
            isSorted(entries, in: order),
            "a map is written with each key once: who builds one names its fields by hand")
        return order
    }

    /// Whether each key comes after the one before it, as they are or in another order.
    private static func isSorted(_ entries: [Entry], in order: [Int]? = nil) -> Bool {
        var last: Int?
        for place in entries.indices {
            let index = order?[place] ?? place
            if let last, !precedes(entries[last].key, entries[index].key) { return false }
            last = index
        }
        return true
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

    static func appendHead(
        _ type: Major, _ argument: UInt64, to output: inout OutputSpan<UInt8>
    ) {
        appendHead(type.rawValue << 5, argument, to: &output)
    }

    /// Appends a major type, as the bits of the first byte, and its argument in the fewest bytes.
    package static func appendHead(
        _ type: UInt8, _ argument: UInt64, to output: inout OutputSpan<UInt8>
    ) {
        let size: Int
        switch argument {
        case 0..<24:
            output.append(type | UInt8(truncatingIfNeeded: argument))
            return
        case ...0xff: size = 1
        case ...0xffff: size = 2
        case ...0xffff_ffff: size = 4
        default: size = 8
        }
        output.append((type | 24) + UInt8(truncatingIfNeeded: size.trailingZeroBitCount))
        unsafe withUnsafeBytes(of: argument.bigEndian) { bytes in
            let last = unsafe Span<UInt8>(_bytes: bytes.bytes).extracting(last: size)
            append(last, to: &output)
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
