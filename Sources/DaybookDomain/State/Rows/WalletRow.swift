package import DaybookEncoding

/// A wallet: what `wallet.added` said, and its first address.
package struct WalletRow: StateRow {
    package var wallet: WalletAdded
    package var address: String
    package var removed: Bool

    package init(wallet: WalletAdded, address: String, removed: Bool = false) {
        self.wallet = wallet
        self.address = address
        self.removed = removed
    }

    package var coded: CBOR {
        .record([
            "wallet": wallet.coded, "address": .text(address), "removed": .flag(removed),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try WalletAdded(try fields.fields("wallet"))
        address = try fields.text("address")
        removed = try fields.flag("removed")
    }
}
