import DaybookChains
import DaybookDomain
import DaybookEncoding
import Testing

@testable import DaybookNodes

struct BroadcastTests {
    private static let bytes: Bytes = [1, 2, 3]
    private static let txid = TransactionID(hashing: bytes)

    /// Sends to a node with the given answer; the node answers other calls as Dash Core does.
    private static func send(
        _ reply: ScriptedTransport.Reply, to core: FakeCore, bytes: Bytes = bytes,
        otherwise: [String: ScriptedTransport.Reply] = [:]
    ) async -> (answer: BroadcastAnswered, calls: [ScriptedTransport.Call]) {
        let transport = ScriptedTransport { call, _ in
            call.method == "sendrawtransaction"
                ? reply : otherwise[call.method] ?? core.reply(call)
        }
        let node = UTXONode(
            core.parameters, transport, retries: RPCRetryPolicy(pauses: []) { _ in })
        let answer = await node.broadcast(
            bytes, txid: TransactionID(hashing: bytes).displayed)
        return (answer, await transport.calls)
    }

    @Test func `a transaction is sent by its digits alone`() async throws {
        let (answer, calls) = await Self.send(.result(.string(Self.txid.hex)), to: try FakeCore())
        #expect(answer == BroadcastAnswered(answer: .accepted))
        #expect(calls.map(\.parameters) == [.array([.string("010203")])])
    }

    // MARK: - Recorded refusals

    /// The meaning of each recorded `sendrawtransaction`, by the recording's label.
    private static let expected: [String: [String: BroadcastAnswered.Answer]] = [
        "dash.jsonl": [
            "sendrawtransaction immature": .unknown, "SRT zero fee": .unknown,
            "SRT fee one duff too low": .unknown, "SRT non-final locktime": .unknown,
            "chain 26": .unknown, "SRT bool 2nd param": .unknown,
            "SRT tx confirmed, output unspent": .accepted,
            "SRT missing inputs (nonexistent)": .unknown,
            "SRT tx confirmed, output 0 spent": .unknown,
            "SRT double spend with higher fee (no RBF)": .unknown,
            "SRT absurd fee 0.2 DASH": .unknown,
        ],
        "axe.jsonl": [
            "SRT immature": .unknown, "SRT zero fee": .unknown, "SRT fee 200 on 225": .unknown,
            "SRT non-final": .unknown, "SRT amount 2nd param": .unknown,
            "SRT confirmed unspent": .accepted, "SRT missing inputs": .unknown,
            "SRT confirmed, outputs spent": .unknown, "SRT conflict": .unknown,
            "SRT allowhighfees": .unknown,
        ],
    ]

    @Test(arguments: [("dash.jsonl", 61), ("axe.jsonl", 25)])
    func `real nodes' answers to transactions are understood`(
        file: String, count: Int
    ) async throws {
        let sent = try Recording.lines(file).filter {
            $0["req"]?["method"] == .string("sendrawtransaction")
        }
        #expect(sent.count == count)
        for exchange in sent {
            let label = try #require(exchange["label"]?.stringValue)
            let response = try JSON.parse(Bytes((exchange["resp"]?.stringValue ?? "").utf8))
            guard let error = response["error"], !error.isNull else { continue }
            let code = try #require(error["code"]?.intValue)
            let message = try #require(error["message"]?.stringValue)
            let bytes = exchange["req"]?["params"]?.arrayValue?.first?.stringValue
                .flatMap { Hex.decode($0) }
            let answer = await Self.send(
                .error(code, message), to: try FakeCore(file == "dash.jsonl" ? .dash : .axe),
                bytes: bytes ?? Self.bytes
            ).answer
            #expect(
                answer.answer == Self.expected[file]?[label] ?? .refused, "\(label): \(message)")
            #expect(answer.code == (answer.answer == .refused ? code : nil), "\(label)")
            if answer.answer == .refused { #expect(answer.message == message) }
            if answer.answer == .unknown { #expect(answer.message != message) }
        }
    }

    @Test(arguments: [
        (-26, "tx-txlock-conflict"), (-26, "tx-size-small"), (-26, "multi-op-return"),
        (-26, "scriptpubkey"),
        (-25, "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)"),
    ]) func `a hopeless transaction is refused`(code: Int64, message: String) async throws {
        #expect(
            await Self.send(.error(code, message), to: try FakeCore()).answer
                == BroadcastAnswered(answer: .refused, code: code, message: message))
    }

