package import DaybookChains
package import DaybookEncoding

/// What a token contract says of itself: believed once, when it is seen first.
///
/// Whoever could change the decimals later would choose what amount a prompt shows. A later word
/// is kept beside the first one, so that prompts can warn of it.
package struct TokenRow: StateRow {
    package let symbol: String
    package let decimals: UInt64
    /// What the contract says now, where that is something else.
    package private(set) var changed: Word?

    /// A symbol and decimals, as a node told them.
    package struct Word: Equatable, Sendable {
        package let symbol: String
        package let decimals: UInt64
    }

    package init(symbol: String, decimals: UInt64) {
        self.symbol = symbol
        self.decimals = decimals
    }

    /// The row after a node has told of the token again.
    package func hearing(symbol: String, decimals: UInt64) -> TokenRow {
        var row = self
        let isSame = decimals == self.decimals && Text.equal(symbol, self.symbol)
        row.changed = isSame ? nil : Word(symbol: symbol, decimals: decimals)
        return row
    }

    package var coded: CBOR {
        .record([
            "symbol": .text(symbol), "decimals": .unsigned(decimals),
            "changed": changed.map {
                .record(["symbol": .text($0.symbol), "decimals": .unsigned($0.decimals)])
            },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        symbol = try fields.text("symbol")
        decimals = try fields.number("decimals")
        if let item = try fields.optionalFields("changed") {
            changed = Word(symbol: try item.text("symbol"), decimals: try item.number("decimals"))
        }
    }
}

extension TokenRow {
    /// How amounts of the token are shown: under its symbol, unless that could mislead.
    package func unit(of contract: String) -> TokenUnit {
        TokenUnit(
            asset: TokenUnit.canBeShown(symbol) ? symbol : contract,
            decimals: Int(clamping: decimals))
    }
}
