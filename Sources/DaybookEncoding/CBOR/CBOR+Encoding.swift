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
    fileprivate var encodedLength: Int {
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

    fileprivate func encode(into output: inout OutputSpan<UInt8>, depth: Int) {
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
    fileprivate static func append(_ bytes: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
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

    /// Appends a major type and its argument in the fewest bytes.
    fileprivate static func appendHead(
        _ type: Major, _ argument: UInt64, to output: inout OutputSpan<UInt8>
    ) {
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

/// Writes an envelope: a map whose keys are integers below 24, in ascending order.
///
/// Events are written by it, field by field: to make a tree of values first would take most of
/// the time of an append (`tools/bench batch`).
package struct EnvelopeWriter: ~Copyable {
    private var bytes: Bytes = []
    private let data: CBOR
    private let dataLength: Int

    /// A writer of so many fields: texts and byte strings of a length, numbers, and then data.
    package init(fields: Int, strings: Int, data: CBOR) {
        self.data = data
        dataLength = data.encodedLength
        bytes.reserveCapacity(Self.usualRest + strings + dataLength)
        bytes.append(CBOR.Major.map.rawValue << 5 | UInt8(fields))
    }

    /// The bytes of an event's keys, numbers and heads of strings; more are rare.
    private static let usualRest = 56

    /// Writes a number, if there is one.
    package mutating func add(_ key: UInt64, _ number: UInt64?) {
        guard let number else { return }
        addHead(key, .unsigned, number)
    }

    /// Writes a text, and returns where it is.
    package mutating func add(_ key: UInt64, _ text: String) -> Range<Int> {
        let text = text.utf8.span
        addHead(key, .text, UInt64(text.count))
        return add(text)
    }

    /// Writes a byte string, and returns where it is.
    package mutating func add(_ key: UInt64, _ string: Bytes) -> Range<Int> {
        addHead(key, .bytes, UInt64(string.count))
        return add(string.span)
    }

    /// Writes the data, which is the last field, and returns it within the bytes of all.
    package consuming func addData(_ key: UInt64) -> EncodedCBOR {
        bytes.append(UInt8(key))
        let start = bytes.count
        let data = data
        bytes.append(addingCapacity: dataLength) { data.encode(into: &$0, depth: 1) }
        return EncodedCBOR(bytes, at: start)
    }

    private mutating func addHead(_ key: UInt64, _ type: CBOR.Major, _ argument: UInt64) {
        bytes.append(addingCapacity: 10) { output in
            output.append(UInt8(key))
            CBOR.appendHead(type, argument, to: &output)
        }
    }

    private mutating func add(_ string: Span<UInt8>) -> Range<Int> {
        let start = bytes.count
        bytes.append(addingCapacity: string.count) { CBOR.append(string, to: &$0) }
        return start..<bytes.count
    }
}
