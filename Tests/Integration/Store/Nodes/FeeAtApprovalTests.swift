import DaybookEncoding
import NodeServer
import Testing

@testable import Daybook

/// A node's fee rises between the prompt and its approval.
struct FeeAtApprovalTests {
    private static let payment =
        "dashwallet://pay=yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf&amount=1&sender=myapp"

    /// A wallet with a coin at a node, and a request that waits.
    private static func scene() async throws
        -> (server: NodeServer, store: Store, request: WalletRequest)
    {
        let server = try NodeServer(.dash)
        let store = try TemporaryStore().open()
        let wallet = try await store.addTestWallet(.dash, network: .regtest)
        try await store.setNode(.dash, .regtest, url: server.url)
        _ = try server.fund(wallet.address, 300_000_000)
        server.mine(6)
        _ = try await store.sync()
        return (server, store, try await store.receive(payment))
    }

    /// From now on the node's mempool takes nothing below a fee, in coins for 1000 bytes.
    private static func raise(_ server: NodeServer, to fee: String) {
        server.misbehave(
            .altered { truth in
                guard case .object(let members) = truth else { return truth }
                return .object(
                    members.map { member in
                        member.name == "mempoolminfee"
                            ? .init(name: member.name, value: .number(fee)) : member
                    })
            }, on: "getmempoolinfo")
    }

    @Test func `a payment is sent for at most what was shown, signed for at least what is asked`()
        async throws
    {
        let (server, store, request) = try await Self.scene()
        let shown = try #require(request.prompt)
        #expect(shown["fee"] == "0.00000226")
        Self.raise(server, to: "0.00002")
        let error = await #expect(throws: DaybookError.self) {
            try await store.approve(
                request.id, shown: shown, unlockedBy: Passphrase("correct horse"))
        }
        #expect(error?.code == "promptChanged")
        #expect(server.utxo { $0.mempool.isEmpty })
        let now = try await store.prompt(for: request.id)
        #expect(now["fee"] == "0.00000452")
        let done = try await store.approve(
            request.id, shown: now, unlockedBy: Passphrase("correct horse"))
        #expect(done.status == .completed)
        try await store.expectCleanReplay()
    }

    @Test func `a fee that has fallen does not ask its user again`() async throws {
        let (server, store, _) = try await Self.scene()
        Self.raise(server, to: "0.00002")
        _ = try await store.sync()
        let request = try await store.receive(Self.payment + "&label=x")
        let shown = try #require(request.prompt)
        #expect(shown["fee"] == "0.00000452")
        server.behave()
        let done = try await store.approve(
            request.id, shown: shown, unlockedBy: Passphrase("correct horse"))
        #expect(done.status == .completed)
        try await store.expectCleanReplay()
    }
}

/// An ICON node's step price rises between the prompt and its approval.
struct StepPriceAtApprovalTests {
    /// A wallet with ten ICX at a node, and a request that waits.
    private static func scene() async throws
        -> (server: NodeServer, store: Store, request: WalletRequest)
    {
        let server = try NodeServer(.icon)
        let temporary = try TemporaryStore()
        server.settings.time = temporary.now.withLock { $0 }
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.icon, network: .regtest)
        try await store.setNode(.icon, .regtest, url: server.url)
        try server.fund(wallet.address, loop: UInt256(10_000_000_000_000_000_000))
        _ = try await store.sync()
        let call = #"{"id":1,"method":"sendICX","params":{"from":"\#(wallet.address)","#
            + #""to":"hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e","value":"0x64"}}"#
        return (server, store, try await store.receive(connect(call)))
    }

    /// From now on the chain's own contract answers a call so.
    private static func answer(_ server: NodeServer, _ method: String, _ change: JSON) {
        server.misbehave(
            .invented { params, truth in
                guard params["data"]?["method"] == .string(method) else { return truth }
                guard let members = change.objectValue else { return .success(change) }
                return truth.map { costs in
                    .object(
                        (costs.objectValue ?? []).map { cost in
                            members.first { $0.name == cost.name } ?? cost
                        })
                }
            }, on: "icx_call")
    }

    @Test(arguments: [
        ("getStepPrice", JSON.string("0x5d21dba00"), "0.0025"),
        ("getStepCosts", .record(["default": .string("0x30d40")]), "0.0025"),
    ]) func `a transaction that costs more than was shown is not signed before it is shown`(
        method: String, change: JSON, fee: String
    ) async throws {
        let (server, store, request) = try await Self.scene()
        let shown = try #require(request.prompt)
        #expect(shown["highestFee"] == "0.00125")
        Self.answer(server, method, change)
        let error = await #expect(throws: DaybookError.self) {
            try await store.approve(
                request.id, shown: shown, unlockedBy: Passphrase("correct horse"))
        }
        #expect(error?.code == "promptChanged")
        #expect(!server.requests.contains { $0.method == "icx_sendTransaction" })
        let now = try await store.prompt(for: request.id)
        #expect(now["highestFee"] == fee)
        let done = try await store.approve(
            request.id, shown: now, unlockedBy: Passphrase("correct horse"))
        #expect(done.status == .completed)
        try await store.expectCleanReplay()
    }

    @Test func `a price that has fallen does not ask its user again`() async throws {
        let (server, store, request) = try await Self.scene()
        Self.answer(server, "getStepPrice", .string("0x1"))
        let shown = try #require(request.prompt)
        let done = try await store.approve(
            request.id, shown: shown, unlockedBy: Passphrase("correct horse"))
        #expect(done.status == .completed)
        try await store.expectCleanReplay()
    }
}
