import DaybookCrypto
package import DaybookEncoding

/// The double SHA-256 of a transaction, or of a block's header.
package struct TransactionID: Hashable, Sendable {
    // Four numbers, and not an array: ids are compared and hashed without memory of their own.
    // The first has the digits that are written first.
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// An id from its bytes in the order of the wire; nil if they are not 32.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == SHA256.length else { return nil }
        first = Self.number(bytes, at: 24).byteSwapped
        second = Self.number(bytes, at: 16).byteSwapped
        third = Self.number(bytes, at: 8).byteSwapped
        fourth = Self.number(bytes, at: 0).byteSwapped
    }

    package init?(_ bytes: Bytes) { self.init(bytes.span) }

    /// An id from its bytes in the order in which it is displayed; nil if they are not 32.
    package init?(displayed: Span<UInt8>) {
        guard displayed.count == SHA256.length else { return nil }
        first = Self.number(displayed, at: 0)
        second = Self.number(displayed, at: 8)
        third = Self.number(displayed, at: 16)
        fourth = Self.number(displayed, at: 24)
    }

    package init?(displayed: Bytes) { self.init(displayed: displayed.span) }

    /// An id from the 64 digits that nodes and people write, last byte first.
    package init?(hex: some StringProtocol) {
        guard hex.utf8.count == 64, let bytes = Hex.decode(hex) else { return nil }
        self.init(displayed: bytes)
    }

    /// The id of what these bytes are the serialization of.
    package init(hashing serialized: Bytes) {
        guard let id = TransactionID(SHA256.double(serialized)) else {
            preconditionFailure("a digest of SHA-256 has 32 bytes")
        }
        self = id
    }

    /// The 32 bytes in the order in which transactions refer to them.
    package var bytes: Bytes {
        Self.joined(
            fourth.byteSwapped, third.byteSwapped, second.byteSwapped, first.byteSwapped)
    }

    /// The 32 bytes in the order in which nodes and people write them.
    package var displayed: Bytes { Self.joined(first, second, third, fourth) }

    /// The 64 digits that nodes and people write.
    package var hex: String { Hex.encode(displayed) }

    /// The id that a coinbase's only input refers to.
    package static let zero = TransactionID()

    private init() {
        (first, second, third, fourth) = (0, 0, 0, 0)
    }

    /// The number that eight bytes spell, of 32.
    private static func number(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
        // The load is checked to be in bounds, and any bits are a number.
        let number = unsafe bytes.bytes.unsafeLoadUnaligned(
            fromByteOffset: offset, as: UInt64.self)
        return UInt64(bigEndian: number)
    }

    private static func joined(
        _ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64
    ) -> Bytes {
        let words = (first.bigEndian, second.bigEndian, third.bigEndian, fourth.bigEndian)
        return unsafe withUnsafeBytes(of: words) { unsafe Bytes($0) }
    }
}

extension TransactionID: Comparable {
    /// The order of the written digits.
    package static func < (left: TransactionID, right: TransactionID) -> Bool {
        (left.first, left.second, left.third, left.fourth)
            < (right.first, right.second, right.third, right.fourth)
    }
}

/// Which output of which transaction.
package struct Outpoint: Hashable, Comparable, Sendable {
    /// The transaction.
    package let txid: TransactionID
    /// The place of the output in it, from 0.
    package let index: UInt32

    /// The output at an index of a transaction.
    package init(_ txid: TransactionID, _ index: UInt32) {
        self.txid = txid
        self.index = index
    }

    /// What the only input of a coinbase refers to.
    package static let null = Outpoint(.zero, UInt32.max)

    /// The order of the written ids, then of the indexes (BIP 69).
    package static func < (left: Outpoint, right: Outpoint) -> Bool {
        left.txid == right.txid ? left.index < right.index : left.txid < right.txid
    }

    /// As nodes print it: `txid:index`.
    package var text: String { "\(txid.hex):\(index)" }
}
