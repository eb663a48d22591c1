import DaybookEncoding

/// The name and the decimals with which amounts of a token are shown.
package struct TokenUnit: Hashable, Sendable {
    /// The token's symbol, or its contract if the symbol could mislead.
    package let asset: String
    package let decimals: Int

    package init(asset: String, decimals: Int) {
        self.asset = asset
        self.decimals = decimals
    }

    /// Whether a symbol can be shown for a token: short, plain ASCII, and no coin's own name.
    ///
    /// A contract may choose any symbol. For example `ICX`, `lCX` and `D-A-S-H` are refused, and so
    /// is every letter outside ASCII: `ІCX` begins with a Ukrainian letter.
    package static func canBeShown(_ symbol: String) -> Bool {
        (1...longestSymbol).contains(symbol.utf8.count) && symbol.utf8.allSatisfy(isPlain)
            && !isReserved(symbol)
    }

    /// Whether a symbol is a native coin's, or confusable with it.
    package static func isReserved(_ symbol: String) -> Bool {
        let skeleton = symbol.utf8.compactMap(confusable)
        return nativeCoins.contains { $0.utf8.compactMap(confusable).elementsEqual(skeleton) }
    }

    private static let longestSymbol = 16

    /// The coins of the supported chains.
    private static let nativeCoins = Chain.allCases.map(\.rules.coin.asset)

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The letter that a character can be confused with (as Unicode TR 39); nil for separators.
    private static func confusable(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "1"), UInt8(ascii: "l"), UInt8(ascii: "L"), UInt8(ascii: "|"),
            UInt8(ascii: "!"), UInt8(ascii: "i"), UInt8(ascii: "j"), UInt8(ascii: "J"):
            UInt8(ascii: "I")
        case UInt8(ascii: "4"), UInt8(ascii: "@"): UInt8(ascii: "A")
        case UInt8(ascii: "3"): UInt8(ascii: "E")
        case UInt8(ascii: "5"), UInt8(ascii: "$"): UInt8(ascii: "S")
        case UInt8(ascii: "0"), UInt8(ascii: "o"), UInt8(ascii: "O"), UInt8(ascii: "d"):
            UInt8(ascii: "D")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 0x20
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: " "): nil
        default: byte
        }
    }
}
