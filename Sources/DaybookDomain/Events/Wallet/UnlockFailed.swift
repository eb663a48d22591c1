package import DaybookEncoding

/// A wrong passphrase was given for a wallet.
package struct UnlockFailed: EventData {
    package static let type = "unlock.failed"
    package let wallet: WalletID

    package init(wallet: WalletID) { self.wallet = wallet }

    package var coded: CBOR { .record(["wallet": .id(wallet)]) }

    package init(_ fields: Fields) throws(FieldError) { wallet = try fields.id("wallet") }
}
