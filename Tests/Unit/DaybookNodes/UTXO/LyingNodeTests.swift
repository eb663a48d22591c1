import DaybookChains
import DaybookDomain
import DaybookEncoding
import Testing

@testable import DaybookNodes

/// What a node may say that is not so, and that none of it gets through.
struct LyingNodeTests {
    /// What a node's answer to one call becomes.
    typealias Lie = @Sendable (JSON) -> JSON

    /// A node with a payment in a block and one in the mempool, both to the same address.
    private static func core(_ network: Network = .regtest) throws -> FakeCore {
        var core = try FakeCore(.dash, network)
        core.pay([(1, 500)], at: 100)
        core.pay([(1, 600)])
        return core
    }

    private static func look(
        _ core: FakeCore, lyingIn method: String, _ lie: @escaping Lie
    ) async throws(ChainFailure) -> ChainSnapshot {
        let transport = ScriptedTransport { call, _ in
            guard call.method == method, case .result(let truth) = core.reply(call)
            else { return core.reply(call) }
            return .result(lie(truth))
        }
        var question = ChainQuery()
        question.watched = [core.address(1)]
        return try await observe(transport, core.parameters, question)
    }

    private static func reason(
        lyingIn method: String, _ lie: @escaping Lie
    ) async throws -> ChainFailure.Reason? {
        let core = try core()
        do throws(ChainFailure) {
            _ = try await look(core, lyingIn: method, lie)
            return nil
        } catch {
            return error.reason
        }
    }

    // MARK: - Harmless lies

    @Test func `amounts and scripts are those of the bytes, whatever the node says`()
        async throws
    {
        let core = try Self.core()
        let truth = try await core.observe({
            var question = ChainQuery()
            question.watched = [core.address(1)]
            return question
        }())
        let inflated = try await Self.look(core, lyingIn: "getaddressdeltas") { deltas in
            .array((deltas.arrayValue ?? []).map {
                $0.with("satoshis", .int(99_999_999)).with("index", .int(7))
            })
        }
        #expect(inflated == truth)
        let scripted = try await Self.look(core, lyingIn: "getrawtransaction") {
            $0.with("vout", .array([.record(["value": .number("5000.0"), "n": .int(0)])]))
        }
        #expect(scripted == truth)
        let doubled = try await Self.look(core, lyingIn: "getaddressmempool") {
            .array(($0.arrayValue ?? []) + ($0.arrayValue ?? []))
        }
        #expect(doubled == truth)
    }

    @Test func `a transaction of others that is named as ours changes nothing`() async throws {
        var core = try Self.core()
        let other = core.pay([(7, 9_000)], at: 50)
        let answer = try await Self.look(core, lyingIn: "getaddressdeltas") {
            .array(($0.arrayValue ?? []) + [
                .record(["txid": .string(other.hex), "height": .int(50), "satoshis": .int(9_000)])
            ])
        }
        #expect(Set(answer.outputs.map(\.amount)) == [500, 600])
    }

    // MARK: - Lies that are found out

    /// Ways in which an answer to `getrawtransaction` can be wrong.
    private static let wrongTransactions: [(String, Lie)] = [
        ("no hex", { $0.with("hex", nil) }),
        ("hex as a number", { $0.with("hex", .number("12")) }),
        ("half a byte", { $0.with("hex", .string("0")) }),
        ("no bytes", { $0.with("hex", .string("")) }),
        ("other bytes", { $0.with("hex", .string("02000000")) }),
        ("one byte more", { $0.with("hex", .string(($0["hex"]?.stringValue ?? "") + "00")) }),
        ("a block without a height", inBlock(nil, .int(101))),
        ("a block without confirmations", inBlock(.int(100), nil)),
        ("a height without a block", {
            $0.with("blockhash", nil).with("confirmations", nil).with("height", .int(100))
        }),
        ("a block without an id", { $0.with("blockhash", .string("00")) }),
        ("a later block", inBlock(.int(201), .int(0))),
        ("a later block, confirmed", inBlock(.int(201), .int(1))),
        ("another block", inBlock(.int(101), .int(100))),
        ("the first block", inBlock(.int(0), .int(201))),
        ("a height as a text", inBlock(.string("100"), .int(101))),
        ("a height as a fraction", inBlock(.number("100.0"), .int(101))),
        ("a height below all", inBlock(.int(-2), .int(101))),
        ("a height beyond all", inBlock(.number("99999999999999999999"), .int(101))),
        ("too many confirmations", inBlock(.int(100), .number("9223372036854775807"))),
        ("a lock as a text", { $0.with("instantlock", .string("true")) }),
        ("a text", { _ in .string("x") }), ("nothing", { _ in .null }),
    ]

