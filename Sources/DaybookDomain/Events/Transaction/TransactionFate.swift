package import DaybookEncoding

/// An event that says of a wallet's transaction what became of it on its chain, and no more.
package protocol TransactionFate: EventData {
    var wallet: UInt64 { get }
    var txid: Bytes { get }
    init(wallet: UInt64, txid: Bytes)
}

extension TransactionFate {
    package var coded: CBOR {
        .record(["wallet": .unsigned(wallet), "txid": .bytes(txid)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        self.init(wallet: try fields.number("wallet"), txid: try fields.bytes("txid"))
    }
}
