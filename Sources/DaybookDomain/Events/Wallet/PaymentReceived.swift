package import DaybookEncoding

/// Coins that are not our own change came to a wallet.
package struct PaymentReceived: EventData {
    package static let type = "payment.received"

    package let wallet: WalletID
    package let asset: String
    package let amount: UInt256
    /// The paying transaction; nil where a chain shows only the balance (ICON).
    package let txid: Bytes?

    package init(wallet: WalletID, asset: String, amount: UInt256, txid: Bytes?) {
        self.wallet = wallet
        self.asset = asset
        self.amount = amount
        self.txid = txid
    }

    package var coded: CBOR {
        .record([
            "wallet": .id(wallet), "asset": .text(asset), "amount": amount.coded,
            "txid": txid.map(CBOR.bytes),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        asset = try fields.text("asset")
        amount = try fields.amount("amount")
        txid = try fields.optionalBytes("txid")
    }
}
