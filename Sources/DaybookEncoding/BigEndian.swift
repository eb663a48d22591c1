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

    /// The number that bytes spell: no more of them than the number has.
    @inlinable
    package static func number<Number: FixedWidthInteger>(
        _ bytes: some Sequence<UInt8>
    ) -> Number {
        bytes.reduce(0) { $0 << 8 | Number($1) }
    }

    /// Whether bytes are the eight of a number.
    package static func isNumber(_ bytes: RawSpan, _ number: UInt64) -> Bool {
        guard bytes.byteCount == 8 else { return false }
        // Eight bytes are there, and any bits are a number.
        return unsafe bytes.unsafeLoadUnaligned(as: UInt64.self) == number.bigEndian
    }

    /// The number that eight bytes spell; nil unless there are exactly eight.
    @inlinable
    package static func exactly(_ bytes: some Collection<UInt8>) -> UInt64? {
        bytes.count == 8 ? number(bytes) : nil
    }
}
