import DaybookDomain
import DaybookEncoding
import DaybookNodes
import Testing

@testable import Daybook

/// A history has one entry for each transaction and asset, and adds up to the balance.
struct HistoryTests {
    /// The entries of a wallet, newest first, after a look at the sums of all histories.
    private func entries(
        _ store: Store, _ wallet: Wallet, _ location: SourceLocation = #_sourceLocation
    ) async throws -> [HistoryEntry] {
        let difference = try await store.historyDifference()
        #expect(difference == nil, sourceLocation: location)
        return try await store.history(of: wallet.id).entries
    }

    @Test(arguments: [ChainName.dash, .axe])
    func `spends of a restored wallet are not called income`(_ chain: ChainName) async throws {
        let store = try TemporaryStore().open()
        let first = try await store.addFundedWallet(chain)
        let target = chain == .dash ? "dashwallet://pay=\(Flow.dash)" : "axe:\(Flow.axe)?"
        let link = chain == .dash ? "\(target)&amount=1&sender=myapp" : "\(target)amount=1"
        let paid = try await store.approve(try await store.receive(link).id)
        let fee = try #require(paid.fee.flatMap { UInt64(exactly: $0) })
        try await store.mine(1)
        let before = try await entries(store, first)
        #expect(before.map(\.kind) == [.sent, .received])
        #expect(before.map(\.amount) == ["-\(100_000_000 + fee)", "1000000000"])
        #expect(before.map(\.fee) == ["\(fee)", nil])
        try await store.removeWallet(first.id)
        // The words are all that is left: its own payment was made elsewhere.
        let again = try await store.addTestWallet(chain)
        _ = try await store.sync()
        let restored = try await entries(store, again)
        #expect(restored.map(\.amount) == before.map(\.amount))
        #expect(restored.map(\.kind) == [.sent, .received])
        #expect(restored.map(\.transaction) == before.map(\.transaction))
        #expect(restored.map(\.height) == before.map(\.height))
        try await store.expectCleanReplay()
    }

    @Test func `a payment between two wallets of the store is in both histories`() async throws {
        let store = try TemporaryStore().open()
        let payer = try await store.addFundedWallet(.dash)
        let payee = try await store.addOtherTestWallet(.dash)
        let request = try await store.receive(
            "dashwallet://pay=\(payee.address)&amount=2&sender=myapp")
        let paid = try await store.approve(request.id, wallet: payer.id)
        let fee = try #require(paid.fee.flatMap { UInt64(exactly: $0) })
        try await store.mine(1)
        let given = try #require(try await entries(store, payer).first)
        let got = try await entries(store, payee)
        #expect(given.kind == .sent && given.amount == "-\(200_000_000 + fee)")
        #expect(given.fee == "\(fee)" && given.recipient == payee.address)
        #expect(got.map(\.kind) == [.received] && got.map(\.amount) == ["200000000"])
        #expect(got[0].fee == nil && got[0].recipient == nil)
        #expect(got[0].transaction == given.transaction && got[0].request == request.id)
        try await store.expectCleanReplay()
    }

    @Test func `a payment to the same wallet is moved, for its fee`() async throws {
        let store = try TemporaryStore().open()
        let wallet = try await store.addFundedWallet(.dash)
        let own = try await store.address(of: wallet.id)
        let request = try await store.receive("dashwallet://pay=\(own)&amount=2&sender=myapp")
        let fee = try #require(try await store.approve(request.id).fee)
        try await store.mine(1)
        let moved = try #require(try await entries(store, wallet).first)
        #expect(moved.kind == .moved && moved.amount == "-\(fee)" && moved.fee == fee)
        try await store.expectCleanReplay()
    }

    @Test(arguments: [true, false])
    func `a call on ICON is one entry, with the fee that its block took`(
        _ isKnown: Bool
    ) async throws {
        let store = try TemporaryStore().open()
        let wallet = try await store.addFundedWallet(.icon)
        let call = isKnown
            ? #""method":"transfer","params":{"_to":"\#(Flow.key2)","_value":"0x5"}"#
            : #""method":"nosuch""#
        let request = try await store.receive(
            Self.send(#""to":"\#(Flow.token)","dataType":"call","data":{\#(call)}"#))
        let highest = try #require(try await store.approve(request.id).fee)
        try await store.mine(1)
        _ = try await store.sync()
        let fee = try #require(try await store.request(request.id).fee)
        #expect(highest == "62500000000000000" && fee.description.count < highest.description.count)
        let entry = try #require(
            try await entries(store, wallet).first { $0.request == request.id })
        #expect(entry.kind == (isKnown ? .fee : .failed) && entry.asset == "ICX")
        #expect(entry.amount == "-\(fee)" && entry.fee == fee)
        let ids = try await store.history(of: wallet.id).entries.map(\.transaction)
        #expect(ids.count { $0 == entry.transaction } == 1)
        try await store.expectCleanReplay()
    }

    @Test func `a token and its fee are an entry each, and none of them twice`() async throws {
        let store = try TemporaryStore().open()
        let wallet = try await store.addFundedWallet(.icon)
        let sends = try #require(Flow.all.last)
        let request = try await store.receive(sends.text)
        try await store.approve(request.id)
        try await store.mine(1)
        let made = try await entries(store, wallet).filter { $0.request == request.id }
        #expect(Set(made.map(\.asset)) == [Flow.token, "ICX"])
        let token = try #require(made.first { $0.asset == Flow.token })
        #expect(token.kind == .sent && token.amount == "-100" && token.fee == nil)
        let fee = try #require(made.first { $0.asset == "ICX" })
        #expect(fee.kind == .fee && fee.amount == fee.fee.map { "-\($0)" })
        try await store.expectCleanReplay()
    }

    @Test func `an entry stays one while its block is replaced`() async throws {
        let store = try TemporaryStore().open()
        let wallet = try await store.addFundedWallet(.dash)
        try await store.approve(try await store.receive(Flow.all[0].text).id)
        try await store.mine(1)
        let before = try await entries(store, wallet)
        #expect(before.allSatisfy { $0.height != nil })
        try await store.reorganise(.dash, depth: 1)
        let without = try await entries(store, wallet)
        #expect(without.map(\.id) == before.map(\.id) && without.first?.height == nil)
        #expect(without.first?.status == .completed, "it is locked")
        try await store.mine(1)
        let after = try await entries(store, wallet)
        #expect(after.map(\.amount) == before.map(\.amount))
        #expect(after.allSatisfy { $0.height != nil })
        try await store.expectCleanReplay()
    }

    /// A link of Connect's second form that asks for a transaction with these parameters.
    private static func send(_ parameters: String) -> String {
        let time = String(1_800_000_000_000_000, radix: 16)
        let json =
            #"{"redirect":"my-app://","payload":{"jsonrpc":"2.0","method":"icx_sendTransaction","#
            + #""id":1,"params":{"version":"0x3","from":"\#(Flow.key1)","nid":"0x3","#
            + #""stepLimit":"0x4c4b40","timestamp":"0x\#(time)","#
            + #"\#(parameters)}}}"#
        let data = Base64.encode(Array(json.utf8)).replacing("=", with: "%3D")
        return "iconex://JSON-RPC?data=\(data)"
    }
}

extension Store {
    /// The first balance that its history does not add up to.
    fileprivate func historyDifference() throws -> String? {
        try journal.read { $0.historyDifference() }
    }
}
