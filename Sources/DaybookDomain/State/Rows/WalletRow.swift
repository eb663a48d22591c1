package import DaybookEncoding

/// A wallet: what `wallet.added` said, and whether it was removed since.
package struct WalletRow: StateRow {
    package let wallet: WalletAdded
    /// The first address, derived from the keys each time that the row is read: it is not stored.
    package let address: String
    package var removed: Bool

    package init(wallet: WalletAdded, removed: Bool = false) {
        self.wallet = wallet
        self.removed = removed
        address = wallet.firstAddress
    }

    package var coded: CBOR {
        .record(["wallet": wallet.coded, "removed": .flag(removed)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        self.init(
            wallet: try WalletAdded(try fields.fields("wallet")),
            removed: try fields.flag("removed"))
    }
}
