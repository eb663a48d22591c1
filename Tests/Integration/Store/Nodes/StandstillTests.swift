import Foundation
import NodeServer
import Testing

@testable import Daybook

/// Payments in flight that can't end by themselves.
struct StandstillTests {
    private let temporary: TemporaryStore
    private let server: NodeServer

    init() throws {
        temporary = try TemporaryStore()
        server = try temporary.dashNodeWithoutLocks()
    }

    /// A store on the node whose payment of its only coin is signed, and which no node takes.
    ///
    /// `before` is the chain as it was when the coin was not there yet.
    private func stuck() async throws -> (
        store: Store, wallet: WalletID, payment: RequestID, before: [(key: [UInt8], value: [UInt8])]
    ) {
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash, network: .regtest)
        try await store.setNode(.dash, .regtest, url: server.url)
        let before = server.snapshot()
        try server.fund(try await store.address(of: wallet.id), 1_000_000_000)
        server.mine(6)
        _ = try await store.sync()
        server.misbehave(
            .error(code: -26, message: "mempool min fee not met, 300 < 450"),
            on: "sendrawtransaction")
        let request = try await store.receive(
            "dashwallet://pay=yYvm9nJUoaC856FnTQNKePUP8A8vaB5ehS&amount=1&sender=myapp")
        let signed = try await store.approve(request.id)
        #expect(signed.status == .signed && signed.nodeReason == "feeTooLow")
        return (store, wallet.id, request.id, before)
    }

    @Test func `a payment whose coins a reorganisation took away says so, and can be ended`()
        async throws
    {
        let (store, _, payment, before) = try await stuck()
        let with = server.snapshot()
        server.restore(before)
        server.mine(120)
        _ = try await store.sync()
        let found = try #require(try await store.inFlight().first)
        #expect(found.request.id == payment && found.request.nodeReason == nil)
        #expect(found.request.reason
            == "the chain no longer has its coins: a reorganisation took them away")
        #expect(found.request.advice?.hasSuffix("end it with daybook reject \(payment)") == true)
        #expect(found.held.isEmpty)
        #expect(try await store.request(payment).reason == found.request.reason)
        let said = try findings().first
        #expect(said?.message.hasPrefix("request \(payment) ") == true)
        #expect(said?.message.contains("the chain no longer has its coins") == true)
        // The coin comes back, and with it the node's own reason.
        server.restore(with)
        server.mine(200)
        _ = try await store.sync()
        #expect(try await store.inFlight().first?.request.nodeReason == "feeTooLow")
        #expect(try await store.inFlight().first?.held.map(\.amount) == ["1000000000"])
        #expect(try await store.reject(payment).status == .rejected)
        #expect(try await store.inFlight().isEmpty)
        try await store.expectCleanReplay()
    }

    @Test func `a payment whose wallet was removed says so, until the wallet is back`()
        async throws
    {
        let (store, wallet, payment, _) = try await stuck()
        let error = await #expect(throws: DaybookError.self) {
            try await store.removeWallet(wallet)
        }
        #expect(error?.code == "walletBusy")
        server.behave()
        _ = try await store.sync()
        #expect(try await store.inFlight().map(\.request.status) == [.sent])
        // Its caller was told: nothing keeps the wallet any more.
        try await store.removeWallet(wallet)
        let found = try #require(try await store.inFlight().first)
        #expect(found.request.id == payment && found.held.isEmpty)
        #expect(
            found.request.reason == "its wallet was removed, so that no node is asked about it")
        #expect(found.request.advice
            == "add a wallet of the same keys: it sees what became of the payment")
        let said = try findings().first
        #expect(said?.message.hasPrefix("request \(payment) ") == true)
        #expect(said?.message.contains("its wallet was removed") == true)
        server.mine()
        _ = try await store.sync()
        #expect(try await store.inFlight().map(\.request.id) == [payment])
        _ = try await store.addTestWallet(.dash, network: .regtest)
        _ = try await store.sync()
        #expect(try await store.inFlight().isEmpty)
        try await store.expectCleanReplay()
    }

    /// The doctor's findings about payments, in a copy of the store: this one is open.
    private func findings() throws -> [StoreFinding] {
        let copy = try TemporaryStore()
        try FileManager.default.removeItem(atPath: copy.path)
        try FileManager.default.copyItem(atPath: temporary.path, toPath: copy.path)
        return try Store.examine(at: copy.path).filter { $0.about == "payments" }
    }
}
