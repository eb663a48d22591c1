import DaybookChains
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

extension TokenRow {
    /// How amounts of the token are shown: under its symbol, unless that could mislead.
    func unit(of contract: String) -> TokenUnit {
        TokenUnit(
            asset: TokenUnit.canBeShown(symbol) ? symbol : contract,
            decimals: Int(clamping: decimals))
    }
}
