/// Whole numbers as bytes, the highest first: the order of such keys is that of their numbers.
package enum BigEndian {
    /// The eight bytes of a number.
    package static func bytes(_ number: UInt64) -> Bytes {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe Bytes($0) }
    }

    /// The four bytes of a number.
    package static func fourBytes(_ number: UInt32) -> Bytes {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe Bytes($0) }
    }

    /// Writes the eight bytes of a number behind others.
    package static func append(_ number: UInt64, to bytes: inout Bytes) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Writes the four bytes of a number behind others.
    package static func append(_ number: UInt32, to bytes: inout Bytes) {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    // Keys are read for every row: these are not generic, because no other module would get
    // anything but the general form.

    /// The number that bytes spell, at most eight.
    package static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var number: UInt64 = 0
        for byte in bytes { number = number << 8 | UInt64(byte) }
        return number
    }

    /// The number that bytes spell, at most four.
    package static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var number: UInt32 = 0
        for byte in bytes { number = number << 8 | UInt32(byte) }
        return number
    }

    /// Whether bytes are the eight of a number.
    package static func isNumber(_ bytes: RawSpan, _ number: UInt64) -> Bool {
        guard bytes.byteCount == 8 else { return false }
        // Eight bytes are there, and any bits are a number.
        return unsafe bytes.unsafeLoadUnaligned(as: UInt64.self) == number.bigEndian
    }

    /// The number that eight bytes spell; nil unless there are exactly eight.
    package static func exactly(_ bytes: ArraySlice<UInt8>) -> UInt64? {
        bytes.count == 8 ? number(bytes) : nil
    }

    package static func exactly(_ bytes: Bytes) -> UInt64? { exactly(bytes[...]) }
}
