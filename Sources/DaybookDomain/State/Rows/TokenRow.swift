package import DaybookEncoding

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