    @Test(arguments: [
        (-26, "66: mempool min fee not met", "fee too low"),
        (-26, "mempool min fee not met, 224 < 226", "fee too low"),
        (-26, "mempool full", "mempool full"), (-26, "non-BIP68-final", "not yet final"),
        (-26, "too-long-mempool-chain, too many descendants", "too many unconfirmed parents"),
        (-26, "16: bad-txns-premature-spend-of-coinbase", "immature coins"),
        (-26, "a word of tomorrow", "not taken"), (-26, "", "not taken"),
        (-25, "Mempool internal error", "not taken"), (-1, "dust", "not taken"),
        (-26, "18: txn-mempool-conflict", "coins spent in the mempool"),
        (-26, "dusty", "not taken"), (-28, "Loading…", "warming up"),
        (-32601, "Method not found", "unknown call"),
    ]) func `a transaction that may yet be taken is open, in our own words`(
        code: Int64, message: String, words: String
    ) async throws {
        #expect(
            await Self.send(.error(code, message), to: try FakeCore()).answer
                == BroadcastAnswered(answer: .unknown, message: words))
    }

    @Test(arguments: [
        (ScriptedTransport.Reply.failure(.timedOut), "no answer"),
        (.failure(.cutShort), "no answer"), (.failure(.connectionRefused), "unreachable"),
        (.http(503, ""), "busy"),
        (.http(401, ""), "wrong password"), (.http(200, "<p>"), "wrong path"),
        (.result(.null), "invalid answer"), (.result(.string("00")), "invalid answer"),
        (.result(.string(String(repeating: "0", count: 64))), "invalid answer"),
    ]) func `a lost answer leaves open what became of the transaction`(
        reply: ScriptedTransport.Reply, words: String
    ) async throws {
        #expect(
            await Self.send(reply, to: try FakeCore()).answer
                == BroadcastAnswered(answer: .unknown, message: words))
    }

    @Test(arguments: [
        ScriptedTransport.Reply.failure(.timedOut), .error(-25, "bad-txns-inputs-missingorspent"),
        .error(-26, "18: txn-mempool-conflict"), .result(.string("00")),
    ], [nil, 150] as [UInt64?])
    func `a transaction that the node has was accepted, despite any answer`(
        reply: ScriptedTransport.Reply, height: UInt64?
    ) async throws {
        var core = try FakeCore()
        core.pay([(1, 500)], at: height)
        let transaction = core.held[0].transaction
        let fixed = core
        let transport = ScriptedTransport { call, _ in
            call.method == "sendrawtransaction" ? reply : fixed.reply(call)
        }
        let answer = await UTXONode(core.parameters, transport)
            .broadcast(transaction.serialized(), txid: transaction.txid.displayed)
        #expect(answer == BroadcastAnswered(answer: .accepted))
    }

    // MARK: - Coins that the node does not find

    @Test(arguments: ["Missing inputs", "bad-txns-inputs-missingorspent"])
    func `coins that were spent elsewhere are spent for good`(message: String) async throws {
        var core = try FakeCore()
        let parent = core.pay([(1, 500)], at: 100)
        let transaction = UTXOTransaction(
            inputs: [.init(Outpoint(parent, 0))], outputs: [.init(amount: 1, script: [])])
        let fixed = core
        let transport = ScriptedTransport { call, _ in
            call.method == "sendrawtransaction" ? .error(-25, message) : fixed.reply(call)
        }
        let node = UTXONode(core.parameters, transport)
        #expect(
            await node.broadcast(transaction.serialized(), txid: transaction.txid.displayed)
                == BroadcastAnswered(answer: .refused, code: -25, message: message))
    }

    @Test func `coins that the node never heard of may yet come`() async throws {
        var core = try FakeCore()
        let known = core.pay([(1, 500)], at: 100)
        let unknown = TransactionID(hashing: [5])
        let transaction = UTXOTransaction(
            inputs: [.init(Outpoint(known, 0)), .init(Outpoint(unknown, 0))],
            outputs: [.init(amount: 1, script: [])])
        let fixed = core
        let transport = ScriptedTransport { call, _ in
            call.method == "sendrawtransaction"
                ? .error(-25, "Missing inputs") : fixed.reply(call)
        }
        let node = UTXONode(core.parameters, transport)
        #expect(
            await node.broadcast(transaction.serialized(), txid: transaction.txid.displayed)
                == BroadcastAnswered(answer: .unknown, message: "coins not known yet"))
    }

    // MARK: - Who may refuse

    @Test func `a node that can't say whether it has the transaction refuses nothing`()
        async throws
    {
        let refusal = ScriptedTransport.Reply.error(-25, "Missing inputs")
        let silent = await Self.send(
            refusal, to: try FakeCore(), otherwise: ["getrawtransaction": .failure(.timedOut)])
        #expect(silent.answer == BroadcastAnswered(answer: .unknown, message: "no answer"))
        var core = try FakeCore()
        core.keepsTransactions = false
        #expect(
            await Self.send(refusal, to: core).answer
                == BroadcastAnswered(answer: .unknown, message: "no transaction index"))
    }

    @Test func `a node of another chain, or behind its own, refuses nothing`() async throws {
        let refusal = ScriptedTransport.Reply.error(-25, "Missing inputs")
        var behind = try FakeCore(.dash, .mainnet)
        behind.isLoading = true
        #expect(
            await Self.send(refusal, to: behind).answer
                == BroadcastAnswered(answer: .unknown, message: "syncing"))
        let other = await Self.send(
            refusal, to: try FakeCore(),
            otherwise: ["getblockhash": .result(.string(Self.txid.hex))])
        #expect(other.answer == BroadcastAnswered(answer: .unknown, message: "wrong chain"))
    }

    @Test func `a refusal is recorded escaped and cut`() async throws {
        let text = "bad-txns-\u{202e}" + String(repeating: "x", count: 1000)
        let answer = await Self.send(.error(-26, text), to: try FakeCore()).answer
        #expect(answer.answer == .refused)
        let expected = #"bad-txns-\u{202E}"#
        #expect(
            answer.message
                == expected + String(repeating: "x", count: 200 - expected.utf8.count) + "…")
    }
}
