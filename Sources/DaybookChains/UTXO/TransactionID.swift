import DaybookCrypto
package import DaybookEncoding

/// The double SHA-256 of a transaction, or of a block's header.
package struct TransactionID: Hashable, Comparable, Sendable {
    /// The 32 bytes in the order in which transactions refer to them.
    package let bytes: Bytes

    /// An id from its bytes in the order of the wire; nil if they are not 32.
    package init?(_ bytes: Bytes) {
        guard bytes.count == SHA256.length else { return nil }
        self.bytes = bytes
    }

    /// An id from the 64 digits that nodes and people write, last byte first.
    package init?(hex: some StringProtocol) {
        guard hex.utf8.count == 64, let bytes = Hex.decode(hex) else { return nil }
        self.bytes = bytes.reversed()
    }

    /// The id of what these bytes are the serialization of.
    package init(hashing serialized: Bytes) {
        bytes = SHA256.double(serialized)
    }

    /// The 64 digits that nodes and people write.
    package var hex: String { Hex.encode(bytes.reversed()) }

    // An array is hashed byte by byte.
    package func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    /// The order of the written digits.
    package static func < (left: TransactionID, right: TransactionID) -> Bool {
        left.bytes.reversed().lexicographicallyPrecedes(right.bytes.reversed())
    }

    /// The id that a coinbase's only input refers to.
    package static let zero = TransactionID(unchecked: Bytes(repeating: 0, count: 32))

    private init(unchecked bytes: Bytes) {
        self.bytes = bytes
    }
}

extension TransactionID {
    /// The bytes in the order in which the id is displayed.
    package var displayed: Bytes { Bytes(bytes.reversed()) }

    /// An id from its bytes in that order; nil if they are not 32.
    package init?(displayed: Bytes) {
        self.init(Bytes(displayed.reversed()))
    }
}
