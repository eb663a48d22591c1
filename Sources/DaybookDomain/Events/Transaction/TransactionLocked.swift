package import DaybookEncoding

/// InstantSend (or a ChainLock) makes the transaction final.
package struct TransactionLocked: EventData {
    package static let type = "transaction.locked"
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
