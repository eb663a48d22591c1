import DaybookDomain
import DaybookEncoding
import DaybookLog
import Foundation
import Testing

@testable import Daybook

/// Coins of a store: listed, frozen, named and spent as a whole.
struct CoinTests {
    private let temporary: TemporaryStore
    private let store: Store

    init() throws {
        temporary = try TemporaryStore()
        store = try temporary.open()
    }

    /// A wallet with coins of 1, 2 and 3 DASH in blocks.
    private func funded() async throws -> (WalletID, [WalletCoin]) {
        let wallet = try await store.addTestWallet(.dash).id
        for amount: MinorAmount in [100_000_000, 200_000_000, 300_000_000] {
            _ = try await store.fundFromFaucet(wallet, amount: amount)
        }
        try await store.mine(6)
        let coins = try await store.coins(of: wallet).coins
        return (wallet, coins.sorted { $0.amount < $1.amount })
    }

    private func open(_ amount: String = "") async throws -> RequestID {
        try await store.receive("dash:\(Flow.dash)\(amount)").id
    }

    @Test func `coins are listed in pages, each with its address and block`() async throws {
        let (wallet, coins) = try await funded()
        #expect(coins.map(\.amount) == ["100000000", "200000000", "300000000"])
        #expect(coins.allSatisfy { $0.isSpendable && !$0.isFrozen && $0.height != nil })
        var paged: [WalletCoin] = []
        var page = try await store.coins(of: wallet, limit: 2)
        paged += page.coins
        while let next = page.next {
            page = try await store.coins(of: wallet, after: next, limit: 2)
            paged += page.coins
        }
        #expect(Set(paged) == Set(coins))
        #expect(paged.map(\.id.description) == paged.map(\.id.description).sorted())
        let icon = try await store.addTestWallet(.icon).id
        #expect(await errorCode { _ = try await store.coins(of: icon) } == .noCoins)
        #expect(await errorCode { _ = try await store.coins(of: 999) } == .unknownWallet)
    }

    @Test func `a frozen coin is recorded once, survives a new start, and is spent by nothing`()
        async throws
    {
        let (wallet, coins) = try await funded()
        let frozen = try await store.freeze([coins[2].id, coins[2].id])
        #expect(frozen.map(\.id) == [coins[2].id])
        #expect(frozen[0].isFrozen && !frozen[0].isSpendable)
        let count = try await store.allRecords().count
        _ = try await store.freeze([coins[2].id], of: wallet)
        #expect(try await store.allRecords().count == count)
        let balance = try #require(try await store.balances(wallet: wallet).first)
        #expect(balance.frozen == "300000000")
        #expect(balance.available == "300000000")
        #expect(balance.confirmed == "600000000")
        let paid = try await store.approve(try await open(), coins: .all)
        #expect(paid.status == .completed)
        try await store.mine(1)
        #expect(try await store.coins(of: wallet).coins.map(\.id) == [coins[2].id])
        let folder = temporary.path + "-backup"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try await store.backup(to: folder)
        let again = try temporary.open(at: folder)
        #expect(try await again.coins(of: wallet).coins.map(\.isFrozen) == [true])
        _ = try await store.unfreeze([coins[2].id])
        #expect(try await store.balances(wallet: wallet).first?.available == "300000000")
        try await store.expectCleanReplay()
    }

    @Test func `a coin that is spent, reserved or nobody's is not frozen`() async throws {
        let (wallet, coins) = try await funded()
        let nobodys = try #require(CoinID(String(repeating: "ab", count: 32) + ":0"))
        #expect(await errorCode { _ = try await store.freeze([nobodys]) } == .unknownCoin)
        let other = try await store.addTestWallet(.axe).id
        let unknown = await errorCode { _ = try await store.freeze([coins[0].id], of: other) }
        #expect(unknown == .unknownCoin)
        let payment = try await open("?amount=0.5")
        _ = try await store.approve(payment, coins: .named([coins[0].id]))
        #expect(await errorCode { _ = try await store.freeze([coins[0].id]) } == .coinUnavailable)
        let many = (0...1000).compactMap { CoinID("\(coins[0].id.description.dropLast(1))\($0)") }
        #expect(await errorCode { _ = try await store.freeze(many) } == .tooManyCoins)
        #expect(try await store.balances(wallet: wallet).first?.frozen == "0")
    }

