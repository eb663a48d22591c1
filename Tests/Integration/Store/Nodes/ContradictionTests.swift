import DaybookChains
import DaybookEncoding
import NodeServer
import Testing

@testable import Daybook

/// Nodes that say different things of what a payment relies on.
struct ContradictionTests {
    @Test func `a coin that another node knows to be spent is not spent`() async throws {
        let scene = try await TwoNodes(.dash)
        _ = try await scene.store.sync()
        // The same words are used elsewhere, and the first node hides it.
        let other = try TemporaryStore().open()
        _ = try await other.addTestWallet(.dash, network: .regtest)
        try await other.setNode(.dash, .regtest, url: scene.second.url)
        _ = try await other.sync()
        let spent = try await other.receive(scene.payment("0.7"))
        let txid = try #require(try await other.approve(spent.id).transaction)
        scene.second.forgetRequests()
        let request = try await scene.store.receive(scene.payment())
        try await scene.expectRefusal(
            of: request, "nodeContradiction",
            [
                "dash regtest at \(scene.first.url): of the coin ",
                "this node says that it is unspent, and \(scene.second.url) says that \(txid)",
            ])
        // When the first node agrees, its earlier answer was only outdated.
        scene.bothLearn(from: scene.second)
        let shown = try await scene.store.prompt(for: request.id)
        let error = await #expect(throws: DaybookError.self) {
            try await scene.store.approve(
                request.id, shown: shown, unlockedBy: Passphrase("correct horse"))
        }
        #expect(error?.code != "nodeContradiction", "\(error as Any)")
        for server in [scene.first, scene.second] { server.mine() }
        _ = try await scene.store.sync()
        let again = try await scene.store.receive(scene.payment() + "&label=again")
        #expect(try await scene.store.approve(again.id).status == .completed)
        try await scene.store.expectCleanReplay()
    }

    @Test func `a coin in a block that another node does not have is not spent`() async throws {
        let scene = try await TwoNodes(.dash)
        // The first one makes up a block with a coin.
        let made = try scene.first.fund(scene.wallet.address, 700_000_000)
        scene.second.mine(2)
        #expect(
            try await scene.store.syncReachable().problems.map(\.code) == ["nodeContradiction"])
        let request = try await scene.store.receive(scene.payment("5"))
        try await scene.expectRefusal(
            of: request, "nodeContradiction",
            [
                "the coin \(made.hex):", "this node says that it is in block ",
                "\(scene.second.url) says that there is no such coin",
            ])
    }

    @Test(arguments: [true, false])
    func `fees that can't both be right are not paid`(firstAsksMore: Bool) async throws {
        let scene = try await TwoNodes(.dash)
        (firstAsksMore ? scene.first : scene.second).settings.feeRate = 900_000
        _ = try await scene.store.sync()
        let request = try await scene.store.receive(scene.payment())
        try await scene.expectRefusal(
            of: request, "nodeContradiction",
            ["of the fee for 1000 bytes this node says ", "900000 duffs", scene.second.url])
        // Honest estimates differ.
        (firstAsksMore ? scene.first : scene.second).settings.feeRate = 5_000
        let shown = try await scene.store.receive(scene.payment() + "&label=x")
        #expect(try await scene.store.approve(shown.id).status == .completed)
    }

    @Test func `an unconfirmed coin that another node does not know yet is spent`() async throws {
        let scene = try await TwoNodes(.dash)
        _ = try await scene.store.sync()
        // The second payment spends the change of the first, which the second node lacks.
        for amount in 1...2 {
            let request = try await scene.store.receive(scene.payment("0.\(amount)"))
            #expect(try await scene.store.approve(request.id).status == .completed)
        }
        #expect(scene.second.utxo { $0.mempool.isEmpty })
    }

    // MARK: - ICON

    /// The subject of a lie of an ICON node.
    enum Lie: String, CaseIterable {
        case price, decimals, balance, tokenBalance

        func tell(by server: NodeServer) {
            let (method, lie): (String, String) =
                switch self {
                case .price: ("getStepPrice", "0x1")
                case .decimals: ("decimals", "0x2")
                case .balance: ("", "0x8ac7230489e80000")
                case .tokenBalance: ("balanceOf", "0x2328")
                }
            guard self != .balance else {
                return server.misbehave(.result(.string(lie)), on: "icx_getBalance")
            }
            server.misbehave(
                .invented { params, truth in
                    params["data"]?["method"]?.stringValue == method
                        ? .success(.string(lie)) : truth
                }, on: "icx_call")
        }

        var words: [String] {
            switch self {
            case .price: ["of the price of a step this node says ", " 1 loop", "12500000000 loop"]
            case .decimals: ["of the token \(Flow.token) this node says ", " 2 decimals"]
            case .balance: [" holds of ICX this node says ", "9000000000000000000"]
            case .tokenBalance: [" holds of \(Flow.token) this node says ", "9000", "5000"]
            }
        }
    }

    @Test(arguments: Lie.allCases, [true, false])
    func `a node's prices, decimals and balances are compared`(
        lie: Lie, firstLies: Bool
    ) async throws {
        let scene = try await TwoNodes(.icon)
        lie.tell(by: firstLies ? scene.first : scene.second)
        // Of balances a sync asks both nodes.
        let problems = try await scene.store.syncReachable().problems
        #expect(problems.map(\.code) == (lie == .balance ? ["nodeContradiction"] : []))
        let isToken = lie == .decimals || lie == .tokenBalance
        let text = isToken ? Flow.all.first { $0.name == "sendToken" }?.text : scene.payment()
        let request = try await scene.store.receive(try #require(text))
        #expect(request.status == .pending, "\(request)")
        try await scene.expectRefusal(
            of: request, "nodeContradiction", lie.words + [scene.first.url, scene.second.url])
        scene.first.behave()
        scene.second.behave()
        if firstLies { return }
        #expect(try await scene.store.approve(request.id).status == .completed)
        try await scene.store.expectCleanReplay()
    }

    // MARK: - Of another network

    @Test(arguments: [ChainName.dash, .icon])
    func `with a second node of another network nothing is signed`(chain: ChainName) async throws {
        let scene = try await TwoNodes(chain)
        scene.second.settings.genesis = String(repeating: "0", count: 64)
        scene.second.settings.nid = 7
        _ = try await scene.store.sync()
        let request = try await scene.store.receive(scene.payment())
        try await scene.expectRefusal(of: request, "nodeWrongChain", [scene.second.url])
    }

    @Test func `a transaction for another machine to sign is compared too`() async throws {
        let scene = try await TwoNodes(.dash)
        scene.second.settings.feeRate = 900_000
        _ = try await scene.store.sync()
        let request = try await scene.store.receive(scene.payment())
        let shown = try #require(request.prompt)
        let error = await #expect(throws: DaybookError.self) {
            try await scene.store.signingRequest(for: request.id, shown: shown)
        }
        #expect(error?.code == "nodeContradiction")
    }
}
