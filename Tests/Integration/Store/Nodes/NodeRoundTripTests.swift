import DaybookEncoding
import Distance
import NodeServer
import Testing

@testable import Daybook

/// The round trips of a sync and a payment with a distant node, counted.
struct NodeRoundTripTests {
    @Test func `a first sync of two thousand used addresses takes at most forty round trips`()
        async throws
    {
        let (scene, first, idle) = try await Scenes.syncs(.dash, usedAddresses: 2000)
        #expect(first.trips == 17 && first.trips <= 40, "\(first)")
        #expect(idle.trips == 2 && idle.trips <= 3, "\(idle)")
        try await scene.store.expectCleanReplay()
    }

    @Test func `a sync of Axe takes as few round trips as one of Dash`() async throws {
        let (_, first, idle) = try await Scenes.syncs(.axe, usedAddresses: 200)
        #expect(first.trips <= 16, "\(first)")
        #expect(idle.trips == 2, "\(idle)")
    }

    @Test func `a sync with nothing new takes three round trips on ICON`() async throws {
        let scene = try await DistantStore(.icon)
        try scene.server.fund(Flow.key1, loop: UInt256(5_000_000))
        try scene.server.fundTokens(Flow.key1, UInt256(7))
        _ = try await scene.store.sync()
        let (round, idle) = try await scene.cost { try await scene.store.sync() }
        #expect(round.events == 0)
        #expect(idle.trips == 3, "\(idle)")
    }

    @Test func `a payment takes few round trips`() async throws {
        let (_, cost) = try await Scenes.approval()
        #expect(cost.trips == 5, "\(cost)")
    }

    @Test func `payments that a reorganisation lost are sent again together, and looked at once`()
        async throws
    {
        let count = 12
        let (scene, cost) = try await Scenes.reorganisation(losing: count)
        #expect(cost.trips == 7, "\(cost)")
        #expect(cost.calls <= 10 * count, "\(cost)")
        scene.server.mine(1)
        _ = try await scene.store.sync()
        #expect(try await scene.store.balances().allSatisfy { $0.reserved == "0" })
        try await scene.store.expectCleanReplay()
    }

    // MARK: - Servers that take less

    /// A limit of a server that others do not have.
    enum Habit: String, CaseIterable {
        case oneByOne, fewCalls, shortRequests, closes, fullQueue, rate
    }

    @Test(arguments: Habit.allCases)
    func `a server that takes less makes a sync slower, and not wrong`(
        habit: Habit
    ) async throws {
        let scene = try await DistantStore(.dash)
        try scene.server.fundEach(try await scene.addresses(25), 10_000)
        switch habit {
        case .oneByOne:
            scene.server.settings.whitelist = [
                "getblockhash", "getblockchaininfo", "getbestblockhash", "getaddressmempool",
                "getaddressdeltas", "getrawtransaction", "estimatesmartfee", "getmempoolinfo",
            ]
        case .fewCalls: scene.server.settings.callsPerRequest = 7
        case .shortRequests: scene.server.settings.requestBytes = 9_000
        case .closes: scene.server.misbehave(.closesIdle)
        case .fullQueue:
            scene.server.misbehave(
                .reply(status: 500, body: "Work queue depth exceeded"), on: "getrawtransaction",
                times: 1)
        case .rate:
            scene.server.misbehave(
                .reply(status: 429, headers: ["Retry-After": "1"]), on: "getaddressdeltas",
                times: 1)
        }
        #expect(try await scene.store.sync().isMoreLeft == false)
        #expect(
            try await scene.store.balances(wallet: scene.wallet.id).map(\.confirmed)
                == ["1000000"])
        try await scene.store.expectCleanReplay()
    }
}
