import DaybookChains
import DaybookDomain
import DaybookEncoding
@testable import DaybookNodes
import Synchronization
import Testing

struct ICONObservationTests {
    private static func recorded(_ name: String, in file: String) throws -> (Bytes, JSON) {
        let result = try #require(
            try ICONServer.exchange(name, in: file)["response"]?["result"])
        let text = try #require(result["txHash"]?.stringValue)
        let hash = try #require(Hex.decode(text.dropFirst(2)))
        // The recorded tip is of another session, whose chain was shorter.
        return (hash, result.with("blockHeight", .string("0x7f")))
    }

    @Test func `an answer has the fields of a real node's recorded answer`() async throws {
        let (paid, receipt) = try Self.recorded("  result of token transfer", in: "goloop-irc2")
        let (failed, other) = try Self.recorded(
            "  result of token transfer, one step short", in: "goloop-irc2")
        let server = ICONServer { call, _ in
            switch call.parameters["txHash"] {
            case receipt["txHash"]?: .result(receipt)
            case other["txHash"]?: .result(other)
            default: nil
            }
        }
        var expected = ChainSnapshot(chain: .icon, network: .regtest)
        expected.identity = "nid 0x3"
        expected.height = 373
        expected.tip = try #require(
            Hex.decode("406665133969dd32af2d53bfeaff2e4dd65dfd54c11c88d8a1a1f67e1ca2b5a5"))
        expected.transactions = [
            .init(
                txid: paid, height: 0x7f, locked: false,
                fee: UInt256(0x2e2ca).multiplied(by: ICONServer.price)),
            .init(
                txid: failed, height: 0x7f, locked: false, failure: "10: OutOfStep",
                fee: UInt256(0x2c8ed).multiplied(by: ICONServer.price)),
        ]
        expected.balances = [
            .init(
                address: ICONServer.holder, asset: "ICX",
                amount: try #require(UInt256(hex: "2961fff8ca4a62327800000"))),
            .init(
                address: ICONServer.holder, asset: ICONServer.token,
                amount: try #require(UInt256(hex: "6f05b59d3b20000"))),
        ]
        expected.tokens = [.init(contract: ICONServer.token, symbol: "PRB", decimals: 18)]
        expected.iconFees = .init(
            price: ICONServer.price, transfer: 100_000, inputByte: 200, contractCall: 25_000)
        let question = ChainQuery.about(
            tokens: [ICONServer.token], transactions: [paid, failed])
        #expect(try await server.answer(question) == expected)
    }

    @Test(arguments: [
        .result(.string("")), .result(.null), .result(.int(7)), .result(.string("A\u{0}")),
        .result(.string(String(repeating: "A", count: 65))), .error(-30032, "MethodNotFound"),
    ] as [ScriptedTransport.Reply])
    func `a token whose symbol can't be read is one`(
        reply: ScriptedTransport.Reply
    ) async throws {
        let server = ICONServer("icx_call symbol", reply)
        let answer = try await server.answer(ChainQuery.about(tokens: [ICONServer.token]))
        #expect(answer.tokens == [.init(contract: ICONServer.token, symbol: "", decimals: 18)])
        #expect(answer.balances.contains { $0.asset == ICONServer.token })
        let other = ICONServer("icx_call decimals", reply)
        let nothing = try await other.answer(ChainQuery.about(tokens: [ICONServer.token]))
        #expect(nothing.tokens.isEmpty)
    }

    @Test func `progress never goes back and ends with all`() async throws {
        let heard = Heard()
        var question = ChainQuery.about(
            tokens: [ICONServer.token, "cx12"], transactions: [Bytes(repeating: 7, count: 32)])
        question.addresses.append(ICONServer.holder)
        let server = ICONServer { call, times in
            call.method == "icx_getTransactionResult" && times == 1
                ? .error(-31002, "Pending: Pending") : nil
        }
        let node = server.node()
        _ = try await node.observe(question) { done, all in heard.add(done, all) }
        let steps = heard.steps
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.done <= $1.done })
        #expect(steps.allSatisfy { $0.done <= $0.all })
        #expect(steps.last.map { $0.done == $0.all } == true)
    }

    // MARK: - The network

    @Test(arguments: [
        (Network.mainnet, [UInt64](), "0x1"), (.testnet, [], "0x2"), (.regtest, [], "0x3"),
        (.testnet, [7], "0x7"), (.testnet, [2, 7], "0x7"),
    ]) func `a node serves the networks that wallets are on, or the usual one`(
        network: Network, ids: [UInt64], nid: String
    ) async throws {
        let server = ICONServer("icx_getNetworkInfo", .result(.record(["nid": .string(nid)])))
        var question = ChainQuery()
        question.networkIDs = ids
        let answer = try await server.node(network).observe(question, progress: nil)
        #expect(answer.identity == "nid \(nid)")
    }

    @Test(arguments: [(Network.mainnet, [UInt64]()), (.regtest, [2, 7]), (.sandbox, [])])
    func `a node of another network is asked about no address`(
        network: Network, ids: [UInt64]
    ) async {
        let server = ICONServer()
        var question = ChainQuery.about()
        question.networkIDs = ids
        await #expect { try await server.node(network).observe(question, progress: nil) } throws: {
            ($0 as? ChainFailure)?.reason == .wrongChain
        }
        #expect(await server.calls("icx_getNetworkInfo") == 1)
        #expect(await server.calls("icx_getBalance") == 0)
    }

    @Test func `another chain with the same network id is noticed by a block that was known`()
        async throws
    {
        let block = JSON.record([
            "height": .int(373), "time_stamp": .int(1), "block_hash": .string(
                String(repeating: "ab", count: 32)),
        ])
        let server = ICONServer { call, _ in
            call.method == "icx_getBlockByHeight" && call.parameters["height"] == .string("0x175")
                ? .result(block) : nil
        }
        var question = ChainQuery.about()
        question.tip = .init(height: 373, hash: Bytes(repeating: 0xab, count: 32))
        _ = try await server.answer(question)
        question.tip = .init(height: 373, hash: Bytes(repeating: 0xcd, count: 32))
        #expect(await server.failure(question)?.reason == .wrongChain)
    }

    @Test func `another chain with the same network id is noticed by its block 1`() async throws {
        let server = ICONServer { call, times in
            guard call.method == "icx_getBlockByHeight" else { return nil }
            return .result(
                .record([
                    "height": .int(1), "time_stamp": .int(1),
                    "block_hash": .string(String(repeating: times == 0 ? "ab" : "cd", count: 32)),
                ]))
        }
        var question = ChainQuery.about()
        question.identity = try await server.answer(question).identity
        #expect(question.identity?.hasPrefix("nid 0x3, block 1 abab") == true)
        #expect(await server.failure(question)?.reason == .wrongChain)
    }

    @Test func `a node that is behind the recorded tip is named`() async {
        var question = ChainQuery.about()
        question.tip = .init(height: 400, hash: Bytes(repeating: 1, count: 32))
        #expect(
            await ICONServer().failure(question) == ChainFailure(
                .syncing, "the node has come to block 373, and block 400 was seen before"))
    }

    @Test func `a node that can't name its network lacks a call`() async throws {
        let server = ICONServer("icx_getNetworkInfo", try ICONServer.reply("unknown method"))
        #expect(await server.failure()?.reason == .unknownCall)
    }

    // MARK: - The clock

    @Test func `a block from the future says that a clock is off, and by how much`() async {
        let early = ICONServer.time - 7 * 60_000_000
        await #expect(
            throws: ChainFailure(
                .clock, "this computer's clock is 7 minutes behind the node's last block")
        ) { try await ICONServer().node(at: early).observe(ChainQuery(), progress: nil) }
    }

    @Test(arguments: [-300_000_000, 0, 86_400_000_000] as [Int64])
    func `a block that is minutes ahead, or behind, is no failure`(
        difference: Int64
    ) async throws {
        let now = UInt64(Int64(ICONServer.time) + difference)
        let answer = try await ICONServer().node(at: now).observe(ChainQuery(), progress: nil)
        #expect(answer.height == 373)
    }

    // MARK: - Steps

    private static let transfer = JSON.record([
        "to": .string(ICONServer.token), "dataType": .string("call"),
        "data": .record(["method": .string("transfer")]),
    ])

    private static func estimate(
        _ reply: ScriptedTransport.Reply?, of transaction: JSON = transfer
    ) async throws -> UInt64? {
        let debug = reply.map { reply in ICONServer { _, _ in reply } }
        let question = ChainQuery.about(estimate: transaction)
        return try await ICONServer().node(debug: debug).observe(question, progress: nil).estimate
    }

    @Test func `the debug endpoint estimates the steps of a call`() async throws {
        let reply = try ICONServer.reply("estimateStep, token transfer", in: "goloop-irc2")
        #expect(try await Self.estimate(reply) == 0x2e2ca)
        #expect(try await Self.estimate(.result(.string("0x9502f900"))) == 0x9502_f900)
    }

    @Test func `without a debug endpoint, or one that knows the call, there is no estimate`()
        async throws
    {
        #expect(try await Self.estimate(nil) == nil)
        let unknown = try ICONServer.reply("estimateStep, on the plain endpoint")
        #expect(try await Self.estimate(unknown) == nil)
        #expect(try await Self.estimate(.http(404, "")) == nil)
        #expect(try await Self.estimate(.failure(.timedOut)) == nil)
        let reverts = try ICONServer.reply("estimateStep, reverting", in: "goloop-irc2")
        #expect(try await Self.estimate(reverts) == nil)
    }

    @Test(arguments: ["0x9502f901", "0x1", "0x0", "-0x2e2ca", "189130", "0x2E2CA", "0x02e2ca"])
    func `an impossible estimate is ignored`(text: String) async throws {
        #expect(try await Self.estimate(.result(.string(text))) == nil)
    }

    @Test func `a transfer without a contract needs no estimate`() async throws {
        let payment = JSON.record(["to": .string(ICONServer.holder)])
        #expect(try await Self.estimate(.result(.string("0x2e2ca")), of: payment) == nil)
    }
}

/// The reports, in order.
private final class Heard: Sendable {
    private let list = Mutex<[(done: Int, all: Int)]>([])

    var steps: [(done: Int, all: Int)] { list.withLock { $0 } }

    func add(_ done: Int, _ all: Int) { list.withLock { $0.append((done, all)) } }
}
