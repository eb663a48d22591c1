package import DaybookEncoding

/// A block has the transaction; `failure` says that ICON ran it without success.
package struct TransactionConfirmed: EventData {
    package static let type = "transaction.confirmed"
    package let wallet: WalletID
    package let txid: Bytes
    package let height: UInt64
    package let failure: String?
    /// ICON: what it took from the wallet, fee included.
    package let spent: [TransactionPrepared.Reserve]

    package init(
        wallet: WalletID, txid: Bytes, height: UInt64, failure: String? = nil,
        spent: [TransactionPrepared.Reserve] = []
    ) {
        self.wallet = wallet
        self.txid = txid
        self.height = height
        self.failure = failure
        self.spent = spent
    }

    package var coded: CBOR {
        .record([
            "wallet": .id(wallet), "txid": .bytes(txid), "height": .unsigned(height),
            "failure": failure.map(CBOR.text), "spent": .list(spent) { $0.coded },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        txid = try fields.bytes("txid")
        height = try fields.number("height")
        failure = try fields.optionalText("failure")
        spent = try fields.list("spent") { (item) throws(FieldError) in
            try TransactionPrepared.Reserve(item)
        }
    }
}
