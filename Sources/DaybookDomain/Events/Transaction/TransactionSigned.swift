package import DaybookEncoding

/// Every signature verifies; `bytes` is what is sent (ICON: the parameters as JSON text).
package struct TransactionSigned: EventData {
    package static let type = "transaction.signed"
    package let txid: Bytes
    package let bytes: Bytes

    package init(txid: Bytes, bytes: Bytes) {
        self.txid = txid
        self.bytes = bytes
    }

    package var coded: CBOR { .record(["txid": .bytes(txid), "bytes": .bytes(bytes)]) }

    package init(_ fields: Fields) throws(FieldError) {
        txid = try fields.bytes("txid")
        bytes = try fields.bytes("bytes")
    }
}
