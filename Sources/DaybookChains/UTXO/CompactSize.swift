package import DaybookEncoding

/// A count as transactions write it: 1, 3, 5 or 9 bytes, the shortest that can.
package enum CompactSize {
    /// The bytes of a count, which is never negative.
    package static func encode(_ count: Int) -> Bytes {
        var bytes = Bytes()
        switch count {
        case ..<0xfd: bytes.append(UInt8(count))
        case ...0xffff:
            bytes.append(0xfd)
            bytes.append(littleEndian: UInt16(count))
        case ...0xffff_ffff:
            bytes.append(0xfe)
            bytes.append(littleEndian: UInt32(count))
        default:
            bytes.append(0xff)
            bytes.append(littleEndian: UInt64(count))
        }
        return bytes
    }

    /// How many bytes a count takes.
    package static func size(of count: Int) -> Int {
        switch count {
        case ..<0xfd: 1
        case ...0xffff: 3
        case ...0xffff_ffff: 5
        default: 9
        }
    }
}

extension Bytes {
    /// Appends a number, its lowest byte first.
    package mutating func append(littleEndian number: some FixedWidthInteger) {
        for place in 0..<(number.bitWidth / 8) {
            append(UInt8(truncatingIfNeeded: number >> (8 * place)))
        }
    }
}
