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
