import DaybookEncoding

/// Reads fields from canonical bytes in one pass, if they are the expected ones in their order.
///
/// It checks what it reads. Whatever else it meets ends the reading without a reason, which
/// `Fields` finds.
package struct FieldReader: FieldCoder {
    let bytes: Bytes
    /// The offset of what is read next.
    private(set) var next: Int
    /// How many entries of the map that is being read are left.
    private var left = 0

    init(_ bytes: Bytes, at start: Int) {
        self.bytes = bytes
        next = start
    }

    package func wrong(_ name: StaticString, _ expected: String) -> Unexpected { .value }

    @inline(__always)
    package mutating func optional<Value: RecordedValue>(
        _ name: StaticString, _ value: Value?
    ) throws(Unexpected) -> Value? {
        take(name) ? try Value(&self) : nil
    }

    package mutating func optionalMap<Value: Recorded>(
        _ name: StaticString, _ value: Value?
    ) throws(Unexpected) -> Value? {
        take(name) ? try map(value) : nil
    }

    package mutating func list<Item: Recorded>(
        _ name: StaticString, _ items: [Item]?
    ) throws(Unexpected) -> [Item] {
        guard take(name) else { return [] }
        let count = try listCount()
        var items: [Item] = []
        items.reserveCapacity(min(count, Self.mostReserved))
        for _ in 0..<count { items.append(try map(nil)) }
        return items
    }

    package mutating func values<Value: RecordedValue>(
        _ name: StaticString, _ values: [Value]?
    ) throws(Unexpected) -> [Value] {
        guard take(name) else { return [] }
        let count = try listCount()
        var values: [Value] = []
        values.reserveCapacity(min(count, Self.mostReserved))
        for _ in 0..<count { values.append(try Value(&self)) }
        return values
    }

    /// Whatever bytes say of a list's length, memory is reserved for no more items.
    private static let mostReserved = 256

    package mutating func lines(
        _ name: StaticString, _ lines: RecordedLines?
    ) throws(Unexpected) -> RecordedLines {
        guard take(name) else { return .made([]) }
        let list = EncodedCBOR(bytes, at: next)
        for _ in 0..<(try listCount()) {
            guard try count(.array) == 2 else { throw .value }
            for _ in 0..<2 {
                let text = try range(.text)
                guard EncodedCBOR.isUTF8(bytes.span.extracting(text)) else { throw .value }
            }
        }
        return .recorded(list)
    }

    /// Reads a map, all of whose fields the value must have.
    mutating func map<Value: Recorded>(_ value: Value?) throws(Unexpected) -> Value {
        let outer = left
        left = try count(.map)
        let value = try Value(value, by: &self)
        guard left == 0 else { throw .value }
        left = outer
        return value
    }

    private mutating func listCount() throws(Unexpected) -> Int {
        let count = try count(.array)
        guard count > 0 else { throw .value }
        return count
    }
}

// MARK: - Names and heads

extension FieldReader {
    /// Reads the name of the next field, if it is this one.
    @inline(__always)
    private mutating func take(_ name: StaticString) -> Bool {
        let count = name.utf8CodeUnitCount
        let start = next &+ 1
        guard left > 0, bytes.count &- start >= count,
            bytes[next] == Major.text.initial | UInt8(truncatingIfNeeded: count),
            isThere(name, at: start)
        else { return false }
        next = start &+ count
        left &-= 1
        return true
    }

    /// Whether a name is what lies at an offset; so many bytes are there.
    @inline(__always)
    private func isThere(_ name: StaticString, at start: Int) -> Bool {
        // The compiler knows the name: of these loops, a few comparisons with numbers are left.
        let name = unsafe UnsafeRawBufferPointer(
            start: name.utf8Start, count: name.utf8CodeUnitCount)
        let found = unsafe bytes.span.bytes
        var index = 0
        // The loads are in bounds, and any bits are a number.
        while name.count &- index >= 8 {
            let here = unsafe found.unsafeLoadUnaligned(
                fromUncheckedByteOffset: start &+ index, as: UInt64.self)
            let wanted = unsafe name.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            if here != wanted { return false }
            index &+= 8
        }
        if name.count &- index >= 4 {
            let here = unsafe found.unsafeLoadUnaligned(
                fromUncheckedByteOffset: start &+ index, as: UInt32.self)
            let wanted = unsafe name.loadUnaligned(fromByteOffset: index, as: UInt32.self)
            if here != wanted { return false }
            index &+= 4
        }
        while index < name.count {
            let here = unsafe found.unsafeLoadUnaligned(
                fromUncheckedByteOffset: start &+ index, as: UInt8.self)
            if unsafe here != name[index] { return false }
            index &+= 1
        }
        return true
    }

    /// Whether the next value is of a major type.
    func isNext(_ type: Major) -> Bool {
        next < bytes.count && bytes[next] & 0xe0 == type.initial
    }

    /// The argument of the next value: its number, length or count.
    @inline(__always)
    mutating func argument(_ type: Major) throws(Unexpected) -> UInt64 {
        guard next < bytes.count else { throw .kind }
        let short = bytes[next] ^ type.initial
        if short < 24 {
            next &+= 1
            return UInt64(short)
        }
        var end = next
        guard let long = EncodedCBOR.longArgument(type.initial, in: bytes.span, at: &end) else {
            throw .kind
        }
        next = end
        return long
    }

    /// A length or a count, of no more bytes than there are.
    @inline(__always)
    mutating func count(_ type: Major) throws(Unexpected) -> Int {
        let count = try argument(type)
        guard count <= UInt64(bytes.count &- next) else { throw .value }
        return Int(truncatingIfNeeded: count)
    }

    /// The range of a byte string or of a text, which is not checked to be UTF-8.
    @inline(__always)
    mutating func range(_ type: Major) throws(Unexpected) -> Range<Int> {
        let count = try count(type)
        let start = next
        next = start &+ count
        return start..<next
    }

    mutating func byteString() throws(Unexpected) -> Bytes {
        let range = try range(.bytes)
        let content = bytes.span.extracting(range)
        return unsafe content.withUnsafeBufferPointer { unsafe Bytes($0) }
    }

    mutating func text() throws(Unexpected) -> String {
        let range = try range(.text)
        guard let text = Text.utf8String(bytes.span.extracting(range)) else { throw .value }
        return text
    }

    /// True or false.
    mutating func flag() throws(Unexpected) -> Bool {
        guard next < bytes.count, bytes[next] & 0xfe == 0xf4 else { throw .kind }
        next += 1
        return bytes[next - 1] == 0xf5
    }
}

/// The major types of CBOR (RFC 8949, section 3.1) of recorded values.
///
/// They are not `CBOR.Major`, of which another module would ask each number by a call.
enum Major {
    case unsigned, negative, bytes, text, array, map

    /// The bits that the first byte of a value has besides its number or length.
    @inline(__always)
    var initial: UInt8 {
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

/// Why a value is not the one that a reader expected.
package enum Unexpected: Error {
    /// It is of another kind, or not there.
    case kind
    /// It is of this kind, but not a possible value.
    case value
}
