package import DaybookEncoding

/// A wallet left the store; its history stays.
package struct WalletRemoved: EventData {
    package static let type = "wallet.removed"
    package let wallet: WalletID

    package init(wallet: WalletID) { self.wallet = wallet }

    package var coded: CBOR { .record(["wallet": .id(wallet)]) }

    package init(_ fields: Fields) throws(FieldError) { wallet = try fields.id("wallet") }
}
