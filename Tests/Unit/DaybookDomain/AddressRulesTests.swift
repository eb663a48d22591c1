import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// Accounts of many addresses: which are derived, which are handed out, and to whom.
struct AddressRulesTests {
    private static let branch = AddressRow.Branch(kind: .bip44, account: 0, isChange: false)

    private func address(_ given: Given, _ index: UInt32) -> AddressRow {
        given.state.addresses[AddressKey(1, Self.branch, index)]!
    }

    /// The text of the address that a caller is given.
    private func ask(_ given: inout Given, _ scheme: String, _ text: String) -> String? {
        given.readings[text] = .request(
            Request(
                link: "test", chain: .dash, action: .address(account: 0),
                caller: Caller(scheme: scheme, prefix: scheme + "://")))
        given.receive(text)
        let outcomes = given.approve(wallet: 1)
        #expect(outcomes.types == ["binding.granted", "callback.emitted"])
        guard case .bindingGranted(let data)? = outcomes.first?.payload else { return nil }
        #expect(data.kind == .address && data.caller == scheme && data.wallet == 1)
        let row = given.state.bindings[given.request]
        #expect(row == BindingRow(binding: data, time: given.time))
        return data.values.first
    }

    private func pay(_ given: inout Given, _ index: UInt32, id: UInt8) {
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.outputs = [
            .init(
                outpoint: Outpoint(TransactionID(Bytes(repeating: id, count: 32))!, 0),
                script: address(given, index).script, amount: 1000, height: 5, coinbase: false)
        ]
        #expect(
            given.when(.chainObserved(seen)).types
                == ["payment.received", "transaction.confirmed"])
    }

    @Test func `twenty addresses are derived after the last used one of each branch`() {
        var given = Given()
        given.addAccounts()
        func count(_ branch: AddressRow.Branch) -> Int {
            (0..<100).count { given.state.addresses.contains(AddressKey(1, branch, $0)) }
        }
        #expect(given.state.wallet(1)!.wallet.branches.map(count) == [20, 20, 20, 20])
        #expect(address(given, 3).path == "m/44'/5'/0'/0/3")
        pay(&given, 3, id: 1)
        #expect(given.state.wallet(1)!.wallet.branches.map(count) == [24, 20, 20, 20])
        pay(&given, 1, id: 2)
        #expect(given.state.wallet(1)!.wallet.branches.map(count) == [24, 20, 20, 20])
        pay(&given, 23, id: 3)
        #expect(given.state.wallet(1)!.wallet.branches.map(count) == [44, 20, 20, 20])
    }

    @Test func `a caller keeps its address until it is used, and nobody else gets it`() {
        var given = Given()
        given.addAccounts()
        #expect(ask(&given, "shop", "a") == address(given, 0).text)
        #expect(ask(&given, "shop", "b") == address(given, 0).text)
        #expect(ask(&given, "cafe", "c") == address(given, 1).text)
        pay(&given, 0, id: 1)
        #expect(ask(&given, "shop", "d") == address(given, 2).text)
        #expect(ask(&given, "cafe", "e") == address(given, 1).text)
        pay(&given, 2, id: 2)
        #expect(ask(&given, "cafe", "f") == address(given, 3).text)
    }

    @Test func `when the gap is given away the last address is shared`() {
        var given = Given()
        given.addAccounts()
        for index in 0..<20 {
            #expect(ask(&given, "app\(index)", "\(index)") == address(given, UInt32(index)).text)
        }
        #expect(ask(&given, "late", "late") == address(given, 19).text)
        #expect(ask(&given, "later", "later") == address(given, 19).text)
        #expect(ask(&given, "app4", "again") == address(given, 4).text)
    }

    @Test func `a master public key is both keys of the account, for a wallet that has it`() {
        var given = Given()
        given.addAccounts()
        for account in [UInt32(0), 1] {
            given.readings["keys\(account)"] = Given.request(
                .masterPublicKey(account: account), chain: .dash)
        }
        #expect(given.receive("keys1").types.first == "request.refused")
        given.receive("keys0")
        let keys = given.state.wallet(1)!.wallet.account(0)!
        #expect(given.prompt(wallet: 1)["paths"] == "m/0' and m/44'/5'/0'")
        #expect(
            given.approve(wallet: 1).first?.payload
                == .bindingGranted(
                    BindingGranted(
                        caller: "shop", wallet: 1, kind: .masterPublicKey,
                        values: [keys.bip32, keys.bip44])))
    }

    @Test func `a wallet that was removed answers nothing any more`() {
        var given = Given()
        let wallet = given.add(.dash)
        given.fund(wallet, duffs: 1_000_000)
        given.readings["pay"] = Given.pay(10_000)
        given.receive("pay")
        let shown = given.prompt(wallet: wallet).digest
        #expect(given.when(.walletRemoved(WalletRemoved(wallet: wallet))).isEmpty)
        #expect(given.approve(wallet: wallet, shown: shown).refusedDecision == .wrongWallet)
        #expect(given.state.spendableCoins(of: wallet).isEmpty && given.state.wallets().isEmpty)
        given.reject()
        #expect(given.receive("pay").types == ["request.refused", "callback.emitted"])
        // Its balance belongs to an external account again, and new payments are ignored.
        given.fund(wallet, duffs: 5, id: 8)
        #expect(given.state.balance(wallet, "DASH").confirmed == .zero)
    }
}
