/// Where a byte stands among others.
package enum ByteSearch {
    /// The index in `bytes` of the first that is `wanted`, from an index on; nil if there is none.
    ///
    /// Sixteen are looked at together, because every byte of a link is looked at several times.
    package static func first(
        _ wanted: UInt8, in bytes: Span<UInt8>, from start: Int = 0
    ) -> Int? {
        let raw = unsafe bytes.bytes
        let count = bytes.count
        var index = start
        // The loads are in bounds, as the whole of each is below `count`; any bits are a vector or
        // a UInt64.
        let lanes = SIMD16(repeating: wanted)
        while index + 16 <= count {
            let these = unsafe raw.unsafeLoadUnaligned(
                fromByteOffset: index, as: SIMD16<UInt8>.self)
            let isWanted = unsafe unsafeBitCast(these .== lanes, to: SIMD2<UInt64>.self)
            if isWanted[0] | isWanted[1] != 0 { break }
            index += 16
        }
        // In each byte of a word of ones this is the wanted byte.
        let pattern = ones &* UInt64(wanted)
        while index + 8 <= count {
            let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            let difference = UInt64(littleEndian: word) ^ pattern
            // The lowest high bit that is set belongs to the first byte that is zero.
            let zeros = (difference &- ones) & ~difference & (ones << 7)
            if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < count {
            if bytes[index] == wanted { return index }
            index += 1
        }
        return nil
    }

    /// Where in a part of some bytes the first stands that is `wanted`, nil if there is none.
    package static func first(_ wanted: UInt8, in bytes: ArraySlice<UInt8>) -> Int? {
        first(wanted, in: bytes.span).map { bytes.startIndex + $0 }
    }

    /// Whether all bytes are of ASCII.
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
            // The last eight, of which some were seen.
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
