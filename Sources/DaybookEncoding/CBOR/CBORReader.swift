/// A cursor over canonical CBOR: what decoding a value is built on.
///
/// Code that reads many records takes what it needs with it and skips the rest. A reader holds
/// its input to the one spelling of each item that it passes; only a map's keys are compared
/// where they are walked, by `skip()` and `value()`.
package struct CBORReader {
    private let bytes: Bytes
    private let end: Int

    /// The offset of the next item.
    package private(set) var offset: Int

    /// A reader at the start of `bytes`.
    package init(_ bytes: Bytes) {
        self.bytes = bytes
        offset = 0
        end = bytes.count
    }

    /// Whether there is nothing left.
    package var isAtEnd: Bool { offset == end }

    /// Refuses anything that is left.
    package func finish() throws(CBORError) {
        guard isAtEnd else { throw CBORError(offset: offset, reason: .trailingBytes) }
    }

    /// Reads an integer from zero up.
    package mutating func unsigned() throws(CBORError) -> UInt64 {
        try argument(of: .unsigned)
    }

    /// Reads an integer that fits 64 bits with a sign.
    package mutating func int() throws(CBORError) -> Int64 {
        let start = offset
        let head = try head()
        let magnitude = Int64(exactly: head.argument)
        switch (head.type, magnitude) {
        case (.major(.unsigned), let value?): return value
        case (.major(.negative), let value?): return ~value
        default: throw CBORError(offset: start, reason: .otherType)
        }
    }

    /// Reads a byte string.
    package mutating func byteString() throws(CBORError) -> Bytes {
        let start = offset
        let range = try content(try argument(of: .bytes), start: start)
        return Bytes(bytes[range])
    }

    /// Reads a text string.
    package mutating func text() throws(CBORError) -> String {
        let start = offset
        return try text(try argument(of: .text), start: start)
    }

    /// Reads the head of an array: how many values follow.
    package mutating func arrayCount() throws(CBORError) -> Int {
        let start = offset
        return try count(try argument(of: .array), itemsEach: 1, start: start)
    }

    /// Reads the head of a map: how many keys, each with its value, follow.
    package mutating func mapCount() throws(CBORError) -> Int {
        let start = offset
        return try count(try argument(of: .map), itemsEach: 2, start: start)
    }

    /// Reads a truth value.
    package mutating func bool() throws(CBORError) -> Bool {
        let start = offset
        switch try head().type {
        case .bool(let value): return value
        default: throw CBORError(offset: start, reason: .otherType)
        }
    }

    /// Passes over null and says so, or stays where it is.
    package mutating func null() -> Bool {
        guard offset < end, bytes[offset] == 0xf6 else { return false }
        offset += 1
        return true
    }

    /// Reads the next item whole, whatever it is.
    package mutating func value() throws(CBORError) -> CBOR {
        try value(depth: 0)
    }

    /// Passes over the next item, checked as if it had been read, and returns where it lies.
    @discardableResult
    package mutating func skip() throws(CBORError) -> Range<Int> {
        let start = offset
        try skip(depth: 0)
        return start..<offset
    }
}

// MARK: - Items within items

extension CBORReader {
    private mutating func value(depth: Int) throws(CBORError) -> CBOR {
        let start = offset
        let head = try head()
        switch head.type {
        case .bool(let value): return .bool(value)
        case .null: return .null
        case .major(.unsigned): return .unsigned(head.argument)
        case .major(.negative): return .negative(head.argument)
        case .major(.bytes):
            let range = try content(head.argument, start: start)
            return .bytes(Bytes(bytes[range]))
        case .major(.text):
            return .text(try text(head.argument, start: start))
        case .major(.array):
            let count = try nested(head.argument, itemsEach: 1, depth: depth, start: start)
            var values: [CBOR] = []
            values.reserveCapacity(count)
            for _ in 0..<count { values.append(try value(depth: depth + 1)) }
            return .array(values)
        case .major(.map):
            let count = try nested(head.argument, itemsEach: 2, depth: depth, start: start)
            var entries: [CBOR.Entry] = []
            entries.reserveCapacity(count)
            var lastKey: Range<Int>?
            for _ in 0..<count {
                let keyStart = offset
                let key = try value(depth: depth + 1)
                try checkOrder(after: lastKey, of: keyStart..<offset)
                lastKey = keyStart..<offset
                entries.append(CBOR.Entry(key: key, value: try value(depth: depth + 1)))
            }
            return .map(entries)
        }
    }

