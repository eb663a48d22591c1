import DaybookCrypto
package import DaybookEncoding

/// The id of a transaction or block: the double SHA-256 of its serialization or header.
package struct TransactionID: Hashable, Sendable {
    // Four integers instead of an array, because ids are compared and hashed often. The first one
    // has the leading digits of the displayed form.
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// An id from its 32 bytes in wire order; nil for another number of bytes.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == SHA256.length else { return nil }
        first = BigEndian.number(in: bytes, at: 24).byteSwapped
        second = BigEndian.number(in: bytes, at: 16).byteSwapped
        third = BigEndian.number(in: bytes, at: 8).byteSwapped
        fourth = BigEndian.number(in: bytes, at: 0).byteSwapped
    }

    package init?(_ bytes: Bytes) { self.init(bytes.span) }

    /// An id from its 32 bytes in display order; nil for another number of bytes.
    package init?(displayed: Span<UInt8>) {
        guard displayed.count == SHA256.length else { return nil }
        first = BigEndian.number(in: displayed, at: 0)
        second = BigEndian.number(in: displayed, at: 8)
        third = BigEndian.number(in: displayed, at: 16)
        fourth = BigEndian.number(in: displayed, at: 24)
    }

    package init?(displayed: Bytes) { self.init(displayed: displayed.span) }

    /// An id from the 64 hexadecimal digits of its displayed form.
    package init?(hex: some StringProtocol) {
        guard hex.utf8.count == 64, let bytes = Hex.decode(hex) else { return nil }
        self.init(displayed: bytes)
    }

    /// The id of the transaction with this serialization.
    package init(hashing serialized: Bytes) {
        guard let id = TransactionID(SHA256.double(serialized)) else {
            preconditionFailure("a digest of SHA-256 has 32 bytes")
        }
        self = id
    }

    /// Hashes some of the bytes, which are a digest's: nobody finds many ids that share them.
    package func hash(into hasher: inout Hasher) { hasher.combine(fourth) }

    /// The 32 bytes in wire order.
    package var bytes: Bytes {
        Self.joined([
            fourth.byteSwapped, third.byteSwapped, second.byteSwapped, first.byteSwapped,
        ])
    }

    /// The 32 bytes in display order, which is the reverse of wire order.
    package var displayed: Bytes { Self.joined([first, second, third, fourth]) }

    /// The 64 hexadecimal digits of the displayed form.
    package var hex: String { Hex.encode(displayed) }

    /// The id in the only input of a coinbase.
    package static let zero = TransactionID()

    private init() {
        (first, second, third, fourth) = (0, 0, 0, 0)
    }

    private static func joined(_ words: [4 of UInt64]) -> Bytes {
        let words = (
            words[0].bigEndian, words[1].bigEndian, words[2].bigEndian, words[3].bigEndian
        )
        return unsafe withUnsafeBytes(of: words) { unsafe Bytes($0) }
    }
}

extension TransactionID: Comparable {
    /// Sorts by the displayed digits.
    package static func < (left: TransactionID, right: TransactionID) -> Bool {
        (left.first, left.second, left.third, left.fourth)
            < (right.first, right.second, right.third, right.fourth)
    }
}

/// A reference to an output: its transaction and its index there.
package struct Outpoint: Hashable, Comparable, Sendable {
    package let txid: TransactionID
    package let index: UInt32

    package init(_ txid: TransactionID, _ index: UInt32) {
        self.txid = txid
        self.index = index
    }

    /// The outpoint in the only input of a coinbase.
    package static let null = Outpoint(.zero, UInt32.max)

    /// Sorts by the displayed ids, then by the indexes (BIP 69).
    package static func < (left: Outpoint, right: Outpoint) -> Bool {
        left.txid == right.txid ? left.index < right.index : left.txid < right.txid
    }

    /// The form that nodes print: `txid:index`.
    package var text: String { "\(txid.hex):\(index)" }

    /// Reads 64 hex digits, a colon and a number; nil for anything else.
    package init?(text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = Hex.decode(String(decoding: parts[0], as: UTF8.self)),
            let txid = TransactionID(displayed: bytes),
            let index = UInt32(String(decoding: parts[1], as: UTF8.self)),
            String(index).utf8.elementsEqual(parts[1])
        else { return nil }
        self.init(txid, index)
    }
}