    private static func inBlock(_ height: JSON?, _ confirmations: JSON?) -> Lie {
        {
            $0.with("blockhash", .string(String(repeating: "0", count: 64)))
                .with("height", height).with("confirmations", confirmations)
        }
    }

    @Test(arguments: wrongTransactions.map(\.0))
    func `a transaction that contradicts itself or the request is refused`(
        name: String
    ) async throws {
        let lie = try #require(Self.wrongTransactions.first { $0.0 == name }).1
        #expect(try await Self.reason(lyingIn: "getrawtransaction", lie) == .invalidAnswer)
    }

    @Test func `the bytes of another transaction are refused`() async throws {
        var other = try FakeCore()
        other.pay([(1, 21_000_000)], at: 100)
        let bytes = Hex.encode(other.held[0].transaction.serialized())
        #expect(
            try await Self.reason(lyingIn: "getrawtransaction") { $0.with("hex", .string(bytes)) }
                == .invalidAnswer)
    }

    @Test(arguments: ["no bytes", "other bytes", "one byte more", "half a byte", "nothing"])
    func `a whole transaction that does not hash to its id is refused`(
        name: String
    ) async throws {
        let lie = try #require(Self.wrongTransactions.first { $0.0 == name }).1
        let core = try Self.core()
        let transport = ScriptedTransport { call, _ in
            guard case .result(let truth) = core.reply(call) else { return core.reply(call) }
            return .result(lie(truth))
        }
        let node = UTXONode(
            core.parameters, transport, retries: RPCRetryPolicy(pauses: []) { _ in })
        do throws(ChainFailure) {
            _ = try await node.transactions([core.held[0].txid.displayed])
            Issue.record("it is taken")
        } catch {
            #expect(error.reason == .invalidAnswer)
        }
    }

    @Test(arguments: [UInt64.max, 1 << 63, Duffs.maximum + 1])
    func `a transaction of amounts that do not exist is refused`(amount: UInt64) async throws {
        var core = try FakeCore()
        core.pay([(1, amount)], at: 100)
        // Only what it pays is asked for here: the lists of a real node could not even say it.
        let node = core
        let transport = ScriptedTransport { call, _ in
            guard call.method == "getaddressdeltas" else { return node.reply(call) }
            return .result(.array([.record([
                "txid": .string(node.held[0].txid.hex), "height": .int(100),
            ])]))
        }
        var question = ChainQuery()
        question.watched = [core.address(1)]
        await #expect(throws: ChainFailure(
            .invalidAnswer, "getrawtransaction.hex is not a transaction of amounts that there are")
        ) { try await observe(transport, node.parameters, question) }
    }

    private static func inEach(_ change: @escaping Lie) -> Lie {
        { .array(($0.arrayValue ?? []).map(change)) }
    }

    @Test(arguments: ["getaddressdeltas", "getaddressmempool"])
    func `a list without ids is refused`(method: String) async throws {
        for lie: Lie in [
            Self.inEach { $0.with("txid", nil) }, Self.inEach { $0.with("txid", .int(5)) },
            Self.inEach { $0.with("txid", .string("abcd")) }, Self.inEach { _ in .null },
            { _ in .null }, { _ in .record([:]) },
        ] {
            #expect(try await Self.reason(lyingIn: method, lie) == .invalidAnswer)
        }
    }

    @Test(arguments: [
        nil, .int(-1), .int(0), .int(201), .string("100"), .number("100.0"), .number("1e2"),
        .number("18446744073709551616"), .null, .array([]),
    ] as [JSON?]) func `a payment in no block that was asked about is refused`(
        height: JSON?
    ) async throws {
        #expect(
            try await Self.reason(
                lyingIn: "getaddressdeltas", Self.inEach { $0.with("height", height) })
                == .invalidAnswer)
    }

    @Test func `a payment that is in two places is refused`() async throws {
        let core = try Self.core()
        let pending = core.held[1].txid.hex
        let lie: Lie = {
            .array(($0.arrayValue ?? []) + [
                .record(["txid": .string(pending), "height": .int(7)])
            ])
        }
        #expect(try await Self.reason(lyingIn: "getaddressdeltas", lie) == .invalidAnswer)
        let twice: Lie = {
            .array(($0.arrayValue ?? []) + ($0.arrayValue ?? []).map {
                $0.with("height", .int(101))
            })
        }
        #expect(try await Self.reason(lyingIn: "getaddressdeltas", twice) == .invalidAnswer)
    }

    @Test(arguments: [
        ("blocks", nil), ("blocks", .int(-1)), ("blocks", .string("200")),
        ("blocks", .number("2e2")), ("blocks", .number("9223372036854775807")),
        ("bestblockhash", nil), ("bestblockhash", .string("00")), ("bestblockhash", .int(1)),
        ("chain", nil), ("chain", .int(1)), ("initialblockdownload", .string("false")),
        ("initialblockdownload", nil),
    ] as [(String, JSON?)]) func `a standing without what it must have is refused`(
        name: String, value: JSON?
    ) async throws {
        #expect(
            try await Self.reason(lyingIn: "getblockchaininfo") { $0.with(name, value) }
                == .invalidAnswer)
    }

    @Test func `a chain that is higher than nodes can count is refused`() async throws {
        let core = try FakeCore()
        let transport = ScriptedTransport { call, _ in
            guard call.method == "getblockchaininfo", case .result(let truth) = core.reply(call)
            else { return core.reply(call) }
            return .result(truth.with("blocks", .int(Int64(Int32.max) + 1)))
        }
        await #expect(throws: ChainFailure(
            .invalidAnswer, "getblockchaininfo.blocks is not a number of blocks")
        ) { try await observe(transport, core.parameters, .init()) }
    }

    @Test(arguments: [
        nil, .string("0.00001000"), .number("-0.00001000"), .number("1e-05"),
        .number("0.000010001"), .null,
    ] as [JSON?]) func `a fee that is no amount of coins is refused`(fee: JSON?) async throws {
        #expect(
            try await Self.reason(lyingIn: "getmempoolinfo") { $0.with("mempoolminfee", fee) }
                == .invalidAnswer)
    }

    @Test func `a confirmed payment that the node does not find lacks its index`() async throws {
        let core = try Self.core()
        var question = ChainQuery()
        question.watched = [core.address(1)]
        let confirmed = core.held[0].txid.hex
        let transport = ScriptedTransport { call, _ in
            call.parameters.arrayValue?.first == .string(confirmed)
                ? .error(-5, "No such mempool or blockchain transaction.") : core.reply(call)
        }
        let asked = question
        await #expect(throws: ChainFailure(
            .noTransactionIndex, "the node does not find a transaction that is in a block")
        ) { try await observe(transport, core.parameters, asked) }
    }

    @Test func `what is deeper than any answer is refused`() async throws {
        let core = try Self.core()
        let body = String(repeating: "[", count: 1_000_000)
        let transport = ScriptedTransport { call, _ in
            call.method == "getblockchaininfo" ? .http(200, body) : core.reply(call)
        }
        await #expect(throws: ChainFailure(
            .invalidAnswer,
            "the answer is no JSON (200): json at byte 32: too many levels of arrays and objects")
        ) { try await observe(transport, core.parameters, .init()) }
    }
}
