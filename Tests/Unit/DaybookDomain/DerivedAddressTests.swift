import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// Addresses follow from a wallet's keys, and a wallet from its fingerprint: never from a row.
struct DerivedAddressTests {
    private static let receive = AddressRow.Branch(kind: .bip44, account: 0, isChange: false)
    private static let change = AddressRow.Branch(kind: .bip44, account: 0, isChange: true)

    /// A wallet of one key with an event that states another fingerprint, or other keys.
    private static let inconsistent: [WalletAdded] = {
        let own = WalletAdded(
            chain: .dash, network: .sandbox, networkID: nil, label: nil,
            keys: .single(publicKey: Given.publicKey(1)))
        func forged(
            _ chain: Chain = .dash, _ network: Network = .sandbox, _ networkID: UInt64? = nil,
            key: UInt8 = 1, fingerprint: String? = nil
        ) -> WalletAdded {
            WalletAdded(
                chain: chain, network: network, networkID: networkID, label: nil,
                fingerprint: fingerprint ?? own.fingerprint,
                keys: .single(publicKey: Given.publicKey(key)))
        }
        return [
            forged(.axe), forged(.dash, .mainnet), forged(.dash, .sandbox, 3), forged(key: 2),
            forged(fingerprint: ""), forged(fingerprint: "x"),
            forged(fingerprint: String(own.fingerprint.prefix(16))),
            forged(fingerprint: own.fingerprint.uppercased()),
        ]
    }()

    @Test(arguments: inconsistent)
    func `a wallet whose fingerprint is not that of its keys is ignored`(data: WalletAdded) {
        var given = Given()
        let before = given.state.rows.scan(prefix: [], after: nil, limit: .max)
        given.when(.walletAdded(data))
        #expect(!data.isConsistent)
        #expect(given.state.rows.scan(prefix: [], after: nil, limit: .max) == before)
        #expect(given.state.wallets().isEmpty)
    }

    @Test func `all of an account is in the fingerprint`() {
        func fingerprint(
            _ number: UInt32 = 0, _ bip32: String = "a", _ bip44: String = "b", _ coin: UInt32 = 5,
            more: Bool = false
        ) -> String {
            let account = WalletAdded.Account(
                number: number, bip32: bip32, bip44: bip44, coinType: coin)
            return PublicMaterial(
                chain: .dash, network: .sandbox, networkID: nil,
                keys: .accounts(more ? [account, account] : [account])
            ).fingerprint
        }
        let all = [
            fingerprint(), fingerprint(1), fingerprint(0, "x"), fingerprint(0, "a", "x"),
            fingerprint(0, "a", "b", 1), fingerprint(more: true), fingerprint(0, "b", "a"),
        ]
        #expect(Set(all).count == all.count)
    }

    @Test func `the next address is the wallet's own, despite false rows`() {
        var given = Given()
        given.addAccounts()
        var state = given.state
        let own = (0..<20).map {
            state.wallet(1)!.wallet.address(of: Self.receive, at: $0, BranchKeys())!
        }
        #expect(state.nextAddress(1, account: 0, caller: nil) == own[0])
        for index in UInt32(0)..<20 {
            state.addresses[AddressKey(1, Self.receive, index)] = Self.forged
            state.addresses[AddressKey(1, Self.change, index)] = Self.forged
        }
        #expect(state.nextAddress(1, account: 0, caller: nil) == own[0])
        #expect(state.changeAddress(1)?.path == "m/44'/5'/0'/1/0")
        #expect(state.changeAddress(1)?.text != Self.forged.text)
        for index in UInt32(0)..<20 { state.addresses[AddressKey(1, Self.receive, index)] = nil }
        #expect(state.nextAddress(1, account: 0, caller: "shop") == own[0])
    }

    private static let counters: [(UInt64, UInt64)] = [
        (.max, .max), (0, .max), (.max, 0), (5, 3), (0x8000_0000, 1 << 40),
        (0x7fff_ffff, 0x1_0000_0000), (0xffff_ffff, .max),
    ]

    @Test(arguments: counters)
    func `counters beyond all addresses end nothing and loop for nothing`(
        afterUsed: UInt64, derived: UInt64
    ) {
        var given = Given()
        given.addAccounts()
        var state = given.state
        for branch in [Self.receive, Self.change] {
            state.branches[BranchKey(1, branch)] = BranchRow(derived: derived, afterUsed: afterUsed)
        }
        let next = state.nextAddress(1, account: 0, caller: "shop")
        #expect(next.map { $0.path.hasPrefix("m/44'/5'/0'/0/") } ?? true)
        _ = state.changeAddress(1)
    }

    @Test func `a wallet of one key has its address, and no other account`() {
        var given = Given()
        let wallet = given.add(.dash)
        var state = given.state
        let own = UTXOAddress(PublicKey(Given.publicKey(1))!, .of(.dash, .sandbox)!).text
        state.addresses[AddressKey(wallet, .single, 0)] = Self.forged
        #expect(state.nextAddress(wallet, account: 0, caller: nil)?.text == own)
        #expect(state.nextAddress(wallet, account: 1, caller: nil) == nil)
        #expect(state.changeAddress(wallet)?.text == own)
        #expect(state.wallet(wallet)?.address == own)
    }

    private static let forged = AddressRow(
        text: Given.address, script: [1], path: "m/44'/5'/0'/0/7", publicKey: [2])
}

extension WalletAdded: CustomTestStringConvertible {
    public var testDescription: String { "\(chain) \(network) \(fingerprint)" }
}
