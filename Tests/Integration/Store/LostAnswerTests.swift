import Foundation
import Testing

@testable import Daybook

/// Nodes that take a transaction and say nothing, say nothing at all, or refuse.
struct LostAnswerTests {
    static let payments =
        Flow.all.filter { $0.pays != nil } + [
            Flow(
                name: "Axe pay", chain: .axe,
                text: "axewallet://pay=P8bB9yPr3vVByqfmM5KXftyGckAtAdu6f8&amount=1&sender=myapp",
                pays: "100000000")
        ]

    private func funded(_ temporary: TemporaryStore, _ flow: Flow) async throws -> Store {
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(flow.chain)
        let amount: MinorAmount = flow.chain == .icon ? "10000000000000000000" : "1000000000"
        _ = try await store.fundFromFaucet(wallet.id, amount: amount)
        if flow.chain == .icon {
            _ = try await store.fundFromFaucet(wallet.id, amount: "5000", token: true)
        } else {
            try await store.mine(6)
        }
        return store
    }

    private func types(_ store: Store, _ id: RequestID) async throws -> [String] {
        try await store.allRecords().filter { $0.requestID == id }.map(\.type)
    }

    @Test(arguments: payments, ["at once", "in a block", "by another process"])
    func `a lost answer is settled by the same bytes`(flow: Flow, settled: String) async throws {
        let temporary = try TemporaryStore()
        var store = try await funded(temporary, flow)
        let request = try await store.receive(flow.text)
        try await store.setFault(.loseNextAnswer, on: flow.chain)
        let unknown = try await store.approve(request.id)
        #expect(unknown.status == .signed && unknown.callback == nil)
        switch settled {
        case "at once": try await store.resume()
        case "in a block": try await store.mine(2)
        default:
            store = try TemporaryStore.reopen(temporary, &store)
            _ = try await store.sync()
        }
        let done = try await store.request(request.id)
        let isFinal = flow.chain != .icon || settled == "in a block"
        #expect(done.status == (isFinal ? .completed : .sent))
        #expect(done.transaction == unknown.transaction && done.callback != nil)
        try await store.mine(1)
        try await store.resume()
        let types = try await types(store, request.id)
        #expect(types.count { $0 == "signature.made" } == 1)
        #expect(types.count { $0 == "broadcast.answered" } == 2)
        #expect(types.count { $0 == "callback.emitted" } == 1)
        #expect(try await flow.arrived(in: store) == [flow.pays])
        #expect(try await store.balances().allSatisfy { $0.reserved == "0" })
        try await store.expectCleanReplay()
    }

    @Test(arguments: payments)
    func `a transaction is sent again when a silent node speaks again`(flow: Flow) async throws {
        let store = try await funded(try TemporaryStore(), flow)
        let request = try await store.receive(flow.text)
        try await store.setFault(.loseNext, on: flow.chain)
        #expect(try await store.approve(request.id).status == .signed)
        try await store.resume()
        #expect(try await store.request(request.id).status == .signed)
        #expect(try await flow.arrived(in: store) == [])
        let held = try await store.balances().filter { $0.reserved != "0" }
        #expect(!held.isEmpty, "what may be on its way is not offered again")
        try await store.setFault(.none, on: flow.chain)
        try await store.resume()
        let isFinal = flow.chain != .icon
        #expect(try await store.request(request.id).status == (isFinal ? .completed : .sent))
        try await store.mine(1)
        #expect(try await store.request(request.id).status == .completed)
        #expect(try await flow.arrived(in: store) == [flow.pays])
        try await store.expectCleanReplay()
    }

    @Test(arguments: payments)
    func `a refusal ends as the protocol says and frees the held coins`(flow: Flow) async throws {
        let temporary = try TemporaryStore()
        let store = try await funded(temporary, flow)
        let before = try await store.balances()
        let request = try await store.receive(flow.text)
        let words = "the node's own words hx0502987e630ea7ebb2bf1d84a65a727109385bcf"
        try await store.setFault(.refuseNext(code: -26, message: words), on: flow.chain)
        let failed = try await store.approve(request.id)
        #expect(failed.status == .failed && failed.refusal == "refusedByNode")
        #expect(failed.reason?.contains("words") == false)
        if flow.chain == .icon {
            #expect(failed.protocolCode == -9999)
            let said = answer(failed)
            let text = try #require(said)
            #expect(text.contains(#""code":-9999"#) && !text.contains("words"))
        } else {
            #expect(failed.callback == nil)
        }
        #expect(try await store.balances() == before)
        try await store.mine(1)
        #expect(try await flow.arrived(in: store) == [])
        try await store.resume()
        #expect(try await types(store, request.id).count { $0 == "broadcast.answered" } == 1)
        // On ICON, the refused one could still be executed until its time has passed.
        temporary.wait(seconds: 600)
        _ = try await store.sync()
        let again = try await store.receive(flow.text)
        #expect(try await store.approve(again.id).status == .completed)
        try await store.expectCleanReplay()
    }

    @Test(arguments: payments.filter { $0.chain == .icon })
    func `a transaction too old when the node speaks again fails and frees the coins`(flow: Flow)
        async throws
    {
        let temporary = try TemporaryStore()
        let store = try await funded(temporary, flow)
        let before = try await store.balances()
        let request = try await store.receive(flow.text)
        try await store.setFault(.loseNext, on: .icon)
        #expect(try await store.approve(request.id).status == .signed)
        temporary.wait(seconds: 3600)
        try await store.setFault(.none, on: .icon)
        try await store.resume()
        let failed = try await store.request(request.id)
        #expect(failed.status == .failed && failed.protocolCode == -9999)
        #expect(try await store.balances() == before)
        try await store.expectCleanReplay()
    }

    @Test(arguments: payments.filter { $0.chain == .icon })
    func `a node that is silent when a request comes makes it -9999`(flow: Flow) async throws {
        let store = try await funded(try TemporaryStore(), flow)
        try await store.setFault(.silent, on: .icon)
        let refused = try await store.receive(flow.text)
        #expect(refused.status == .refused && refused.protocolCode == -9999)
        #expect(try await store.pending().isEmpty)
        try await store.expectCleanReplay()
    }
}

extension TemporaryStore {
    /// Lets go of a store and opens it again, as the next process would.
    fileprivate static func reopen(
        _ temporary: TemporaryStore, _ store: inout Store
    ) throws -> Store {
        store = try TemporaryStore().open()
        return try temporary.open()
    }
}
