import DaybookChains
import DaybookDomain
import DaybookEncoding
@testable import DaybookNodes
import Testing

struct NodeIdentityTests {
    private static let networks: [(Chain, Network)] = [Chain.dash, .axe].flatMap { chain in
        [Network.regtest, .testnet, .mainnet].map { (chain, $0) }
    }

    private static func check(
        _ core: FakeCore, as parameters: UTXOParameters? = nil
    ) async throws(ChainFailure) -> NodeState {
        let transport = ScriptedTransport { call, _ in core.reply(call) }
        return try await UTXONode(
            parameters ?? core.parameters, transport, retries: RPCRetryPolicy(pauses: []) { _ in }
        ).check()
    }

    @Test(arguments: networks)
    func `a node that can serve a wallet says how high its chain is`(
        chain: Chain, network: Network
    ) async throws {
        let core = try FakeCore(chain, network)
        #expect(try await Self.check(core) == NodeState(height: 200, tip: core.tip.hash))
        let identity = try await core.observe(ChainQuery()).identity
        // Anyone may start a regtest: there the next block tells one chain from another.
        let more = network == .regtest ? ", block 1 \(core.hash(1))" : ""
        #expect(identity == "genesis \(core.hash(0))\(more)")
    }

    @Test func `another chain with the same first block is noticed`() async throws {
        var core = try FakeCore()
        var question = ChainQuery()
        question.identity = try await core.observe(question).identity
        #expect(try await core.observe(question).identity == question.identity)
        core.fork = 1
        let (other, asked) = (core, question)
        await #expect { try await other.observe(asked) } throws: { error in
            (error as? ChainFailure)?.reason == .wrongChain
                && "\(error)".contains("another one of the same name")
        }
    }

    @Test func `a public chain that has become shorter is a node that lags`() async throws {
        var core = try FakeCore(.dash, .mainnet)
        var question = ChainQuery()
        question.tip = core.tip
        core.height = 190
        let (behind, asked) = (core, question)
        await #expect(throws: ChainFailure(
            .syncing, "the node has come to block 190, and block 200 was seen before")
        ) { try await behind.observe(asked) }
    }

    @Test func `every network has a first block of its own`() throws {
        let hashes = try Self.networks.map { chain, network in
            let parameters = try #require(UTXOParameters.of(chain, network))
            return try #require(CoreNetwork.of(parameters)).genesis
        }
        #expect(Set(hashes).count == 6)
        #expect(hashes.allSatisfy { TransactionID(hex: $0)?.hex == $0 })
    }

    @Test(arguments: [("dash.jsonl", Chain.dash), ("axe.jsonl", .axe)])
    func `the first block is the one that a real node showed`(file: String, chain: Chain) throws {
        let info = try #require(try Recording.result(of: "getblockchaininfo", blocks: 0, in: file))
        let parameters = try #require(UTXOParameters.of(chain, .regtest))
        #expect(info["bestblockhash"]?.stringValue == CoreNetwork.of(parameters)?.genesis)
        #expect(info["chain"]?.stringValue == CoreNetwork.of(parameters)?.name)
    }

    @Test(arguments: networks, [0, 1])
    func `a node of another chain or network is told by its first block`(
        _ place: (Chain, Network), other: Int
    ) async throws {
        let core = try FakeCore(place.0, place.1)
        let chain: Chain = other == 0 ? (place.0 == .dash ? .axe : .dash) : place.0
        let network: Network =
            other == 0 ? place.1 : (place.1 == .regtest ? .mainnet : .regtest)
        let asked = try #require(UTXOParameters.of(chain, network))
        await #expect(throws: ChainFailure(
            .wrongChain,
            "the node's first block is not that of \(chain.rawValue) \(network.rawValue)")
        ) { try await Self.check(core, as: asked) }
    }

    @Test func `a network of the same first block and another name is another`() async throws {
        let core = try FakeCore(.dash, .testnet)
        let transport = ScriptedTransport { call, _ in
            guard call.method == "getblockchaininfo", case .result(let truth) = core.reply(call)
            else { return core.reply(call) }
            return .result(truth.with("chain", .string("devnet-\u{202e}x")))
        }
        await #expect(throws: ChainFailure(
            .wrongChain, #"the node is of the network devnet-\u{202E}x"#)
        ) { try await observe(transport, core.parameters, .init()) }
    }

    @Test func `no node serves the sandbox`() async throws {
        let sandbox = try #require(UTXOParameters.of(.dash, .sandbox))
        let core = try FakeCore()
        await #expect(throws: ChainFailure(.wrongChain, "no node serves dash sandbox")) {
            try await Self.check(core, as: sandbox)
        }
    }

    @Test(arguments: [(Network.mainnet, true), (.testnet, true), (.regtest, false)])
    func `a node that still loads blocks is waited for, but on regtest`(
        network: Network, waits: Bool
    ) async throws {
        var core = try FakeCore(.dash, network)
        core.isLoading = true
        do throws(ChainFailure) {
            _ = try await Self.check(core)
            #expect(!waits)
        } catch {
            #expect(waits && error.reason == .syncing)
        }
    }

    @Test func `a node without an index is told which one it lacks`() async throws {
        var core = try FakeCore()
        core.keepsAddresses = false
        await #expect(throws: ChainFailure(
            .noAddressIndex, "the node keeps no index of addresses")
        ) { try await Self.check(core) }
        core.keepsAddresses = true
        core.keepsTransactions = false
        await #expect(throws: ChainFailure(
            .noTransactionIndex, "the node keeps no index of transactions")
        ) { try await Self.check(core) }
    }

    @Test func `a network without InstantSend is worth a note`() async throws {
        var core = try FakeCore()
        core.sporks = .error(-1, "")
        #expect(
            try await Self.check(core).notes
                == ["transactions are not locked by InstantSend here"])
    }

    @Test func `checking needs every call that looking needs`() async throws {
        let core = try FakeCore()
        let transport = ScriptedTransport { call, _ in core.reply(call) }
        _ = try await UTXONode(core.parameters, transport).check()
        #expect(Set(await transport.calls.map(\.method)) == [
            "getblockhash", "getblockchaininfo", "getaddressmempool", "getaddressdeltas",
            "getrawtransaction", "getmempoolinfo", "estimatesmartfee", "spork",
            "getbestblockhash",
        ])
    }
}
