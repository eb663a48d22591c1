import DaybookChains
import DaybookEncoding
import NodeServer
import Synchronization
import Testing

@testable import Daybook

/// Several nodes of one chain, of which the first that answers serves.
struct SeveralNodesTests {
    /// Why a node does not serve.
    enum Fault: String, CaseIterable {
        case stopped, silent, otherNetwork

        func make(_ server: NodeServer) {
            switch self {
            case .stopped: server.stop()
            case .silent: server.misbehave(.closes)
            case .otherNetwork:
                server.settings.genesis = String(repeating: "0", count: 64)
                server.settings.nid = 7
            }
        }

        var code: String {
            switch self {
            case .stopped: "nodeUnreachable"
            case .silent: "nodeNoAnswer"
            case .otherNetwork: "nodeWrongChain"
            }
        }
    }

    @Test(arguments: [ChainName.dash, .icon], Fault.allCases)
    func `the first node that answers serves, and one that is passed over is named`(
        chain: ChainName, fault: Fault
    ) async throws {
        let scene = try await TwoNodes(chain)
        fault.make(scene.first)
        let round = try await scene.store.sync()
        #expect(round.events > 0 && round.problems.isEmpty && round.failure == nil)
        #expect(round.passedOver.map(\.url) == [scene.first.url])
        #expect(round.passedOver.map(\.code.rawValue) == [fault.code])
        #expect(try await scene.store.balances()[0].confirmed != "0")
        #expect(await scene.store.nodesPassedOver() == round.passedOver)
        let idle = try await scene.store.sync()
        #expect(idle.events == 0 && idle.passedOver == round.passedOver)
        if fault != .otherNetwork {
            let request = try await scene.store.receive(scene.payment())
            let done = try await scene.store.approve(request.id)
            #expect(done.status == .completed)
        }
        // The first one serves again, a minute after it failed at the earliest.
        scene.first.behave()
        if fault == .stopped { try scene.first.start() }
        scene.first.settings.genesis = nil
        scene.first.settings.nid = 3
        scene.bothLearn(from: scene.second)
        scene.first.forgetRequests()
        _ = try await scene.store.sync()
        #expect(scene.first.requests.isEmpty)
        scene.temporary.wait(seconds: 61)
        scene.second.forgetRequests()
        #expect(try await scene.store.sync().passedOver.isEmpty)
        // It serves, and then both are asked once to be compared.
        let trips = chain == .icon ? 3 : 2
        #expect(scene.first.roundTrips == 2 * trips && scene.second.roundTrips == trips)
        try await scene.store.expectCleanReplay()
    }

    @Test func `where no node answers, the sync fails and all of them are named`() async throws {
        let scene = try await TwoNodes(.dash)
        scene.first.stop()
        scene.second.misbehave(.closes)
        let round = try await scene.store.syncReachable()
        #expect(round.problems.map(\.code) == ["nodeUnreachable"])
        #expect(round.problems.map(\.url) == [scene.first.url])
        #expect(round.passedOver.map(\.code) == ["nodeNoAnswer"])
        #expect(round.passedOver.map(\.url) == [scene.second.url])
        let error = await #expect(throws: DaybookError.self) { try await scene.store.sync() }
        #expect(error?.kind == .node)
    }

    @Test(arguments: [ChainName.dash, .icon])
    func `a transaction whose answer was lost is sent to the next node, the same one`(
        chain: ChainName
    ) async throws {
        let scene = try await TwoNodes(chain)
        _ = try await scene.store.sync()
        let request = try await scene.store.receive(scene.payment())
        for method in ["sendrawtransaction", "icx_sendTransaction"] {
            scene.first.misbehave(.losesAnswer, on: method)
        }
        // Nor does it tell whether it has the transaction.
        for method in ["getrawtransaction", "icx_getTransactionResult"] {
            scene.first.misbehave(.closes, on: method)
        }
        let done = try await scene.store.approve(request.id)
        #expect(done.status == .completed, "\(done)")
        #expect(await scene.store.nodesPassedOver().map(\.url) == [scene.first.url])
        let types = try await scene.store.allRecords().map(\.type)
        #expect(types.count { $0 == "signature.made" } == 1)
        scene.first.behave()
        if chain == .dash {
            let sent = [scene.first, scene.second].map { $0.utxo { $0.mempool } }
            #expect(sent[0] == sent[1] && sent[0].count == 1)
        }
        scene.temporary.wait(seconds: 61)
        for server in [scene.first, scene.second] { server.mine() }
        _ = try await scene.store.sync()
        #expect(try await scene.store.balances().allSatisfy { $0.reserved == "0" })
        try await scene.store.expectCleanReplay()
    }

