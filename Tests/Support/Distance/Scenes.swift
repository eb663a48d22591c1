package import Daybook
import DaybookEncoding

/// The counted scenes, for tests with a near node and for `tools/bench` with a distant one.
package enum Scenes {
    /// A first sync of a wallet all of whose first addresses are used, and one with nothing new.
    package static func syncs(
        _ chain: ChainName, usedAddresses count: Int, latencyMilliseconds: UInt32 = 0
    ) async throws -> (scene: DistantStore, first: Cost, idle: Cost) {
        let scene = try await DistantStore(chain, latencyMilliseconds: latencyMilliseconds)
        // A wallet of words has four branches.
        try scene.server.fundEach(try await scene.addresses(UInt32(count / 4)), 10_000)
        let (round, first) = try await scene.cost { try await scene.store.sync() }
        let held = try await scene.store.balances(wallet: scene.wallet.id).map(\.confirmed)
        guard !round.isMoreLeft, held == [MinorAmount(UInt64(10_000 * count))] else {
            throw SceneFault("a first sync found \(held)")
        }
        let (again, idle) = try await scene.cost { try await scene.store.sync() }
        guard again.events == 0 else { throw SceneFault("a second sync found something") }
        return (scene, first, idle)
    }

    /// One payment, from the approval to the callback.
    package static func approval(
        latencyMilliseconds: UInt32 = 0
    ) async throws -> (scene: DistantStore, cost: Cost) {
        let scene = try await DistantStore(.dash, latencyMilliseconds: latencyMilliseconds)
        try scene.server.fund(scene.wallet.address, 300_000_000)
        _ = try await scene.store.sync()
        let request = try await scene.request(1)
        let (done, cost) = try await scene.cost { try await scene.approve(request) }
        guard done.status == .completed else { throw SceneFault("a payment is \(done.status)") }
        return (scene, cost)
    }

    /// A sync after a reorganisation that lost payments, all of which are sent again.
    package static func reorganisation(
        losing count: Int, latencyMilliseconds: UInt32 = 0
    ) async throws -> (scene: DistantStore, cost: Cost) {
        let scene = try await DistantStore(.dash)
        // A coin for each: nodes take at most 25 payments that depend on each other.
        try scene.server.fundEach(try await scene.addresses(UInt32(count / 4 + 3)), 1_500_000)
        _ = try await scene.store.sync()
        let before = scene.server.snapshot()
        for number in 1...count {
            let done = try await scene.approve(try await scene.request(number))
            guard done.status == .completed else { throw SceneFault("a payment is \(done.status)") }
            if number.isMultiple(of: 10) { scene.server.mine(1) }
        }
        scene.server.mine(3)
        _ = try await scene.store.sync()
        scene.server.restore(before)
        scene.server.mine(count / 10 + 5)
        scene.server.settings.latencyMilliseconds = latencyMilliseconds
        let (_, cost) = try await scene.cost { try await scene.store.sync() }
        let back = scene.server.utxo { $0.mempool.count }
        guard back == count else { throw SceneFault("\(back) of \(count) payments are back") }
        return (scene, cost)
    }
}
