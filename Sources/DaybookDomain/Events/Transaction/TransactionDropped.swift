package import DaybookEncoding

/// The network will never have the transaction any more (ICON: its time is over).
///
/// The coins that it held back are free again.
package struct TransactionDropped: EventData {
    package static let type = "transaction.dropped"
    package let wallet: UInt64
    package let txid: Bytes

    package init(wallet: UInt64, txid: Bytes) {
        self.wallet = wallet
        self.txid = txid
    }

    package var coded: CBOR {
        .record(["wallet": .unsigned(wallet), "txid": .bytes(txid)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.number("wallet")
        txid = try fields.bytes("txid")
    }
}
