/// An array of bytes.
package typealias Bytes = [UInt8]

extension Span<UInt8> {
    /// A copy of the bytes.
    package var copied: Bytes { unsafe withUnsafeBufferPointer { unsafe Bytes($0) } }

    /// The text whose UTF-8 the bytes are, which was checked before.
    package var text: String {
        unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

/// Encodes unsigned integers in big-endian bytes, whose order is that of the numbers.
package enum BigEndian {
    /// The eight bytes of a number.
    package static func bytes(_ number: UInt64) -> Bytes {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe Bytes($0) }
    }

    /// The four bytes of a number.
    package static func fourBytes(_ number: UInt32) -> Bytes {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe Bytes($0) }
    }

    /// Appends the eight bytes of a number.
    package static func append(_ number: UInt64, to bytes: inout Bytes) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends the four bytes of a number.
    package static func append(_ number: UInt32, to bytes: inout Bytes) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    // These are not generic, because other modules would get only the slow unspecialized form.

    /// The number in at most eight bytes.
    package static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        let bytes = bytes.span
        var number: UInt64 = 0
        for index in bytes.indices { number = number << 8 | UInt64(bytes[index]) }
        return number
    }

    /// The number in at most four bytes.
    package static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        let bytes = bytes.span
        var number: UInt32 = 0
        for index in bytes.indices { number = number << 8 | UInt32(bytes[index]) }
        return number
    }

    /// The number in the eight bytes at an offset.
    package static func number(in bytes: Span<UInt8>, at offset: Int) -> UInt64 {
        // The load is checked to be in bounds, and any bits are a number.
        let number = unsafe bytes.bytes.unsafeLoadUnaligned(
            fromByteOffset: offset, as: UInt64.self)
        return UInt64(bigEndian: number)
    }

    /// The first eight bytes as a number; zeros stand for missing ones.
    ///
    /// Of two byte strings, the one with the smaller number comes first.
    package static func head(of bytes: Span<UInt8>) -> UInt64 {
        if bytes.count >= 8 { return number(in: bytes, at: 0) }
        var head: UInt64 = 0
        for index in bytes.indices { head |= UInt64(bytes[index]) << (56 - 8 * UInt64(index)) }
        return head
    }

    /// Whether bytes are the encoding of a number.
    package static func isNumber(_ bytes: RawSpan, _ number: UInt64) -> Bool {
        guard bytes.byteCount == 8 else { return false }
        // Eight bytes are there, and any bits are a number.
        return unsafe bytes.unsafeLoadUnaligned(as: UInt64.self) == number.bigEndian
    }

    /// The number in eight bytes; nil for another count of bytes.
    package static func exactly(_ bytes: ArraySlice<UInt8>) -> UInt64? {
        bytes.count == 8 ? number(bytes) : nil
    }

    package static func exactly(_ bytes: Bytes) -> UInt64? { exactly(bytes[...]) }
}

