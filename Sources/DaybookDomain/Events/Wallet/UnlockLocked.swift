package import DaybookEncoding

/// After too many wrong passphrases the wallet takes none before `until` (µs).
package struct UnlockLocked: EventData {
    package static let type = "unlock.locked"
    package let wallet: WalletID
    package let until: UInt64

    package init(wallet: WalletID, until: UInt64) {
        self.wallet = wallet
        self.until = until
    }

    package var coded: CBOR {
        .record(["wallet": .id(wallet), "until": .unsigned(until)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        until = try fields.number("until")
    }
}