    private mutating func skip(depth: Int) throws(CBORError) {
        let start = offset
        let head = try head()
        switch head.type {
        case .bool, .null, .major(.unsigned), .major(.negative): break
        case .major(.bytes): _ = try content(head.argument, start: start)
        case .major(.text): _ = try text(head.argument, start: start)
        case .major(.array):
            let count = try nested(head.argument, itemsEach: 1, depth: depth, start: start)
            for _ in 0..<count { try skip(depth: depth + 1) }
        case .major(.map):
            let count = try nested(head.argument, itemsEach: 2, depth: depth, start: start)
            var lastKey: Range<Int>?
            for _ in 0..<count {
                let keyStart = offset
                try skip(depth: depth + 1)
                try checkOrder(after: lastKey, of: keyStart..<offset)
                lastKey = keyStart..<offset
                try skip(depth: depth + 1)
            }
        }
    }

    private func nested(
        _ count: UInt64, itemsEach: Int, depth: Int, start: Int
    ) throws(CBORError) -> Int {
        guard depth < CBOR.maximumDepth else { throw CBORError(offset: start, reason: .tooDeep) }
        return try self.count(count, itemsEach: itemsEach, start: start)
    }

    /// Checks that a key comes after the one before it, by their bytes as they stand.
    private func checkOrder(after last: Range<Int>?, of key: Range<Int>) throws(CBORError) {
        guard let last else { return }
        let common = ByteOrder.commonPrefix(
            bytes.span.extracting(last), bytes.span.extracting(key))
        if common < key.count,
            common == last.count || bytes[last.lowerBound + common] < bytes[key.lowerBound + common]
        { return }
        let isSame = common == key.count && common == last.count
        throw CBORError(offset: key.lowerBound, reason: isSame ? .duplicateKey : .keyOrder)
    }
}

// MARK: - Heads and contents

extension CBORReader {
    /// What the first byte of an item says that it is.
    private enum Kind {
        case major(CBOR.Major)
        case bool(Bool)
        case null
    }

    private mutating func argument(of type: CBOR.Major) throws(CBORError) -> UInt64 {
        let start = offset
        let head = try head()
        guard case .major(type) = head.type else {
            throw CBORError(offset: start, reason: .otherType)
        }
        return head.argument
    }

    /// Reads an item's first byte and its argument.
    private mutating func head() throws(CBORError) -> (type: Kind, argument: UInt64) {
        guard offset < end else { throw CBORError(offset: offset, reason: .truncated) }
        let initial = bytes[offset]
        guard let major = CBOR.Major(rawValue: initial >> 5) else {
            return (try simple(initial), 0)
        }
        let start = offset
        let information = initial & 0x1f
        guard information >= 24 else {
            offset += 1
            return (.major(major), UInt64(information))
        }
        guard information <= 27 else {
            throw CBORError(
                offset: start, reason: information == 31 ? .indefiniteLength : .reserved)
        }
        let size = 1 << Int(information - 24)
        guard end - offset > size else { throw CBORError(offset: start, reason: .truncated) }
        var argument: UInt64 = 0
        for index in 1...size { argument = argument << 8 | UInt64(bytes[offset + index]) }
        // One more bit than half the size could hold must be set, and below 24 nothing follows.
        let isShortest = size == 1 ? argument >= 24 : argument >> UInt64(4 * size) != 0
        guard isShortest else { throw CBORError(offset: start, reason: .notShortest) }
        offset += 1 + size
        return (.major(major), argument)
    }

    /// Reads an item of major type 7, or refuses it and major type 6.
    private mutating func simple(_ initial: UInt8) throws(CBORError) -> Kind {
        let reason: CBORError.Reason
        switch initial {
        case 0xf4, 0xf5:
            offset += 1
            return .bool(initial == 0xf5)
        case 0xf6:
            offset += 1
            return .null
        case ..<0xe0: reason = .tag
        case 0xf9...0xfb: reason = .float
        case 0xfc...0xfe: reason = .reserved
        case 0xff: reason = .indefiniteLength
        default: reason = .simple
        }
        throw CBORError(offset: offset, reason: reason)
    }

    private mutating func text(_ length: UInt64, start: Int) throws(CBORError) -> String {
        let range = try content(length, start: start)
        do {
            return String(copying: try UTF8Span(validating: bytes.span.extracting(range)))
        } catch {
            throw CBORError(offset: start, reason: .invalidUTF8)
        }
    }

    /// Passes over a string's content and returns where it lies.
    private mutating func content(
        _ length: UInt64, start: Int
    ) throws(CBORError) -> Range<Int> {
        guard length <= UInt64(end - offset) else {
            throw CBORError(offset: start, reason: .truncated)
        }
        let range = offset..<(offset + Int(length))
        offset = range.upperBound
        return range
    }

    /// A count of items, each of which takes a byte at least: more than that are not there.
    private func count(
        _ count: UInt64, itemsEach: Int, start: Int
    ) throws(CBORError) -> Int {
        guard count <= UInt64((end - offset) / itemsEach) else {
            throw CBORError(offset: start, reason: .truncated)
        }
        return Int(count)
    }
}
