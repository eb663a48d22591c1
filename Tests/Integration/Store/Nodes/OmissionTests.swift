import DaybookChains
import DaybookEncoding
import NodeServer
import Testing

@testable import Daybook

/// A node whose answers leave something out, once or for ever.
struct OmissionTests {
    private let temporary: TemporaryStore
    private let server: NodeServer
    private let store: Store
    private let wallet: Wallet

    /// A store with 10 coins in a block, and one coin at a second address.
    init() async throws {
        temporary = try TemporaryStore()
        server = try temporary.dashNodeWithoutLocks()
        store = try temporary.open()
        wallet = try await store.addTestWallet(.dash, network: .regtest)
        try await store.setNode(.dash, .regtest, url: server.url)
        try server.fund(wallet.address, 1_000_000_000)
        server.mine(6)
        _ = try await store.sync()
    }

    /// Pays a coin, in a block that the store does not know yet.
    private func payInBlock() async throws {
        let request = try await store.receive(
            "dashwallet://pay=yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf&amount=1&sender=myapp")
        #expect(try await store.approve(request.id).status == .completed)
        server.mine()
    }

    /// The wallet has the same coins as the node's chain, and can spend them all.
    private func expectTruth(
        _ store: Store, _ at: SourceLocation = #_sourceLocation
    ) async throws {
        let truth = try await fresh().balances()[0]
        let balance = try await store.balances()[0]
        #expect(balance.confirmed == truth.confirmed, sourceLocation: at)
        #expect(balance.available == truth.available, sourceLocation: at)
        #expect(balance.reserved == "0", sourceLocation: at)
        try await store.expectCleanReplay(at)
    }

    /// A new store of the same words, which has asked the node now.
    private func fresh() async throws -> Store {
        let other = try TemporaryStore().open()
        _ = try await other.addTestWallet(.dash, network: .regtest)
        try await other.setNode(.dash, .regtest, url: server.url)
        _ = try await other.sync()
        return other
    }

    /// The number of recorded observations; that a scan has failed is an event of its own.
    private func observations(_ store: Store) async throws -> Int {
        try await store.allRecords().count { $0.type == "chain.observed" }
    }

    // MARK: - What contradicts itself

    @Test func `a block list without our own payment that is in the block is refused`()
        async throws
    {
        try await payInBlock()
        let before = try await observations(store)
        server.misbehave(.emptyList, on: "getaddressdeltas")
        let round = try await store.syncReachable()
        #expect(round.problems.map(\.code) == ["nodeOmission"])
        #expect(round.problems[0].message.hasPrefix("the node leaves the transaction "))
        #expect(try await observations(store) == before)
        server.behave()
        _ = try await store.sync()
        try await expectTruth(store)
        #expect(try await store.balances()[0].confirmed == "899999774")
    }

    @Test func `a payment that a list of the mempool lacks stays known`() async throws {
        let request = try await store.receive(
            "dashwallet://pay=yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf&amount=1&sender=myapp")
        #expect(try await store.approve(request.id).status == .completed)
        let before = try await store.balances()
        server.misbehave(.emptyList, on: "getaddressmempool")
        #expect(try await store.sync().events == 0)
        #expect(try await store.balances() == before)
    }

    // MARK: - The last hundred blocks

    @Test func `a receipt that an answer left out is found by the next one`() async throws {
        try server.fund(wallet.address, 70_000_000)
        server.misbehave(.emptyList, on: "getaddressdeltas")
        _ = try await store.sync()
        #expect(try await store.balances()[0].confirmed == "1000000000")
        server.behave()
        server.mine(90)
        _ = try await store.sync()
        #expect(try await store.balances()[0].confirmed == "1070000000")
        try await expectTruth(store)
    }

