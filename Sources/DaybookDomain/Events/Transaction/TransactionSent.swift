package import DaybookEncoding

/// The network has the transaction.
package struct TransactionSent: EventData {
    package static let type = "transaction.sent"
    package let txid: Bytes

    package init(txid: Bytes) { self.txid = txid }

    package var coded: CBOR { .record(["txid": .bytes(txid)]) }

    package init(_ fields: Fields) throws(FieldError) { txid = try fields.bytes("txid") }
}
