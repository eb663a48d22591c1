package import DaybookEncoding

/// One line of a wallet's history.
package struct HistoryRow: StateRow {
    /// What happened to the coins.
    package enum Kind: String, Sendable {
        case received, sent, confirmed, failed, reorganised
    }

    package var kind: Kind
    package var time: UInt64
    package var asset: String?
    package var amount: UInt256?
    package var txid: Bytes?
    package var request: RequestID?

    package init(
        kind: Kind, time: UInt64, asset: String? = nil, amount: UInt256? = nil,
        txid: Bytes? = nil, request: RequestID? = nil
    ) {
        self.kind = kind
        self.time = time
        self.asset = asset
        self.amount = amount
        self.txid = txid
        self.request = request
    }

    package var coded: CBOR {
        .record([
            "kind": .text(kind.rawValue), "time": .unsigned(time),
            "asset": asset.map(CBOR.text), "amount": amount?.coded,
            "txid": txid.map(CBOR.bytes), "request": request.map { .id($0) },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        kind = try fields.name("kind")
        time = try fields.number("time")
        asset = try fields.optionalText("asset")
        amount = try fields.optionalAmount("amount")
        txid = try fields.optionalBytes("txid")
        request = try fields.optionalID("request")
    }
}
