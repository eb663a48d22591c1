package import DaybookEncoding

/// An event that says of a wallet's transaction what became of it on its chain, and no more.
package protocol TransactionFate: EventData {
    var wallet: WalletID { get }
    var txid: Bytes { get }
    init(wallet: WalletID, txid: Bytes)
}

extension TransactionFate {
    package var coded: CBOR {
        .record(["wallet": .id(wallet), "txid": .bytes(txid)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        self.init(wallet: try fields.id("wallet"), txid: try fields.bytes("txid"))
    }
}
