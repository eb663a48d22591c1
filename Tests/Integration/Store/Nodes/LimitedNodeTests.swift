import DaybookChains
import DaybookEncoding
import NodeServer
import Testing

@testable import Daybook

/// Nodes that are behind, or know less than they should.
struct LimitedNodeTests {
    /// A store with a wallet of a test network, which nodes can be behind of.
    private struct Scene {
        let server: NodeServer
        let store: Store
        let wallet: Wallet

        init() async throws {
            server = try NodeServer(.dash, network: .testnet)
            store = try TemporaryStore().open()
            wallet = try await store.addTestWallet(.dash, network: .testnet)
            try await store.setNode(.dash, .testnet, url: server.url)
            server.mine(3)
            try server.fund(wallet.address, 100_000)
            _ = try await store.sync()
        }

        /// A sync fails by this code and records nothing of the chain; once the node is as it
        /// should be, the coins are there.
        func expectNamed(_ code: String, after mend: () -> Void) async throws {
            let observed = { try await store.allRecords().count { $0.type == "chain.observed" } }
            let before = try await observed()
            let error = await #expect(throws: DaybookError.self) { try await store.sync() }
            #expect(error?.code.rawValue == code, "\(error as Any)")
            #expect(error?.message.contains(server.url) == true)
            #expect(try await observed() == before)
            mend()
            _ = try await store.sync()
            #expect(try await store.balances()[0].confirmed == "300000")
            try await store.expectCleanReplay()
        }
    }

    @Test func `a node that falls behind is named, and loses no coin`() async throws {
        let scene = try await Scene()
        let behind = scene.server.snapshot()
        try scene.server.fund(scene.wallet.address, 200_000)
        scene.server.mine()
        _ = try await scene.store.sync()
        let whole = scene.server.snapshot()
        scene.server.restore(behind)
        try await scene.expectNamed("nodeSyncing") { scene.server.restore(whole) }
    }

    @Test func `a node that still loads blocks is named, and loses no coin`() async throws {
        let scene = try await Scene()
        try scene.server.fund(scene.wallet.address, 200_000)
        scene.server.settings.isSyncing = true
        try await scene.expectNamed("nodeSyncing") { scene.server.settings.isSyncing = false }
    }

    @Test func `a node that is pruned is named, and loses no coin`() async throws {
        let scene = try await Scene()
        try scene.server.fund(scene.wallet.address, 200_000)
        scene.server.misbehave(.members("pruned") { _ in .bool(true) }, on: "getblockchaininfo")
        try await scene.expectNamed("nodeNoTransactionIndex") { scene.server.behave() }
    }

    @Test func `a node whose index of transactions lags is named, and loses no coin`()
        async throws
    {
        let scene = try await Scene()
        try scene.server.fund(scene.wallet.address, 200_000)
        scene.server.misbehave(
            .error(
                code: -5,
                message: "No such mempool transaction. Blockchain transactions are still in the "
                    + "process of being indexed."), on: "getrawtransaction")
        try await scene.expectNamed("nodeSyncing") { scene.server.behave() }
    }

    @Test func `of two nodes the one that is not behind serves`() async throws {
        let scene = try await Scene()
        let second = try NodeServer(.dash, network: .testnet)
        second.restore(scene.server.snapshot())
        try scene.server.fund(scene.wallet.address, 200_000)
        let whole = scene.server.snapshot()
        _ = try await scene.store.sync()
        try await scene.store.setNodes(
            .dash, .testnet, urls: [second.url, scene.server.url])
        let round = try await scene.store.sync()
        #expect(round.passedOver.map(\.code) == ["nodeSyncing"])
        #expect(round.passedOver.map(\.url) == [second.url])
        second.restore(whole)
        #expect(try await scene.store.balances()[0].confirmed == "300000")
    }
}
