import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookSigner

struct WatchedKeyTests {
    private func material(
        _ text: String, _ chain: Chain = .dash, _ network: Network = .mainnet,
        coinType: UInt32? = nil
    ) -> PublicMaterial? {
        WatchedKey.material(
            of: text, chain: chain, network: network, networkID: nil, coinType: coinType)
    }

    @Test func `a wallet is watched by what it says itself`() throws {
        let own = try OfflineScene.dash()
        let text = WatchedKey.text(of: own)
        let fingerprint = Hex.encode(BigEndian.fourBytes(own.masterFingerprint))
        #expect(own.masterFingerprint != 0)
        #expect(text.hasPrefix("[\(fingerprint)/44'/5'/0']xpub"))
        let watched = try #require(material(text))
        let key = try #require(text.split(separator: "]").last)
        #expect(material(String(key)) == watched)
        for path in ["m/44'/5'/0'/0/7", "m/44'/5'/0'/1/3"] {
            let path = try #require(DerivationPath(path))
            #expect(watched.publicKey(at: path) == own.publicKey(at: path))
        }
        #expect(watched.publicKey(at: try #require(DerivationPath("m/0'/0/0"))) == nil)
        #expect(WatchedKey.text(of: watched) == key)
    }

    @Test func `an ICON wallet is watched by its public key`() throws {
        let own = try OfflineScene.iconMaterial()
        let watched = WatchedKey.material(
            of: WatchedKey.text(of: own), chain: .icon, network: .sandbox, networkID: 3)
        #expect(watched == own)
    }

    @Test func `another chain, network, depth or origin is refused`() throws {
        let own = try OfflineScene.dash()
        guard case .accounts(let accounts) = own.keys else { return }
        let account = accounts[0]
        #expect(material(account.bip44) != nil)
        #expect(material(account.bip32) == nil, "the key of m/0'")
        #expect(material(account.bip44, .dash, .testnet) == nil)
        #expect(material(account.bip44, .icon) == nil)
        let child = try #require(ExtendedPublicKey(account.bip44)?.child(0))
        #expect(material(child.text) == nil)
        for origin in [
            "[73c5da0a/44'/5'/1']", "[73c5da0a/44'/1'/0']", "[73c5da0a/44'/5']", "[]",
            "[73c5da/44'/5'/0']", "[73c5da0a/44/5'/0']", "[73c5da0a/44'/5'/0'",
        ] {
            #expect(material(origin + account.bip44) == nil, "\(origin)")
        }
        #expect(material(account.bip44, .axe, coinType: 4242) != nil)
        #expect(material(account.bip44, .axe, coinType: 6) == nil)
        for text in ["", "xpub", String(repeating: "0", count: 66), account.bip44 + "x"] {
            #expect(material(text) == nil)
        }
    }
}
