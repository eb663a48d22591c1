import DaybookChains
import DaybookEncoding
import Testing

struct UTXOAddressTests {
    /// Addresses that the nodes made themselves.
    static let recorded: [(Chain, AddressFormat, UTXOAddress.Kind, String)] = [
        (.dash, .main, .p2pkh, "XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5"),
        (.dash, .main, .p2pkh, "XeBdurzVrhrFtgqf9SxzQqvhHodb53njW4"),
        (.axe, .main, .p2pkh, "PFsikyPACAbFFLPPcesSY8kpAMEimpKTqZ"),
        (.axe, .main, .p2pkh, "PNqaCWegQPt6XCc7av54YjXRnaC1q23E4U"),
        (.dash, .test, .p2pkh, "yRd4FhXfVGHXpsuZXPNkMrfD9GVj46pnjt"),
        (.axe, .test, .p2pkh, "yRd4FhXfVGHXpsuZXPNkMrfD9GVj46pnjt"),
        (.dash, .test, .p2sh, "8m9G4BJ6HYmYkBPtmahBRVVB7zhcKhG1AF"),
    ]

    @Test(arguments: recorded)
    func `an address that a node made is read and written`(
        chain: Chain, format: AddressFormat, kind: UTXOAddress.Kind, text: String
    ) throws {
        let address = try #require(UTXOAddress(text, chain: chain))
        #expect(address.format == format)
        #expect(address.kind == kind)
        #expect(address.text == text)
        let network: Network = format == .main ? .sandbox : .regtest
        let parameters = try #require(UTXOParameters.of(chain, network))
        #expect(UTXOAddress(Script(address.scriptPubKey), parameters) == address)
    }

    @Test func `an address has the script that the node says`() throws {
        let key = try #require(UTXOAddress("yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf", chain: .dash))
        #expect(
            Hex.encode(key.scriptPubKey) == "76a91449b87f5bdb567a325007422995fc07ce00566bdf88ac")
        let script = try #require(
            UTXOAddress("8m9G4BJ6HYmYkBPtmahBRVVB7zhcKhG1AF", chain: .dash))
        #expect(
            Hex.encode(script.scriptPubKey) == "a91449b87f5bdb567a325007422995fc07ce00566bdf87")
    }

    @Test func `a mainnet address belongs to one coin`() {
        #expect(UTXOAddress("XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5", chain: .axe) == nil)
        #expect(UTXOAddress("PFsikyPACAbFFLPPcesSY8kpAMEimpKTqZ", chain: .dash) == nil)
    }

    @Test(arguments: [
        "", "X", "XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf6", "XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf",
        "XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5 ", "xoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5",
        "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
        "XGihgbi7c1nVqrjkPSvzJydLVWYW7hTrcXdfSdpFMwi3Xhbabw93", "X٢", "Xe\u{301}",
    ])
    func `a text that is no address is none`(text: String) {
        #expect(UTXOAddress(text, chain: .dash) == nil)
    }

    @Test func `ICON has no such addresses`() {
        #expect(UTXOAddress("XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5", chain: .icon) == nil)
        #expect(UTXOParameters.of(.icon, .sandbox) == nil)
    }
}
