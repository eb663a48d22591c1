/// The beginning of an item: what it is, and its number, length or count.
package struct CBORHead {
    /// Where the item begins.
    let start: Int
    /// The first byte: the major type and how long the argument is.
    let initial: UInt8
    let argument: UInt64
    /// The offset of what follows.
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

    /// The number that one, two, four or eight bytes spell.
    @inline(__always)
    private static func number(_ bytes: Span<UInt8>, at start: Int, size: Int) -> UInt64 {
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

    /// The head of an item; refuses what is none, and one that could be shorter.
    @inline(__always)
    init(checking bytes: Span<UInt8>, at start: Int) throws(CBORError) {
        guard start < bytes.count else { throw CBORError(offset: start, reason: .truncated) }
        let initial = bytes[start]
        let information = initial & 0x1f
        if information >= 24 || initial >= 0xc0 {
            try Self.check(initial, bytes, at: start)
        }
        self.init(bytes, at: start)
        if !isShortest { throw CBORError(offset: start, reason: .notShortest) }
    }

    /// Whether the argument could not be spelled in fewer bytes.
    @inline(__always)
    var isShortest: Bool {
        // One more bit than half the size could hold must be set, and below 24 nothing follows.
        let size = end - start - 1
        return size == 1 ? argument >= 24 : size == 0 || argument >> UInt64(4 * size) != 0
    }

    /// How many bytes or items follow, where the argument says that and was checked.
    @inline(__always)
    var count: Int { Int(argument) }

    /// The major type; nil for a simple value.
    @inline(__always)
    var type: CBOR.Major? { CBOR.Major(rawValue: initial >> 5) }

    /// Whether it is an item of a major type.
    @inline(__always)
    func isOf(_ type: CBOR.Major) -> Bool { initial >> 5 == type.rawValue }

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

    /// Where the bytes lie that are the value.
    package var bytesRange: Range<Int>? { isOf(.bytes) ? end..<(end + count) : nil }

    /// Where the text lies that is the value.
    package var textRange: Range<Int>? { isOf(.text) ? end..<(end + count) : nil }

    /// Checks a first byte after which an argument must follow, or which is of no major type.
    private static func check(
        _ initial: UInt8, _ bytes: Span<UInt8>, at start: Int
    ) throws(CBORError) {
        let reason: CBORError.Reason
        switch (initial, initial & 0x1f) {
        case (0xf4...0xf6, _): return
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