    @Test func `a list that lacks facts of the last blocks undoes nothing`()
        async throws
    {
        try await payInBlock()
        _ = try await store.sync()
        let before = try await store.balances()
        server.misbehave(.emptyList, on: "getaddressdeltas")
        server.mine()
        _ = try await store.sync()
        #expect(try await store.balances() == before)
        // Nor does one that has the coin and not what spends it.
        server.behave()
        let spend = try #require(
            server.utxo { sandbox in
                sandbox.transactions(since: 0).last { !$0.transaction.isCoinbase }?.txid
            })
        server.misbehave(.leavingOut(spend), on: "getaddressdeltas")
        server.mine()
        _ = try await store.sync()
        #expect(try await store.balances() == before)
    }

    // MARK: - Everything

    /// A receipt that the node leaves out for 150 blocks, with a sync in each fifty.
    private func hideReceipt() async throws {
        try server.fund(wallet.address, 70_000_000)
        server.misbehave(.emptyList, on: "getaddressdeltas")
        for _ in 0..<3 {
            server.mine(50)
            _ = try await store.sync()
        }
        server.behave()
    }

    @Test func `a full sync finds what was left out of old blocks, and says so`() async throws {
        try await hideReceipt()
        #expect(try await store.sync().differences == nil)
        #expect(try await store.balances()[0].confirmed == "1000000000")
        let round = try await store.sync(full: true)
        #expect(round.differences?.count == 1)
        let found = try #require(round.differences?.first)
        #expect(found.about.hasPrefix("the coin ") && found.recorded == "that no block has it")
        #expect(found.found.hasPrefix("that it is in block "))
        try await expectTruth(store)
        let again = try await store.sync(full: true)
        #expect(again.differences == [] && again.events == 0)
    }

    @Test func `everything is compared again by itself once a day has passed on the chain`()
        async throws
    {
        try await hideReceipt()
        server.mine(426)
        let round = try await store.sync()
        #expect(round.differences?.count == 1)
        try await expectTruth(store)
        server.mine(575)
        #expect(try await store.sync().differences == nil)
        server.mine(1)
        #expect(try await store.sync().differences == [])
    }

    @Test func `a full answer that leaves out recorded facts is refused`() async throws {
        try await payInBlock()
        _ = try await store.sync()
        server.mine(150)
        _ = try await store.sync()
        let before = try await observations(store)
        server.misbehave(.emptyList, on: "getaddressdeltas")
        let round = try await store.syncReachable(full: true)
        #expect(round.problems.map(\.code) == ["nodeOmission"])
        #expect(try await observations(store) == before)
    }

    @Test func `a full sync takes back what a node had invented`() async throws {
        let honest = server.snapshot()
        try server.fund(wallet.address, 70_000_000)
        _ = try await store.sync()
        let invented = try await store.balances()[0]
        #expect(invented.confirmed == "1070000000")
        // The block's hash depends on its height alone in this test: an honest node has it, empty.
        let tip = server.utxo { $0.tip.hash.hex }
        let height = server.utxo { $0.tip.height }
        server.restore(honest)
        server.mine(3)
        server.misbehave(
            .invented { params, truth in
                params.arrayValue?.first?.intValue.map(Int.init) == height
                    ? .success(.string(tip)) : truth
            }, on: "getblockhash")
        #expect(try await store.sync().differences == nil)
        #expect(try await store.balances()[0].confirmed == "1070000000")
        let round = try await store.sync(full: true)
        #expect(round.differences?.count == 1)
        #expect(round.differences?.first?.found == "that no block has it")
        #expect(try await store.balances()[0].confirmed == "1000000000")
        try await store.expectCleanReplay()
    }

    // MARK: - ICON

    @Test func `a wrong result of an ICON transaction is corrected by a full sync`() async throws {
        let scene = try await TwoNodes(.icon)
        try await scene.store.removeNode(.icon, .regtest, url: scene.second.url)
        _ = try await scene.store.sync()
        let request = try await scene.store.receive(scene.payment())
        #expect(try await scene.store.approve(request.id).status == .completed)
        scene.first.mine()
        scene.first.misbehave(
            .altered { result in
                guard let members = result.objectValue else { return result }
                let failure = JSON.record(["code": .string("0x20"), "message": .string("no")])
                return .object(
                    members.filter { $0.name != "status" && $0.name != "failure" } + [
                        .init(name: "status", value: .string("0x0")),
                        .init(name: "failure", value: failure),
                    ])
            }, on: "icx_getTransactionResult")
        _ = try await scene.store.sync()
        #expect(try await scene.store.request(request.id).refusal == "failedOnChain")
        scene.first.behave()
        _ = try await scene.store.sync()
        #expect(try await scene.store.request(request.id).refusal == "failedOnChain")
        let round = try await scene.store.sync(full: true)
        #expect(round.differences?.count == 1, "\(round)")
        #expect(try await scene.store.request(request.id).status == .completed)
        let truth = scene.first.icon { $0.balance(of: ICONAddress(scene.wallet.address)!) }
        #expect(try await scene.store.balances()[0].confirmed == MinorAmount(truth))
        try await scene.store.expectCleanReplay()
    }
}

