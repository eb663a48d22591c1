package import DaybookEncoding

/// What is known of a chain's tip and prices.
package struct ChainRow: StateRow {
    package var height: UInt64 = 0
    package var tip: Bytes = []
    /// By what a real node showed to be of this network.
    package var identity: String?
    /// Duffs for 1000 bytes.
    package var feeRate: UInt64?
    package var instantSend: Bool = false
    package var steps: ChainObserved.Steps?

    package init() {}

    package var coded: CBOR {
        .record([
            "height": .unsigned(height), "tip": .bytes(tip), "identity": identity.map(CBOR.text),
            "feeRate": feeRate.map(CBOR.unsigned),
            "instantSend": .flag(instantSend), "steps": steps?.coded,
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        height = try fields.number("height")
        tip = try fields.bytes("tip")
        identity = try fields.optionalText("identity")
        feeRate = try fields.optionalNumber("feeRate")
        instantSend = try fields.flag("instantSend")
        steps = try fields.optionalFields("steps").map { (item) throws(FieldError) in
            try ChainObserved.Steps(item)
        }
    }
}
