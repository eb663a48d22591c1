import DaybookChains
import Testing

struct UTXOParametersTests {
    @Test(arguments: [Chain.dash, .axe])
    func `the sandbox is written like mainnet and the test networks are alike`(
        chain: Chain
    ) throws {
        let networks = try [Network.sandbox, .regtest, .testnet, .mainnet].map { network in
            try #require(UTXOParameters.of(chain, network))
        }
        #expect(networks.map(\.format) == [.main, .test, .test, .main])
        #expect(networks.map(\.instantSendConfirmations) == [6, 2, 2, 6])
        #expect(networks.map(\.p2shVersion) == [0x10, 0x13, 0x13, 0x10])
        #expect(networks.map(\.wifVersion) == [0xcc, 0xef, 0xef, 0xcc])
        #expect(networks.map(\.coinType) == [5, 1, 1, 5])
        #expect(
            networks.map(\.extendedPublicVersion)
                == [0x0488_b21e, 0x0435_87cf, 0x0435_87cf, 0x0488_b21e])
        #expect(
            networks.map(\.extendedPrivateVersion)
                == [0x0488_ade4, 0x0435_8394, 0x0435_8394, 0x0488_ade4])
    }

    @Test func `Axe has an address version, a name and a second coin type of its own`() throws {
        let dash = try #require(UTXOParameters.of(.dash, .mainnet))
        let axe = try #require(UTXOParameters.of(.axe, .mainnet))
        #expect((dash.p2pkhVersion, axe.p2pkhVersion) == (0x4c, 0x37))
        #expect((dash.chain.rules.coin.asset, axe.chain.rules.coin.asset) == ("DASH", "AXE"))
        #expect((dash.coinTypes, axe.coinTypes) == ([5], [5, 4242]))
        #expect(UTXOParameters.of(.axe, .regtest)?.coinTypes == [1])
    }

    @Test func `amounts add up to 21 million coins and no further`() {
        #expect(Duffs.sum([Duffs.maximum - 1, 1]) == 2_100_000_000_000_000)
        #expect(Duffs.sum([Duffs.maximum, 1]) == nil)
        #expect(Duffs.sum([UInt64.max, 2]) == nil)
        #expect(Duffs.sum([]) == 0)
    }

    @Test func `dust is what the nodes call dust`() {
        let hash = [UInt8](repeating: 1, count: 20)
        #expect(RelayPolicy.dust(of: .p2pkh(hash)) == RelayPolicy.p2pkhDust)
        #expect(RelayPolicy.dust(of: .p2sh(hash)) == RelayPolicy.p2shDust)
        #expect(RelayPolicy.dust(of: Script([0x6a, 1, 1])) == 0)
    }
}
