import DaybookChains
import DaybookDomain
import DaybookEncoding
import Testing

@testable import DaybookNodes

/// The lies that a node may tell, none of which gets through.
struct LyingNodeTests {
    /// A change of a node's answer to one call.
    typealias Lie = @Sendable (JSON) -> JSON

    /// A node with a payment in a block and one in the mempool, both to the same address.
    private static func core(_ network: Network = .regtest) throws -> FakeCore {
        var core = try FakeCore(.dash, network)
        core.pay([(1, 500)], at: 100)
        core.pay([(1, 600)])
        return core
    }

    private static func look(
        _ core: FakeCore, lyingIn method: String, about txid: TransactionID? = nil,
        _ lie: @escaping Lie
    ) async throws(ChainFailure) -> ChainSnapshot {
        let transport = ScriptedTransport { call, _ in
            let isOther = txid.map { call.parameters.arrayValue?.first != .string($0.hex) }
            guard call.method == method, isOther != true, case .result(let truth) = core.reply(call)
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
        ("a height as a fraction", inBlock(.number("100.5"), .int(101))),
        ("a height below all", inBlock(.int(-2), .int(101))),
        ("a height beyond all", inBlock(.number("99999999999999999999"), .int(101))),
        ("too many confirmations", inBlock(.int(100), .number("9223372036854775807"))),
        ("a text", { _ in .string("x") }), ("nothing", { _ in .null }),
    ]

    private static func inBlock(_ height: JSON?, _ confirmations: JSON?) -> Lie {
        {
            $0.with("blockhash", .string(String(repeating: "0", count: 64)))
                .with("height", height).with("confirmations", confirmations)
        }
    }

    @Test(arguments: wrongTransactions.map(\.0))
    func `a transaction that contradicts itself or the request is set aside alone`(
        name: String
    ) async throws {
        let lie = try #require(Self.wrongTransactions.first { $0.0 == name }).1
        let core = try Self.core()
        let wrong = core.held[0].txid
        let answer = try await Self.look(core, lyingIn: "getrawtransaction", about: wrong, lie)
        #expect(answer.outputs.map(\.amount) == [600])
        #expect(answer.setAside.map(\.kind) == [.transaction])
        #expect(answer.setAside.map(\.txid) == [wrong.displayed])
        #expect(answer.setAside.map(\.height) == [100])
    }

    @Test func `the bytes of another transaction are set aside`() async throws {
        var other = try FakeCore()
        other.pay([(1, 21_000_000)], at: 100)
        let bytes = Hex.encode(other.held[0].transaction.serialized())
        let core = try Self.core()
        let answer = try await Self.look(core, lyingIn: "getrawtransaction") {
            $0.with("hex", .string(bytes))
        }
        #expect(answer.outputs.isEmpty)
        #expect(Set(answer.setAside.map(\.txid)) == Set(core.held.map(\.txid.displayed)))
        #expect(answer.setAside[0].reason
            == "getrawtransaction.hex is not the transaction \(core.held[0].txid.hex)"
            || answer.setAside[0].reason
                == "getrawtransaction.hex is not the transaction \(core.held[1].txid.hex)")
    }

