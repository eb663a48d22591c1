import DaybookChains
import DaybookEncoding
import DaybookNodes
import Foundation
import NodeServer
import Testing

@testable import Daybook

/// The words about a payment between its signature and its block.
struct InFlightTests {
    private let temporary: TemporaryStore
    private let server: NodeServer

    init() throws {
        temporary = try TemporaryStore()
        server = try temporary.dashNodeWithoutLocks()
    }

    /// A store on the node, whose wallet has the coins given.
    private func funded(
        _ temporary: TemporaryStore, _ duffs: [UInt64] = [1_000_000_000]
    ) async throws -> Store {
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash, network: .regtest)
        try await store.setNode(.dash, .regtest, url: server.url)
        let address = try await store.address(of: wallet.id)
        for amount in duffs { try server.fund(address, amount) }
        server.mine(6)
        _ = try await store.sync()
        return store
    }

    private func pay(_ store: Store, _ amount: String = "1") async throws -> WalletRequest {
        let request = try await store.receive(
            "dashwallet://pay=\(Self.stranger)&amount=\(amount)&sender=myapp")
        return try await store.approve(request.id)
    }

    /// An address of nobody whom the stores know.
    private static let stranger = "yYvm9nJUoaC856FnTQNKePUP8A8vaB5ehS"

    private func refuse(_ code: Int, _ text: String) {
        server.misbehave(.error(code: code, message: text), on: "sendrawtransaction")
    }

    @Test(arguments: [
        ("min relay fee not met, 100 < 225", "feeBelowRelay", "cancel"),
        ("mempool min fee not met, 300 < 450", "feeTooLow", "wait"),
        ("too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]",
            "tooManyUnconfirmed", "wait for a block"),
        ("txn-mempool-conflict", "mempoolConflict", "only one of the two"),
        ("non-final", "notFinal", "wait"), ("a word of tomorrow", "unclear", "cancel"),
    ]) func `a payment that no node takes is in flight, with the node's reason`(
        said: String, name: String, advice: String
    ) async throws {
        let store = try await funded(temporary)
        refuse(-26, said)
        let signed = try await pay(store)
        #expect(signed.status == .signed && signed.nodeReason?.rawValue == name)
        let payment = try #require(try await store.inFlight().first)
        #expect(payment.request.id == signed.id && payment.request.status == .signed)
        #expect(payment.request.reason == signed.reason && payment.request.reason != nil)
        #expect(payment.request.advice?.contains(advice) == true)
        #expect(payment.held.map(\.amount) == ["1000000000"])
        #expect(payment.since != nil && payment.asked != nil)
        let round = try await store.sync()
        #expect(round.payments.map(\.kind) == [.notTaken])
        #expect(round.payments.first?.request.reason == signed.reason)
        let finding = try examined().first
        #expect(finding?.status == .warning)
        #expect(finding?.message.contains("holds back 10 DASH") == true)
        server.behave()
        #expect(try await store.sync().payments.map(\.kind) == [.sent])
        #expect(try await store.request(signed.id).status == .sent)
        #expect(try await store.inFlight().map(\.request.status) == [.sent])
        server.mine()
        _ = try await store.sync()
        #expect(try await store.inFlight().isEmpty)
        try await store.expectCleanReplay()
    }

    @Test func `a node that is silent is the reason`() async throws {
        let store = try await funded(temporary)
        server.misbehave(.closes, on: "sendrawtransaction")
        let signed = try await pay(store)
        #expect(signed.status == .signed && signed.nodeReason == "noAnswer")
        #expect(try await store.inFlight().first?.request.advice?.contains("node check") == true)
    }

    @Test func `the same reason with other figures is recorded once, and told once`()
        async throws
    {
        let store = try await funded(temporary)
        refuse(-26, "mempool min fee not met, 300 < 450")
        _ = try await pay(store)
        let count = try await store.allRecords().count
        refuse(-26, "mempool min fee not met, 300 < 451")
        _ = try await store.sync()
        #expect(try await store.allRecords().count == count)
        var watch = SyncWatch(longestPause: 1)
        let round = try await store.sync()
        #expect(watch.change(in: round, due: [], of: []) != nil)
        #expect(watch.change(in: round, due: [], of: []) == nil)
    }

    @Test func `a refusal says why, in our words and not the node's`() async throws {
        let store = try await funded(temporary)
        refuse(-26, "64: dust")
        let failed = try await pay(store)
        #expect(failed.status == .failed && failed.refusal == "refusedByNode")
        #expect(failed.nodeReason == "dust")
        #expect(failed.reason == "the node refused the transaction: it pays an amount below the"
            + " dust limit")
        try await store.expectCleanReplay()
    }

    @Test func `a payment that a mempool forgot and does not take again says why`() async throws {
        let store = try await funded(temporary)
        let before = server.utxo { $0.rows.scan(prefix: [], after: nil, limit: .max) }
        let paid = try await pay(store)
        #expect(paid.status == .completed)
        restore(before)
        refuse(-26, "mempool min fee not met, 300 < 450")
        let round = try await store.sync()
        #expect(round.payments.map(\.kind) == [.notTaken])
        let payment = try #require(try await store.inFlight().first)
        #expect(payment.request.status == .sent && payment.request.nodeReason == "feeTooLow")
        server.behave()
        #expect(try await store.sync().payments.map(\.kind) == [.sentAgain])
        #expect(try await store.inFlight().first?.request.nodeReason == nil)
        try await store.expectCleanReplay()
    }

    /// The doctor's findings about payments, in a copy of the store: this one is open.
    private func examined() throws -> [StoreFinding] {
        let copy = try TemporaryStore()
        try FileManager.default.removeItem(atPath: copy.path)
        try FileManager.default.copyItem(atPath: temporary.path, toPath: copy.path)
        return try Store.examine(at: copy.path).filter { $0.about == "payments" }
    }

    /// Gives the chain the blocks back that it had; what came since is forgotten.
    private func restore(_ rows: [Row]) {
        server.utxo { sandbox in
            for row in sandbox.rows.scan(prefix: [], after: nil, limit: .max) {
                sandbox.rows.remove(row.key)
            }
            for row in rows { sandbox.rows.set(row.key, row.value) }
        }
    }

    // MARK: - After the caller was told

    @Test(arguments: ["at once", "node unclear", "with a child"])
    func `a payment whose coin was spent elsewhere is not paid, and its change is no coin`(
        how: String
    ) async throws {
        let other = try TemporaryStore()
        let store = try await funded(temporary)
        let twin = try other.open()
        _ = try await twin.addTestWallet(.dash, network: .regtest)
        try await twin.setNode(.dash, .regtest, url: server.url)
        _ = try await twin.sync()
        let before = server.utxo { $0.rows.scan(prefix: [], after: nil, limit: .max) }
        let paid = try await pay(store)
        #expect(paid.status == .completed && paid.callback != nil)
        server.mine()
        _ = try await store.sync()
        #expect(try await store.request(paid.id).status == .completed)
        var child: WalletRequest?
        if how == "with a child" { child = try await pay(store, "2") }

        restore(before)
        let rival = try await pay(twin, "3")
        #expect(rival.status == .completed)
        server.mine(2)
        _ = try await twin.sync()
        if how == "node unclear" { refuse(-26, "a word of tomorrow") }
        let round = try await store.sync()
        #expect(round.payments.filter { $0.kind == .lost }.map(\.request.id).first == paid.id)

        let lost = try await store.request(paid.id)
        #expect(lost.status == .failed && lost.refusal == "conflicted" && lost.wasToldPaid)
        #expect(lost.reason == "another transaction has spent the coins of this one")
        if let child { #expect(try await store.request(child.id).status == .failed) }
        #expect(try await store.inFlight().isEmpty)
        let (mine, theirs) = (try await store.balances(), try await twin.balances())
        #expect(mine.map(\.available) == theirs.map(\.available))
        #expect(mine.map(\.unconfirmed) == ["0"])
        #expect(mine.map(\.reserved) == ["0"])
        #expect(try examined().contains { $0.message.contains("not paid after all") })
        try await store.expectCleanReplay()
    }

    @Test func `the figures of a balance add up`() async throws {
        let store = try await funded(temporary, [100_000_000, 200_000_000])
        let wallet = try #require(try await store.wallets().first)
        let address = try await store.address(of: wallet.id)
        try server.fund(address, 5_000_000, mined: false)
        let script = try #require(UTXOAddress(address, chain: .dash)?.scriptPubKey)
        server.utxo { $0.mine(1, at: 0, to: Script(script)) }
        try server.fund(address, 7_000_000, mined: false)
        refuse(-26, "non-final")
        _ = try await pay(store)
        _ = try await store.sync()
        let balance = try #require(try await store.balances().first)
        let parts = [
            balance.confirmed, balance.unconfirmed, balance.reserved, balance.held,
            balance.available, balance.immature,
        ].map { $0.magnitude }
        let sums = [parts[0...1], parts[2...4]].map { parts in
            parts.reduce(UInt256.zero) { $0.adding($1) ?? .max }
        }
        #expect(sums[0] == sums[1] && parts[5] > .zero)
        #expect(parts[3] == parts[5].adding(UInt256(7_000_000)))
    }
}