/// Compares bytes lexicographically.
package enum ByteOrder {
    /// Whether `left` comes before `right`.
    package static func precedes(_ left: Bytes, _ right: Bytes) -> Bool {
        precedes(left.span, right.span)
    }

    /// Whether `left` comes before `right`.
    static func precedes(_ left: String.UTF8View, _ right: String.UTF8View) -> Bool {
        precedes(left.span, right.span)
    }

    private static func precedes(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        let common = commonPrefix(left, right)
        if common == left.count { return common < right.count }
        if common == right.count { return false }
        return left[common] < right[common]
    }

    /// Whether `bytes` begins with `prefix`.
    package static func begins(_ bytes: Bytes, with prefix: Bytes) -> Bool {
        bytes.count >= prefix.count && commonPrefix(bytes, prefix) == prefix.count
    }

    /// Whether a slice begins with a text.
    package static func begins(_ bytes: ArraySlice<UInt8>, with prefix: String) -> Bool {
        begins(bytes.span, with: prefix)
    }

    /// Whether a span begins with a text.
    package static func begins(_ bytes: Span<UInt8>, with prefix: String) -> Bool {
        let prefix = prefix.utf8.span
        return commonPrefix(bytes, prefix) == prefix.count
    }

    /// Whether a text begins with another one.
    static func begins(_ text: String.UTF8View, with prefix: String.UTF8View) -> Bool {
        let prefix = prefix.span
        return commonPrefix(text.span, prefix) == prefix.count
    }

    /// Whether a slice is equal to a text.
    package static func areSame(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
        bytes.count == text.utf8.count && begins(bytes, with: text)
    }

    /// The first key after all keys with a prefix; nil if there is none.
    package static func firstAfterAll(beginningWith prefix: Bytes) -> Bytes? {
        var key = prefix
        while let last = key.popLast() {
            if last < UInt8.max { return key + [last + 1] }
        }
        return nil
    }

    /// Whether two texts have the same bytes.
    static func areSame(_ left: String.UTF8View, _ right: String.UTF8View) -> Bool {
        let count = left.count
        return count == right.count && commonPrefix(left.span, right.span) == count
    }

    /// Whether two spans have the same bytes.
    package static func areSame(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        let count = left.count
        guard count == right.count else { return false }
        let ours = unsafe left.bytes
        let theirs = unsafe right.bytes
        var different: UInt64 = 0
        var index = 0
        // The loads are in bounds, as below; the last eight bytes may overlap earlier ones.
        while index + 8 < count {
            different |= unsafe ours.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
                ^ theirs.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        if count >= 8 {
            different |= unsafe ours.unsafeLoadUnaligned(
                fromByteOffset: count - 8, as: UInt64.self)
                ^ theirs.unsafeLoadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            return different == 0
        }
        while index < count, left[index] == right[index] { index += 1 }
        return index == count
    }

    private static func commonPrefix(_ left: Bytes, _ right: Bytes) -> Int {
        commonPrefix(left.span, right.span)
    }

    /// The length of the common prefix.
    static func commonPrefix(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        let leftBytes = unsafe left.bytes
        let rightBytes = unsafe right.bytes
        let count = min(leftBytes.byteCount, rightBytes.byteCount)
        var index = 0
        // Eight at a time, because this is a hot loop of replay. The loads are in bounds:
        // `index + 8 <= count` and `count` is the shorter one's length; any bits are a UInt64.
        while index + 8 <= count {
            let ours = unsafe leftBytes.unsafeLoadUnaligned(
                fromByteOffset: index, as: UInt64.self)
            let theirs = unsafe rightBytes.unsafeLoadUnaligned(
                fromByteOffset: index, as: UInt64.self)
            let difference = UInt64(littleEndian: ours) ^ UInt64(littleEndian: theirs)
            if difference != 0 { return index + difference.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < count, left[index] == right[index] {
            index += 1
        }
        return index
    }
}

/// Searches bytes.
package enum ByteSearch {
    /// The index of the first `wanted` byte from an index on; nil if there is none.
    ///
    /// It compares sixteen bytes at a time, because parsing a link scans it several times.
    package static func first(
        _ wanted: UInt8, in bytes: Span<UInt8>, from start: Int = 0
    ) -> Int? {
        precondition(start >= 0, "the bytes begin at zero")
        let count = bytes.count
        let lanes = SIMD16(repeating: wanted)
        var index = start
        // Neither a sum nor a difference of these can overflow.
        while count &- index >= 16 {
            if let place = first(lanes, in: bytes, at: index) { return place }
            index = index &+ 16
        }
        if index < count, count &- start >= 16 {
            // The last sixteen bytes, of which the first were compared already.
            return first(lanes, in: bytes, at: count &- 16)
        }
        while index < count {
            if bytes[index] == wanted { return index }
            index = index &+ 1
        }
        return nil
    }

    /// The index of the first wanted byte among the sixteen at an index, which must be in the span.
    @inline(__always)
    private static func first(
        _ lanes: SIMD16<UInt8>, in bytes: Span<UInt8>, at index: Int
    ) -> Int? {
        // In bounds, as the caller has compared, and any bits are a vector.
        let these = unsafe bytes.bytes.unsafeLoadUnaligned(
            fromUncheckedByteOffset: index, as: SIMD16<UInt8>.self)
        // A wanted byte becomes ones, any other one zeros.
        let halves = unsafe unsafeBitCast(these .== lanes, to: SIMD2<UInt64>.self)
        if halves[0] | halves[1] == 0 { return nil }
        let (low, high) = (UInt64(littleEndian: halves[0]), UInt64(littleEndian: halves[1]))
        return low != 0
            ? index &+ low.trailingZeroBitCount / 8 : index &+ 8 &+ high.trailingZeroBitCount / 8
    }

    /// The index of the first `wanted` byte of a slice; nil if there is none.
    package static func first(_ wanted: UInt8, in bytes: ArraySlice<UInt8>) -> Int? {
        first(wanted, in: bytes.span).map { bytes.startIndex + $0 }
    }

    /// Whether all bytes are ASCII.
    @inline(__always)
    static func areASCII(_ bytes: Span<UInt8>) -> Bool {
        let raw = unsafe bytes.bytes
        let count = bytes.count
        var all: UInt64 = 0
        var index = 0
        // The loads are in bounds, as above.
        while index + 8 <= count {
            all |= unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        if index < count, count >= 8 {
            // The last eight bytes, which overlap earlier ones.
            all |= unsafe raw.unsafeLoadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            index = count
        }
        while index < count {
            all |= UInt64(bytes[index])
            index += 1
        }
        return all & (ones << 7) == 0
    }

    private static let ones: UInt64 = 0x0101_0101_0101_0101
}
