import DaybookChains
import DaybookEncoding
import Testing

struct PublicMaterialTests {
    private let material = PublicMaterial(
        chain: .dash, network: .mainnet, networkID: nil,
        keys: .accounts([.init(number: 0, bip32: "", bip44: "", coinType: 5)]))

    private func path(_ text: String) throws -> DerivationPath {
        try #require(DerivationPath(text))
    }

    @Test(arguments: [
        ("m/44'/5'/0'/1/0", true), ("m/0'/1/0", true), ("m/44'/5'/0'/1/999999", true),
        ("m/44'/5'/0'/1/1000000", false), ("m/44'/5'/0'/1/2147483647", false),
        ("m/44'/5'/0'/0/0", false), ("m/44'/5'/0'/2/0", false), ("m/44'/5'/1'/1/0", false),
        ("m/44'/5'/0'/1'/0", false), ("m/44'/5'/0'/1/0'", false), ("m/44'/4242'/0'/1/0", false),
        ("m/44'/5'/0'/1", false), ("m/44'/5'/0'/1/0/0", false), ("m/1/0", false), ("m", false),
    ])
    func `change goes to branch 1 of the wallet's accounts`(
        text: String, isChange: Bool
    ) throws {
        #expect(material.isChange(try path(text)) == isChange)
    }

    @Test(arguments: [
        (19, [], true), (20, [], false), (999_999, [], false),
        // Each used address moves the end by twenty; one beyond the end moves nothing.
        (23, [3], true), (24, [3], false), (40, [3, 20], true), (40, [20, 3], true),
        (41, [20, 3], false), (39, [19, 19], true), (40, [20], false), (999_999, [999_998], false),
    ] as [(Int, [Int], Bool)])
    func `a restore finds change as far as used addresses reach`(
        index: Int, used: [Int], isFound: Bool
    ) throws {
        let change = try path("m/44'/5'/0'/1/\(index)")
        let inputs = try used.map { try path("m/44'/5'/0'/1/\($0)") }
        #expect(material.finds(changeAt: change, spending: inputs) == isFound)
        // Another branch proves nothing.
        let others = try used.map { try path("m/44'/5'/0'/0/\($0)") }
        #expect(material.finds(changeAt: change, spending: others) == (index < 20))
    }

    @Test func `a wallet of one key has all its change at that key`() {
        let single = PublicMaterial(
            chain: .dash, network: .mainnet, networkID: nil, keys: .single(publicKey: [2]))
        #expect(single.isChange(.master))
        #expect(single.finds(changeAt: .master, spending: []))
    }
}
