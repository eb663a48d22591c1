import DaybookEncoding

/// What amounts of a token are called, and how many decimals a whole one has.
package struct TokenUnit: Hashable, Sendable {
    /// The token's symbol, or its contract where the symbol could mislead.
    package let asset: String
    /// The decimals of a whole token.
    package let decimals: Int

    /// A unit of its name and decimals.
    package init(asset: String, decimals: Int) {
        self.asset = asset
        self.decimals = decimals
    }

    /// Whether a symbol can stand for a token: a few letters and digits, and no coin's own name.
    ///
    /// A contract may call itself anything. For example `ICX`, `lCX` and `D-A-S-H` are refused,
    /// and so is every letter that is not ASCII: `ІCX` begins with a Ukrainian letter.
    package static func canBeShown(_ symbol: String) -> Bool {
        (1...longestSymbol).contains(symbol.utf8.count) && symbol.utf8.allSatisfy(isPlain)
            && !isReserved(symbol)
    }

    /// Whether a symbol is a native coin's, or would be taken for it.
    package static func isReserved(_ symbol: String) -> Bool {
        let seen = symbol.utf8.compactMap(seenAs)
        return nativeCoins.contains { $0.utf8.compactMap(seenAs).elementsEqual(seen) }
    }

    private static let longestSymbol = 16

    /// The coins of the chains that wallets are kept for.
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

    /// The letter that a hasty reader sees; nil for what the eye skips.
    private static func seenAs(_ byte: UInt8) -> UInt8? {
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
