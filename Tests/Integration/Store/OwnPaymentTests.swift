import Testing

@testable import Daybook

struct OwnPaymentTests {
    @Test func `a payment made here is not taken for one made elsewhere`() async throws {
        let store = try TemporaryStore().open()
        let wallet = try await store.addTestWallet(.icon)
        _ = try await store.fundFromFaucet(wallet.id, amount: "3750000000000000")
        func send(_ id: Int) async throws -> WalletRequest {
            try await store.receive(
                connect(
                    #"{"id":\#(id),"method":"sendICX","params":{"from":"\#(wallet.address)","#
                        + #""to":"hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e","value":"0x5"}}"#))
        }
        _ = try await store.approve(try await send(1).id)
        // Twice the fee is left only once the first payment holds nothing back any more.
        // A block that the store does not hear of before it asks for the next request.
        try await store.setFault(.silent, on: .icon)
        await #expect(throws: DaybookError.self) { try await store.mine(1) }
        try await store.setFault(.none, on: .icon)
        #expect(try await send(2).status == .pending)
        let types = try await store.allRecords().map(\.type)
        #expect(!types.contains("payment.made"))
        #expect(types.count { $0 == "transaction.confirmed" } == 1)
        #expect(try await store.balances().first?.reserved == "0")
        _ = try await store.sync()
        #expect(try await store.allRecords().count { $0.type == "payment.received" } == 1)
        try await store.expectCleanReplay()
    }
}