    @Test(arguments: ["instantlock", "chainlock"])
    func `a lock with another value than true is no lock`(word: String) async throws {
        for value: JSON in [.string("true"), .int(1), .null] {
            let core = try Self.core()
            var question = ChainQuery()
            question.transactions = [core.held[1].txid.displayed]
            let transport = ScriptedTransport { call, _ in
                guard call.method == "getrawtransaction", case .result(let truth) = core.reply(call)
                else { return core.reply(call) }
                return .result(truth.with(word, value))
            }
            let answer = try await observe(transport, core.parameters, question)
            #expect(answer.transactions.map(\.locked) == [false])
            #expect(answer.setAside.isEmpty)
        }
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
    func `a transaction of amounts that do not exist is set aside`(amount: UInt64) async throws {
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
        let answer = try await observe(transport, node.parameters, question)
        #expect(answer.outputs.isEmpty)
        #expect(answer.setAside == [
            SetAside(
                .transaction, txid: node.held[0].txid.displayed, height: 100,
                because: "getrawtransaction.hex is not a transaction of amounts that there are"),
        ])
    }

    private static func inEach(_ change: @escaping Lie) -> Lie {
        { .array(($0.arrayValue ?? []).map(change)) }
    }

    @Test(arguments: ["getaddressdeltas", "getaddressmempool"])
    func `an entry without an id is set aside, and a list that is none is refused`(
        method: String
    ) async throws {
        let core = try Self.core()
        let isOfBlocks = method == "getaddressdeltas"
        for lie: Lie in [
            Self.inEach { $0.with("txid", nil) }, Self.inEach { $0.with("txid", .int(5)) },
            Self.inEach { $0.with("txid", .string("abcd")) }, Self.inEach { _ in .null },
        ] {
            let answer = try await Self.look(core, lyingIn: method, lie)
            #expect(answer.outputs.map(\.amount) == [isOfBlocks ? 600 : 500])
            #expect(answer.setAside.map(\.kind) == [.listing])
        }
        let whole = try await Self.look(
            core, lyingIn: method, Self.inEach { $0.with("txid", .null) })
        #expect(whole.setAside.map(\.address) == [core.address(1).address])
        #expect(whole.setAside.map(\.height) == [isOfBlocks ? 100 : nil])
        for lie: Lie in [{ _ in .null }, { _ in .record([:]) }] {
            #expect(try await Self.reason(lyingIn: method, lie) == .invalidAnswer)
        }
    }

    @Test(arguments: [
        nil, .int(-1), .int(0), .int(201), .string("100"), .number("100.5"), .number("1e-2"),
        .number("18446744073709551616"), .null, .array([]),
    ] as [JSON?]) func `a payment in no block that was asked about is looked for by its id`(
        height: JSON?
    ) async throws {
        let core = try Self.core()
        let lie = Self.inEach { $0.with("height", height) }
        let answer = try await Self.look(core, lyingIn: "getaddressdeltas", lie)
        #expect(answer == (try await Self.look(core, lyingIn: "getaddressdeltas") { $0 }))
    }

    @Test(arguments: ["1e2", "100.0", "1.00E+2", "1000e-1"])
    func `a number is the same however it is written`(literal: String) async throws {
        let core = try Self.core()
        let truth = try await Self.look(core, lyingIn: "getaddressdeltas") { $0 }
        let lists = try await Self.look(
            core, lyingIn: "getaddressdeltas",
            Self.inEach { $0.with("height", .number(literal)) })
        #expect(lists == truth)
        let transactions = try await Self.look(
            core, lyingIn: "getrawtransaction", about: core.held[0].txid
        ) { $0.with("height", .number(literal)).with("confirmations", .number("1.01e2")) }
        #expect(transactions == truth)
        let standing = try await Self.look(core, lyingIn: "getblockchaininfo") {
            $0.with("blocks", .number("2e2"))
        }
        #expect(standing == truth)
    }

    @Test func `a payment that is in two places is set aside`() async throws {
        let core = try Self.core()
        let (confirmed, pending) = (core.held[0].txid, core.held[1].txid)
        let lie: Lie = {
            .array(($0.arrayValue ?? []) + [
                .record(["txid": .string(pending.hex), "height": .int(7)])
            ])
        }
        let answer = try await Self.look(core, lyingIn: "getaddressdeltas", lie)
        #expect(answer.outputs.map(\.amount) == [500])
        #expect(answer.setAside.map(\.txid) == [pending.displayed])
        let twice: Lie = {
            .array(($0.arrayValue ?? []) + ($0.arrayValue ?? []).map {
                $0.with("height", .int(101))
            })
        }
        let other = try await Self.look(core, lyingIn: "getaddressdeltas", twice)
        #expect(other.outputs.map(\.amount) == [600])
        #expect(other.setAside.map(\.txid) == [confirmed.displayed])
    }

    @Test(arguments: [
        ("blocks", nil), ("blocks", .int(-1)), ("blocks", .string("200")),
        ("blocks", .number("2e-2")), ("blocks", .number("9223372036854775807")),
        ("bestblockhash", nil), ("bestblockhash", .string("00")), ("bestblockhash", .int(1)),
        ("chain", nil), ("chain", .int(1)), ("initialblockdownload", .string("false")),
        ("initialblockdownload", nil),
    ] as [(String, JSON?)]) func `a standing without a required part is refused`(
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
        .string("0.00001000"), .number("-0.00001000"), .number("1e30"), .number("1e-999"),
        .bool(true), .array([]), .number("21000000.00000001"),
    ] as [JSON]) func `a fee that is no amount of coins is set aside`(fee: JSON) async throws {
        for (method, name) in [
            ("getmempoolinfo", "mempoolminfee"), ("estimatesmartfee", "feerate"),
        ] {
            let answer = try await Self.look(Self.core(), lyingIn: method) { $0.with(name, fee) }
            #expect(Set(answer.outputs.map(\.amount)) == [500, 600])
            // The smallest fraction of a duff is a duff.
            if fee == .number("1e-999") {
                #expect(answer.setAside.isEmpty)
                continue
            }
            #expect(answer.setAside == [
                SetAside(.feeRate, because: "\(method).\(name) is not a fee in coins"),
            ])
            #expect(answer.isFeeEstimated == (method == "getmempoolinfo"))
            #expect(answer.feeRate == (method == "getmempoolinfo" ? 5224 : 1000))
        }
    }

    @Test(arguments: [nil, .null, .int(-1), .number("-1.0"), .int(0), .number("0.0")] as [JSON?])
    func `no estimate means the least that the node takes`(fee: JSON?) async throws {
        let answer = try await Self.look(Self.core(), lyingIn: "estimatesmartfee") {
            $0.with("feerate", fee)
        }
        #expect(answer.feeRate == 1000)
        #expect(!answer.isFeeEstimated)
        #expect(answer.setAside.isEmpty)
    }

    @Test func `answers about fees that are none are set aside`() async throws {
        for method in ["getmempoolinfo", "estimatesmartfee"] {
            for lie: Lie in [{ _ in .null }, { _ in .array([]) }, { _ in .string("x") }] {
                let answer = try await Self.look(Self.core(), lyingIn: method, lie)
                #expect(answer.setAside.map(\.kind).allSatisfy { $0 == .feeRate })
                #expect(!answer.setAside.isEmpty)
                #expect(answer.outputs.count == 2)
            }
        }
    }

    @Test func `a transaction that is set aside is read again, and counts once it is understood`()
        async throws
    {
        let core = try Self.core()
        let wrong = core.held[0].txid
        let before = try await Self.look(core, lyingIn: "getrawtransaction", about: wrong) {
            $0.with("hex", .string("00"))
        }
        var question = ChainQuery()
        // All that a later scan knows: the transaction is older than what it asks for.
        question.watched = [
            .init(address: core.address(1).address, script: core.address(1).script, isUsed: true)
        ]
        question.tip = core.tip
        question.setAside = before.setAside
        let fixed = core
        let asked = question
        let after = try await fixed.observe(asked)
        #expect(after.since == 201)
        #expect(Set(after.outputs.map(\.amount)) == [500, 600])
        #expect(after.setAside.isEmpty)
        // A node that has forgotten it says nothing of it any more.
        var empty = core
        empty.held.removeFirst()
        let gone = try await empty.observe(asked)
        #expect(gone.setAside.isEmpty)
        #expect(gone.outputs.map(\.amount) == [600])
    }

    @Test func `an answer with more than a hundred parts that are not understood is refused`()
        async throws
    {
        var core = try FakeCore()
        for _ in 0...SetAside.limit { core.pay([(1, 500)], at: 100) }
        await #expect(throws: ChainFailure.self) {
            try await Self.look(core, lyingIn: "getrawtransaction") { _ in .null }
        }
        core.held.removeLast()
        let answer = try await Self.look(core, lyingIn: "getrawtransaction") { _ in .null }
        #expect(answer.setAside.count == SetAside.limit)
    }

    @Test func `a payment to us by an asset unlock of version 2 is found`() async throws {
        var core = try Self.core()
        let signing = Bytes(repeating: 7, count: 132)
        let unlock = UTXOTransaction(
            version: 3, type: 9, inputs: [],
            outputs: [.init(amount: 9000, script: core.address(1).script)],
            extraPayload: [2] + Bytes(repeating: 1, count: 12) + signing)
        core.held.append(.init(unlock, at: 150))
        let answer = try await Self.look(core, lyingIn: "getaddressdeltas") { $0 }
        #expect(Set(answer.outputs.map(\.amount)) == [500, 600, 9000])
        #expect(answer.setAside.isEmpty)
    }

    @Test(arguments: [UInt16(0), 1, 8, 9, 10, 999, .max])
    func `outputs to us count in a transaction of any type and with any script`(
        type: UInt16
    ) async throws {
        var core = try Self.core()
        let odd = UTXOTransaction(
            version: 3, type: type, inputs: [.init(Outpoint(TransactionID(hashing: [1]), 0))],
            outputs: [
                .init(amount: 1, script: []), .init(amount: 2, script: [0xff, 0x4e, 0xff]),
                .init(amount: 7000, script: core.address(1).script),
            ], extraPayload: type == 0 ? [] : [2, 0, 0xff])
        core.held.append(.init(odd, at: 150))
        let answer = try await Self.look(core, lyingIn: "getaddressdeltas") { $0 }
        #expect(Set(answer.outputs.map(\.amount)) == [500, 600, 7000])
    }

    @Test(arguments: ["getblockchaininfo", "getrawtransaction", "getmempoolinfo"])
    func `members that nobody knows change nothing`(method: String) async throws {
        let core = try Self.core()
        let truth = try await Self.look(core, lyingIn: "getaddressdeltas") { $0 }
        let more = try await Self.look(core, lyingIn: method) {
            $0.with("mempoolfullrbf", .bool(true)).with("time", nil)
                .with("extra", .array([.null, .record(["deep": .number("1e-5")])]))
        }
        #expect(more == truth)
    }

    @Test func `a last block that is not understood means that all is asked for again`()
        async throws
    {
        let core = try Self.core()
        var question = ChainQuery()
        question.watched = [core.address(1)]
        question.tip = core.tip
        let asked = question
        let transport = ScriptedTransport { call, _ in
            call.method == "getblockhash" && call.parameters == .array([.int(200)])
                ? .result(.null) : core.reply(call)
        }
        let answer = try await observe(transport, core.parameters, asked)
        #expect(answer.since == 0)
        #expect(Set(answer.outputs.map(\.amount)) == [500, 600])
    }

    @Test func `a confirmed payment that the node does not find is set aside`() async throws {
        let core = try Self.core()
        var question = ChainQuery()
        question.watched = [core.address(1)]
        let confirmed = core.held[0].txid.hex
        let transport = ScriptedTransport { call, _ in
            call.parameters.arrayValue?.first == .string(confirmed)
                ? .error(-5, "No such mempool or blockchain transaction.") : core.reply(call)
        }
        let answer = try await observe(transport, core.parameters, question)
        #expect(answer.outputs.map(\.amount) == [600])
        #expect(answer.setAside == [
            SetAside(
                .transaction, txid: core.held[0].txid.displayed, height: 100,
                because: "the node does not find a transaction that it lists in a block"),
        ])
    }

    @Test func `a text deeper than any answer is refused`() async throws {
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