    @Test func `a payment from named coins spends them, and is audited for that`() async throws {
        let (wallet, coins) = try await funded()
        let request = try await open("?amount=0.5")
        let named = ChosenCoins.named([coins[1].id, coins[0].id])
        let shown = try await store.prompt(for: request, coins: named)
        #expect(shown.lines.filter { $0.name == "spends" }.count == 2)
        #expect(
            await errorCode {
                _ = try await store.approve(
                    request, shown: shown, unlockedBy: Passphrase("correct horse"))
            } == .promptChanged)
        #expect(try await store.approve(request, coins: named).status == .completed)
        let left = try await store.coins(of: wallet).coins.map(\.id)
        #expect(!left.contains(coins[0].id) && !left.contains(coins[1].id))
        #expect(left.contains(coins[2].id))
        try await store.expectCleanReplay()
        #expect(try audit(try await store.allRecords()) == [])
        var forging = Forging(records: try await store.allRecords())
        let prepared = try forging.last("transaction.prepared")
        let cause = Int(try #require(forging.records[prepared].cause))
        let state = try forging.state(before: cause)
        let row = try #require(state.request(request))
        // All else agrees: the user was shown other coins than those that are spent.
        let other = CoinChoice(named: [coins[2].id.outpoint])
        let prompt = state.prompt(
            for: try #require(row.request), id: request, wallet: wallet, amount: nil, coins: other,
            repeats: row.repeats)
        try forging.rewriteDecision(before: prepared) { data in
            DecisionMade(
                decision: .approve, prompt: prompt.digest, wallet: wallet, amount: nil,
                coins: other, unlocked: data.unlocked, began: data.began)
        }
        #expect(
            try audit(forging.records).first?.contains("other coins than the user named") == true)
    }

    private func audit(_ records: [EventRecord]) throws -> [String] {
        try AuditTests.violations(records).map(\.message)
    }

    @Test func `all of a wallet is signed on another machine`() async throws {
        let cold = try TemporaryStore()
        let signer = try cold.open()
        let own = try await signer.addTestWallet(.dash)
        let wallet = try await store.watchWallet(
            try await signer.watchKey(of: own.id), chain: .dash, label: "cold")
        _ = try await store.fundFromFaucet(wallet.id, amount: "100000000")
        try await store.mine(6)
        let request = try await open()
        let shown = try await store.prompt(for: request, coins: .all)
        let file = try await store.signingRequest(for: request, shown: shown, coins: .all)
        let signed = try await signer.sign(
            file, shown: try await signer.terms(of: file),
            unlockedBy: Passphrase("correct horse"))
        let paid = try await store.approve(request, shown: shown, coins: .all, signed: signed)
        #expect(paid.status == .completed)
        #expect(paid.amount.map { $0 > 99_990_000 } == true)
        try await store.expectCleanReplay()
    }

    @Test func `more coins than a prompt shows can't be named`() async throws {
        let (_, coins) = try await funded()
        let request = try await open()
        let many = ChosenCoins.named(Array(repeating: coins[0].id, count: 101))
        #expect(
            await errorCode { _ = try await store.prompt(for: request, coins: many) }
                == .tooManyCoins)
    }

    private static let txid = String(repeating: "ab", count: 32)

    @Test(arguments: [
        "", ":", "ab:0", txid, txid + ":", txid + ":01", txid + ":-1", txid + ":+1",
        txid + ":1:2", txid + ":4294967296", " " + txid + ":0",
    ])
    func `a text that is no coin is none`(text: String) {
        #expect(CoinID(text) == nil)
    }

    @Test func `a coin's text is its name in any case`() {
        let id = String(repeating: "aB", count: 32)
        #expect(CoinID(id + ":4294967295")?.description == id.lowercased() + ":4294967295")
    }
}
