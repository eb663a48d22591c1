import DaybookEncoding
import DaybookNodes
import Testing

@testable import Daybook

struct ForgottenPaymentsTests {
    @Test func `payments in a row that a node forgot are all sent again`() async throws {
        let store = try TemporaryStore().open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        try await store.mine(6)
        let before = try await store.chains.utxo(.dash) { sandbox, _ in
            sandbox.rows.scan(prefix: [], after: nil, limit: .max)
        }
        for amount in 1...3 {
            let request = try await store.receive(
                "dashwallet://pay=\(Flow.dash)&amount=\(amount)&sender=myapp")
            #expect(try await store.approve(request.id).status == .completed)
            if amount < 3 { try await store.mine(1) }
        }
        try await store.chains.utxo(.dash) { sandbox, _ in
            for row in sandbox.rows.scan(prefix: [], after: nil, limit: .max) {
                sandbox.rows.remove(row.key)
            }
            for row in before { sandbox.rows.set(row.key, row.value) }
        }
        _ = try await store.sync()
        try await store.mine(1)
        let flow = Flow(name: "pay", chain: .dash, text: "")
        #expect(
            try await flow.arrived(in: store).sorted() == ["100000000", "200000000", "300000000"])
        #expect(try await store.balances().allSatisfy { $0.reserved == "0" })
        try await store.expectCleanReplay()
    }
}
