package import DaybookEncoding

/// Coins left a wallet by a transaction that was not made here (ICON shows only balances).
package struct PaymentMade: EventData {
    package static let type = "payment.made"

    package let wallet: WalletID
    package let asset: String
    package let amount: UInt256

    package init(wallet: WalletID, asset: String, amount: UInt256) {
        self.wallet = wallet
        self.asset = asset
        self.amount = amount
    }

    package var coded: CBOR {
        .record([
            "wallet": .id(wallet), "asset": .text(asset), "amount": amount.coded,
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        asset = try fields.text("asset")
        amount = try fields.amount("amount")
    }
}
