import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookSigner

/// Descriptors as Dash Core 21.1.1 answers them, of BIP 39's first words.
struct OutputDescriptorTests {
    private func descriptors(_ network: Network) throws -> [OutputDescriptor] {
        let words = Bytes((String(repeating: "abandon ", count: 11) + "about").utf8)
        let secret = WalletSecret.mnemonic(try Mnemonic(parsing: SecretBytes(copying: words)))
        let material = try #require(try secret.publicMaterial(.dash, network))
        return OutputDescriptor.all(of: material)
    }

    @Test func `they are those of Dash Core on a test network`() throws {
        let standard =
            "[73c5da0a/44'/1'/0']tpubDC5FSnBiZDMmhiuCmWAYsLwgLYrrT9rAqvTySfuCCrgsWz8wxMXUS9Tb9i"
            + "VMvcRbvFcAHGkMD5Kx8koh4GquNGNTfohfk7pgjhaPCdXpoba"
        let legacy =
            "[73c5da0a/0']tpubD97UxEEVXiRs2uHYkHSU6ddidnoP2XQ54ddFZYJ7Cqo1szH58GtZeEDf7yiGGz5AB"
            + "CaECZE5AusSmQWfFvoAeM56m6CzoB77UGDb1wTwDyz"
        #expect(
            try descriptors(.testnet).map(\.text) == [
                "pkh(\(standard)/0/*)#sq4mwcyd", "pkh(\(standard)/1/*)#p5s6nd54",
                "pkh(\(legacy)/0/*)#qpy2k9ky", "pkh(\(legacy)/1/*)#34pttsxu",
            ])
    }

    @Test func `on the main network they have its coin type and its checksums`() throws {
        let all = try descriptors(.mainnet).map(\.text)
        #expect(all.map { $0.suffix(9) } == ["#nz6rwrdh", "#zklznka0", "#nl7n447w", "#ztmjgqwk"])
        #expect(all[0].hasPrefix("pkh([73c5da0a/44'/5'/0']xpub6CYEjsU6zPM3s"))
    }

    @Test func `a wallet that is watched has no descriptor of the key that it lacks`() throws {
        let watched = try WatchedKey.material(
            of: "tpubDC5FSnBiZDMmhiuCmWAYsLwgLYrrT9rAqvTySfuCCrgsWz8wxMXUS9Tb9iVMvcRbvFcAHGkMD5"
                + "Kx8koh4GquNGNTfohfk7pgjhaPCdXpoba",
            chain: .dash, network: .testnet, networkID: nil)
        let all = OutputDescriptor.all(of: watched)
        #expect(all.map(\.isBIP44) == [true, true])
        // Its master key is unknown.
        #expect(all.allSatisfy { $0.text.hasPrefix("pkh(tpubDC5") })
    }

    @Test func `a wallet of one key has one descriptor`() throws {
        let key = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
        let material = try WatchedKey.material(
            of: key, chain: .dash, network: .mainnet, networkID: nil)
        #expect(OutputDescriptor.all(of: material).map(\.text) == ["pkh(\(key))#e48zzw02"])
    }
}