    @Test func `a second node's refusal ends no payment that the first may have taken`()
        async throws
    {
        let scene = try await TwoNodes(.dash)
        _ = try await scene.store.sync()
        let request = try await scene.store.receive(scene.payment())
        scene.first.misbehave(.losesAnswer, on: "sendrawtransaction")
        scene.first.misbehave(.closes, on: "getrawtransaction")
        scene.second.misbehave(.error(code: -26, message: "dust"), on: "sendrawtransaction")
        let open = try await scene.store.approve(request.id)
        #expect(open.status == .signed, "\(open)")
        scene.first.behave()
        scene.temporary.wait(seconds: 61)
        _ = try await scene.store.sync()
        #expect(try await scene.store.request(request.id).status == .completed)
        try await scene.store.expectCleanReplay()
    }

    @Test func `where no other node answers, a payment goes on, and the other one is named`()
        async throws
    {
        let scene = try await TwoNodes(.dash)
        _ = try await scene.store.sync()
        let request = try await scene.store.receive(scene.payment())
        scene.second.stop()
        #expect(try await scene.store.approve(request.id).status == .completed)
        #expect(await scene.store.nodesPassedOver().map(\.url) == [scene.second.url])
    }

    @Test func `an approval asks another node by two round trips, once`()
        async throws
    {
        let scene = try await TwoNodes(.dash)
        _ = try await scene.store.sync()
        let request = try await scene.store.receive(scene.payment())
        for server in [scene.first, scene.second] { server.forgetRequests() }
        #expect(try await scene.store.approve(request.id).status == .completed)
        #expect(scene.first.roundTrips == 5)
        #expect(scene.second.roundTrips == 2)
    }

    @Test func `an approval tells its steps`() async throws {
        let scene = try await TwoNodes(.dash)
        _ = try await scene.store.sync()
        let request = try await scene.store.receive(scene.payment())
        let steps = Mutex<[ApprovalStep]>([])
        let done = try await scene.store.approve(
            request.id, shown: try #require(request.prompt),
            unlockedBy: Passphrase("correct horse")
        ) { step in steps.withLock { $0.append(step) } }
        #expect(done.status == .completed)
        #expect(
            steps.withLock { $0 }
                == [.askingNode, .unlocking, .comparingNodes, .signing, .sending])
    }

    @Test func `nodes are kept in their order, each with its own login`() async throws {
        let store = try TemporaryStore().open()
        func urls() async throws -> [String] { try await store.nodes().map(\.url) }
        func code(_ body: () async throws -> Void) async -> String? {
            do { try await body() } catch { return (error as? DaybookError)?.code.rawValue }
            return nil
        }
        try await store.setNodes(
            .dash, .testnet, urls: ["http://a", "https://b"], user: "u", password: Passphrase("p"))
        try await store.setNodes(
            .dash, .testnet, urls: ["http://c"], keepingOthers: true, user: "v",
            password: Passphrase("q"))
        try await store.setNode(.dash, .mainnet, url: "http://a")
        #expect(try await urls() == ["http://a/", "https://b/", "http://c/", "http://a/"])
        let settings = NodeSettings(folder: StoreFolder(store.path))
        func users() throws -> [String?] {
            try settings.nodes().map { node in
                guard case .login(let login)? = try settings.access(to: node) else { return nil }
                return login.user
            }
        }
        #expect(try users() == ["u", "u", "v", nil])
        try await store.setNodes(.dash, .testnet, urls: ["http://a"], keepingOthers: true)
        #expect(try await urls() == ["https://b/", "http://c/", "http://a/", "http://a/"])
        #expect(try users() == ["u", "v", nil, nil])
        try await store.setNodes(.dash, .testnet, urls: ["http://d"], keepingOthers: true)
        #expect(
            await code {
                try await store.setNodes(.dash, .testnet, urls: ["http://e"], keepingOthers: true)
            } == "invalidNode")
        #expect(
            await code { try await store.setNodes(.axe, .testnet, urls: ["http://e", "http://E"]) }
                == "invalidNode")
        #expect(
            await code {
                try await store.setNodes(
                    .icon, .testnet, urls: ["http://e", "http://f"], debugURL: "http://g")
            } == "invalidNode")
        try await store.removeNode(.dash, .testnet, url: "HTTP://C")
        #expect(
            try await store.nodes().filter { $0.network == .testnet }.map(\.url)
                == ["https://b/", "http://a/", "http://d/"])
        #expect(
            await code { try await store.removeNode(.dash, .testnet, url: "http://c") }
                == "unknownNode")
        try await store.setNode(.dash, .testnet, url: "http://z")
        #expect(try await urls() == ["http://a/", "http://z/"])
        try await store.removeNode(.dash, .testnet)
        #expect(try await urls() == ["http://a/"])
    }
}
