package import DaybookEncoding

/// A transaction that concerns a wallet: of ours (with its request) or paying us.
package struct TransactionRow: StateRow {
    package var wallet: WalletID
    package var request: RequestID?
    package var height: UInt64?
    package var locked: Bool = false
    /// ICON: whether the block executed it without success.
    package var isFailed: Bool = false
    /// ICON: what it took from the wallet, to be given back if its block goes.
    package var spent: [TransactionPrepared.Reserve] = []

    package init(wallet: WalletID, request: RequestID?, height: UInt64? = nil) {
        self.wallet = wallet
        self.request = request
        self.height = height
    }

    package var coded: CBOR {
        .record([
            "wallet": .id(wallet), "request": request.map { .id($0) },
            "height": height.map(CBOR.unsigned), "locked": .flag(locked),
            "failed": .flag(isFailed),
            "spent": .list(spent) { $0.coded },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        request = try fields.optionalID("request")
        height = try fields.optionalNumber("height")
        locked = try fields.flag("locked")
        isFailed = try fields.flag("failed")
        spent = try fields.list("spent") { (item) throws(FieldError) in
            try TransactionPrepared.Reserve(item)
        }
    }
}
