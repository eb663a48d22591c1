package import DaybookEncoding

/// A wallet left the store; its history stays.
package struct WalletRemoved: EventData {
    package static let type = "wallet.removed"
    package let wallet: UInt64

    package init(wallet: UInt64) { self.wallet = wallet }

    package var coded: CBOR { .record(["wallet": .unsigned(wallet)]) }

    package init(_ fields: Fields) throws(FieldError) { wallet = try fields.number("wallet") }
}
