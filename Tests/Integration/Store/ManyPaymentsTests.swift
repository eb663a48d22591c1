import DaybookChains
import DaybookDomain
import Testing

@testable import Daybook

/// Payments from the change of one coin, on an embedded chain that refuses the 26th in a row.
struct ManyPaymentsTests {
    private func store() async throws -> (Store, Wallet) {
        let store = try TemporaryStore().open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        try await store.mine(6)
        return (store, wallet)
    }

    private func pay(_ store: Store, _ number: Int) async throws -> WalletRequest {
        try await store.approve(try await request(store, number).id)
    }

    private func request(_ store: Store, _ number: Int) async throws -> WalletRequest {
        try await store.receive(
            "dashwallet://pay=\(Flow.dash)&amount=0.01&sender=shop\(number)")
    }

    private func code(_ body: () async throws -> Void) async -> String? {
        await errorCode(of: body)?.rawValue
    }

    @Test func `25 are made, more wait for a block, and no coin is held by one that can't be sent`()
        async throws
    {
        let (store, _) = try await store()
        var ids: [RequestID] = []
        for number in 1...25 {
            let request = try await pay(store, number)
            #expect(request.status == .completed, "\(number)")
            ids.append(request.id)
        }
        for number in 26...27 {
            let next = try await request(store, number)
            let problem = try await store.prompt(for: next.id).problem
            #expect(problem?.contains("until a block has request \(ids[0])") == true, "\(number)")
            #expect(
                await code { try await store.approve(next.id) } == "insufficientBalance")
            #expect(try await store.request(next.id).status == .pending)
            ids.append(next.id)
        }
        #expect(try await store.balances().allSatisfy { $0.reserved == "0" })
        // The advice is followed: a block.
        try await store.mine(1)
        _ = try await store.sync()
        for id in ids[25...] { #expect(try await store.approve(id).status == .completed) }
        try await store.expectCleanReplay()
    }

    @Test func `the bump that a refusal names is made`() async throws {
        let (store, _) = try await store()
        try await store.setFault(.withholdLocks, on: .dash)
        var ids: [RequestID] = []
        for number in 1...5 { ids.append(try await pay(store, number).id) }
        let refused = try await store.bump(ids[0])
        #expect(refused.status == .refused && refused.refusal == "outputSpent")
        #expect(refused.reason?.contains("('\(ids[4])')") == true)
        let bump = try await store.bump(ids[4])
        #expect(bump.status == .pending)
        #expect(try await store.approve(bump.id).status == .completed)
        try await store.expectCleanReplay()
    }
}
