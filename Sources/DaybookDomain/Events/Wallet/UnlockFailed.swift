package import DaybookEncoding

/// A wrong passphrase was given for a wallet.
package struct UnlockFailed: EventData {
    package static let type = "unlock.failed"
    package let wallet: UInt64

    package init(wallet: UInt64) { self.wallet = wallet }

    package var coded: CBOR { .record(["wallet": .unsigned(wallet)]) }

    package init(_ fields: Fields) throws(FieldError) { wallet = try fields.number("wallet") }
}
