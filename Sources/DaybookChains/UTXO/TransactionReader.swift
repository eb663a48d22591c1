package import DaybookEncoding

/// Reads the fields of a serialized transaction.
struct TransactionReader {
    private let bytes: Bytes
    private(set) var offset: Int

    init(_ bytes: Bytes, from offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    mutating func take(_ count: Int) throws(TransactionError) -> ArraySlice<UInt8> {
        guard bytes.count - offset >= count else {
            throw TransactionError(.endsEarly, at: offset)
        }
        defer { offset += count }
        return bytes[offset..<(offset + count)]
    }

    /// A little-endian number of at most eight bytes.
    mutating func number(bytes count: Int) throws(TransactionError) -> UInt64 {
        let bytes = try take(count)
        let span = bytes.span
        var number: UInt64 = 0
        for index in span.indices { number |= UInt64(span[index]) << (8 * UInt64(index)) }
        return number
    }

    mutating func number32() throws(TransactionError) -> UInt32 {
        UInt32(truncatingIfNeeded: try number(bytes: 4))
    }

    mutating func transactionID() throws(TransactionError) -> TransactionID {
        let start = offset
        let bytes = try take(32)
        guard let txid = TransactionID(bytes.span) else {
            throw TransactionError(.endsEarly, at: start)
        }
        return txid
    }

    /// Bytes preceded by their count.
    mutating func data() throws(TransactionError) -> Bytes {
        Bytes(try take(count(leastItem: 1)))
    }

    mutating func list<Item>(
        leastItem: Int, _ item: (inout TransactionReader) throws(TransactionError) -> Item
    ) throws(TransactionError) -> [Item] {
        let count = try count(leastItem: leastItem)
        var items: [Item] = []
        items.reserveCapacity(count)
        for _ in 0..<count { items.append(try item(&self)) }
        return items
    }

    func end() throws(TransactionError) {
        guard offset == bytes.count else { throw TransactionError(.trailingBytes, at: offset) }
    }

    /// A count of items with a least size each.
    ///
    /// A count that the remaining bytes can't hold is refused before memory is allocated for it.
    private mutating func count(leastItem: Int) throws(TransactionError) -> Int {
        let start = offset
        let count = try compactSize()
        guard count <= UInt64((bytes.count - offset) / leastItem) else {
            throw TransactionError(.absurdCount, at: start)
        }
        return Int(count)
    }

    /// A number in the encoding of `CompactSize`, which must be the shortest one.
    mutating func compactSize() throws(TransactionError) -> UInt64 {
        let start = offset
        let first = try number(bytes: 1)
        let (count, least): (UInt64, UInt64) = switch first {
        case 0xfd: (try number(bytes: 2), 0xfd)
        case 0xfe: (try number(bytes: 4), 0x1_0000)
        case 0xff: (try number(bytes: 8), 0x1_0000_0000)
        default: (first, 0)
        }
        guard count >= least else { throw TransactionError(.longCount, at: start) }
        return count
    }
}

/// The variable-length encoding of counts in transactions: 1, 3, 5 or 9 bytes, the shortest one.
package enum CompactSize {
    /// The bytes of a count, which must not be negative.
    package static func encode(_ count: Int) -> Bytes {
        var bytes = Bytes()
        append(count, to: &bytes)
        return bytes
    }

    /// Appends the bytes of a count, which must not be negative.
    static func append(_ count: Int, to bytes: inout Bytes) {
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
    }

    /// The most bytes of an encoded count.
    static let maximumSize = 9

    /// The number of bytes of an encoded count.
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
    /// Appends a number in little-endian order.
    package mutating func append(littleEndian number: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) }
    }
}