/// Two nodes, of which one leaves something out.
struct ComparedNodesTests {
    @Test(arguments: [true, false])
    func `nodes that differ about a block are named, and the money of one is not spent`(
        firstHides: Bool
    ) async throws {
        let scene = try await TwoNodes(.dash)
        #expect(try await scene.store.sync().problems.isEmpty)
        let liar = firstHides ? scene.first : scene.second
        let made = try scene.first.fund(scene.wallet.address, 700_000_000)
        scene.bothLearn(from: scene.first)
        liar.misbehave(.leavingOut(made), on: "getaddressdeltas")
        scene.temporary.wait(seconds: 61)
        let round = try await scene.store.syncReachable()
        #expect(round.problems.map(\.code) == ["nodeContradiction"])
        let message = try #require(round.problems.first?.message)
        #expect(message.contains("of the coin \(made.hex):"), "\(message)")
        #expect(message.contains(scene.second.url) && round.problems[0].url == scene.first.url)
        #expect(
            try await scene.store.balances()[0].confirmed
                == (firstHides ? "300000000" : "1000000000"))
        if !firstHides {
            let request = try await scene.store.receive(scene.payment("5"))
            try await scene.expectRefusal(of: request, "nodeContradiction", [made.hex])
        }
        liar.behave()
        #expect(try await scene.store.sync().problems.isEmpty)
        #expect(try await scene.store.balances()[0].confirmed == "1000000000")
        try await scene.store.expectCleanReplay()
    }

    @Test func `nodes of ICON that differ about a balance are named`() async throws {
        let scene = try await TwoNodes(.icon)
        #expect(try await scene.store.sync().problems.isEmpty)
        scene.second.misbehave(.result(.string("0x1")), on: "icx_getBalance")
        scene.temporary.wait(seconds: 61)
        let round = try await scene.store.syncReachable()
        #expect(round.problems.map(\.code) == ["nodeContradiction"], "\(round)")
        scene.second.behave()
        #expect(try await scene.store.sync().problems.isEmpty)
    }

    @Test func `nodes are compared once a minute, by two round trips of each`() async throws {
        let scene = try await TwoNodes(.dash)
        _ = try await scene.store.sync()
        for (seconds, trips) in [(UInt64(30), 0), (31, 2), (30, 0)] {
            scene.temporary.wait(seconds: seconds)
            scene.first.forgetRequests()
            scene.second.forgetRequests()
            _ = try await scene.store.sync()
            #expect(scene.second.roundTrips == trips)
            #expect(scene.first.roundTrips == 2 + trips)
        }
    }
}

/// A chain of which the money of a payment has gone, and chains of the same name.
struct OtherChainTests {
    @Test func `change of a payment whose coin a reorganisation took away can't be spent`()
        async throws
    {
        let temporary = try TemporaryStore()
        let server = try temporary.dashNodeWithoutLocks()
        let store = try temporary.open()
        let wallet = try await store.addTestWallet(.dash, network: .regtest)
        try await store.setNode(.dash, .regtest, url: server.url)
        let before = server.snapshot()
        try server.fund(wallet.address, 1_000_000_000)
        server.mine(6)
        _ = try await store.sync()
        let with = server.snapshot()
        for amount in 1...2 {
            let request = try await store.receive(
                "dashwallet://pay=yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf&amount=\(amount)&sender=myapp")
            #expect(try await store.approve(request.id).status == .completed)
        }
        #expect(try await store.balances()[0].available != "0")
        server.restore(before)
        server.mine(20)
        _ = try await store.sync()
        var balance = try await store.balances()[0]
        #expect(balance.available == "0" && balance.confirmed == "0", "\(balance)")
        let refused = try await store.receive(
            "dashwallet://pay=yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf&amount=3&sender=myapp")
        #expect(refused.prompt?.problem != nil, "\(refused)")
        try await store.expectCleanReplay()
        // The coin comes back, and with it the change.
        server.restore(with)
        server.mine(30)
        _ = try await store.sync()
        server.mine()
        _ = try await store.sync()
        balance = try await store.balances()[0]
        #expect(balance.available == balance.confirmed && balance.available != "0", "\(balance)")
        try await store.expectCleanReplay()
    }

    @Test(arguments: [ChainName.dash, .axe, .icon])
    func `a node of another chain of the same name is told, when it is set and checked`(
        chain: ChainName
    ) async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        _ = try await store.addTestWallet(chain, network: .regtest)
        let (first, other) = (
            try NodeServer(Chain(chain)), try NodeServer(Chain(chain))
        )
        let now = temporary.now.withLock { $0 }
        first.settings.time = now
        // Another time makes other blocks.
        other.settings.time = now - 100_000_000
        first.mine(3)
        other.mine(5)
        other.settings.time = now
        try await store.setNode(chain, .regtest, url: first.url)
        _ = try await store.sync()
        #expect(try await store.checkNodes(chain, .regtest).allSatisfy(\.isOK))
        try await store.setNodes(chain, .regtest, urls: [first.url, other.url])
        let statuses = try await store.checkNodes(chain, .regtest)
        #expect(statuses.map { $0.problem?.code } == [nil, "nodeWrongChain"])
        // A store that has seen nothing of the chain can't know.
        let fresh = try TemporaryStore().open()
        _ = try await fresh.addTestWallet(chain, network: .regtest)
        try await fresh.setNode(chain, .regtest, url: other.url)
        #expect(try await fresh.checkNodes(chain, .regtest).allSatisfy(\.isOK))
    }
}
