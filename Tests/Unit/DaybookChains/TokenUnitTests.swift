import DaybookChains
import DaybookEncoding
import Testing

struct TokenUnitTests {
    @Test(arguments: [
        "ICX", "icx", "lCX", "1cx", "I.C.X", "DASH", "dash", "DA5H", "D4SH", "0ASH", "AXE", "4x3",
        "Axe",
    ])
    func `no token is shown under a coin's symbol, or one that looks like it`(symbol: String) {
        #expect(TokenUnit.isReserved(symbol))
        #expect(!TokenUnit.canBeShown(symbol))
    }

    @Test(arguments: ["SBX", "sICX", "bnUSD", "OMM", "BALN", "IUSDC", "BTCB", "USDS", "CFT"])
    func `tokens that there are keep their symbols`(symbol: String) {
        #expect(TokenUnit.canBeShown(symbol))
    }

    @Test(arguments: [
        "", "\u{406}CX", "IC\u{445}", "\u{ff29}\u{ff23}\u{ff38}", "I CX", "ICX\u{200b}", "I\nX",
        String(repeating: "A", count: 17),
    ])
    func `only a few letters and digits of ASCII are a symbol`(symbol: String) {
        #expect(!TokenUnit.canBeShown(symbol))
    }

    @Test func `a price is usual between bounds of its network`() {
        let loop = UsualFee.of(.icon, .mainnet)
        for (price, isUsual) in [
            (UInt64(1), false), (1_249_999_999, false), (1_250_000_000, true),
            (12_500_000_000, true), (125_000_000_000, true), (125_000_000_001, false),
        ] {
            #expect(loop.isUsual(UInt256(price)) == isUsual)
        }
        for network in Network.allCases {
            #expect(!UsualFee.of(.icon, network).isUsual(UInt256(1)))
            #expect(UsualFee.of(.icon, network).isUsual(UInt256(12_500_000_000)))
            for chain in [Chain.dash, .axe] {
                #expect(UsualFee.of(chain, network).isUsual(UInt256(1_000)))
                #expect(!UsualFee.of(chain, network).isUsual(UInt256(10_001)))
                #expect(!UsualFee.of(chain, network).isUsual(UInt256(99)))
            }
        }
    }
}
