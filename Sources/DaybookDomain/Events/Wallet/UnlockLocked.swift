package import DaybookEncoding

/// After too many wrong passphrases the wallet takes none before `until` (µs).
package struct UnlockLocked: EventData {
    package static let type = "unlock.locked"
    package let wallet: UInt64
    package let until: UInt64

    package init(wallet: UInt64, until: UInt64) {
        self.wallet = wallet
        self.until = until
    }

    package var coded: CBOR {
        .record(["wallet": .unsigned(wallet), "until": .unsigned(until)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.number("wallet")
        until = try fields.number("until")
    }
}
