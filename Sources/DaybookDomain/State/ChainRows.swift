package import DaybookEncoding

/// What is known of a chain's tip and prices.
package struct ChainRow: StateRow {
    package var height: UInt64 = 0
    package var tip: Bytes = []
    /// Duffs for 1000 bytes.
    package var feeRate: UInt64?
    package var instantSend: Bool = false
    package var steps: ChainObserved.Steps?

    package init() {}

    package var coded: CBOR {
        .record([
            "height": .unsigned(height), "tip": .bytes(tip), "feeRate": feeRate.map(CBOR.unsigned),
            "instantSend": .flag(instantSend), "steps": steps?.coded,
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        height = try fields.number("height")
        tip = try fields.bytes("tip")
        feeRate = try fields.optionalNumber("feeRate")
        instantSend = try fields.flag("instantSend")
        steps = try fields.optionalFields("steps").map { (item) throws(FieldError) in
            try ChainObserved.Steps(item)
        }
    }
}

/// What a token contract says of itself.
package struct TokenRow: StateRow {
    package var symbol: String
    package var decimals: UInt64

    package init(symbol: String, decimals: UInt64) {
        self.symbol = symbol
        self.decimals = decimals
    }

    package var coded: CBOR {
        .record(["symbol": .text(symbol), "decimals": .unsigned(decimals)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        symbol = try fields.text("symbol")
        decimals = try fields.number("decimals")
    }
}

/// An output of ours, and which request holds it back.
package struct OutputRow: StateRow {
    package var output: ChainObserved.Output
    /// The row of the address that it pays.
    package var address: Bytes
    /// The request whose transaction is to spend it.
    package var reservedBy: UInt64?
    /// It came from a transaction of our own, so it can be spent before a block has it.
    package var isOurs: Bool
    /// A coinbase output that is deep enough to be spent.
    package var isMature = false

    package init(
        output: ChainObserved.Output, address: Bytes, reservedBy: UInt64? = nil, isOurs: Bool
    ) {
        self.output = output
        self.address = address
        self.reservedBy = reservedBy
        self.isOurs = isOurs
    }

    package var coded: CBOR {
        .record([
            "output": output.coded, "address": .bytes(address),
            "reservedBy": reservedBy.map(CBOR.unsigned), "isOurs": .flag(isOurs),
            "isMature": .flag(isMature),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        output = try ChainObserved.Output(try fields.fields("output"))
        address = try fields.bytes("address")
        reservedBy = try fields.optionalNumber("reservedBy")
        isOurs = try fields.flag("isOurs")
        isMature = try fields.flag("isMature")
    }
}

/// A transaction that concerns a wallet: of ours (with its request) or paying us.
package struct TransactionRow: StateRow {
    package var wallet: UInt64
    package var request: UInt64?
    package var height: UInt64?
    package var locked: Bool = false

    package init(wallet: UInt64, request: UInt64?, height: UInt64? = nil) {
        self.wallet = wallet
        self.request = request
        self.height = height
    }

    package var coded: CBOR {
        .record([
            "wallet": .unsigned(wallet), "request": request.map(CBOR.unsigned),
            "height": height.map(CBOR.unsigned), "locked": .flag(locked),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.number("wallet")
        request = try fields.optionalNumber("request")
        height = try fields.optionalNumber("height")
        locked = try fields.flag("locked")
    }
}
