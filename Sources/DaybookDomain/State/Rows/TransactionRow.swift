package import DaybookEncoding

/// A transaction that concerns a wallet: of ours (with its request) or paying us.
package struct TransactionRow: StateRow {
    package var wallet: UInt64
    package var request: UInt64?
    package var height: UInt64?
    package var locked: Bool = false
    /// ICON: what it took from the wallet, to be given back if its block goes.
    package var spent: [TransactionPrepared.Reserve] = []

    package init(wallet: UInt64, request: UInt64?, height: UInt64? = nil) {
        self.wallet = wallet
        self.request = request
        self.height = height
    }

    package var coded: CBOR {
        .record([
            "wallet": .unsigned(wallet), "request": request.map(CBOR.unsigned),
            "height": height.map(CBOR.unsigned), "locked": .flag(locked),
            "spent": .list(spent) { $0.coded },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.number("wallet")
        request = try fields.optionalNumber("request")
        height = try fields.optionalNumber("height")
        locked = try fields.flag("locked")
        spent = try fields.list("spent") { (item) throws(FieldError) in
            try TransactionPrepared.Reserve(item)
        }
    }
}
