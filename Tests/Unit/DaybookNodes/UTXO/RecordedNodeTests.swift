import DaybookChains
import DaybookDomain
import DaybookEncoding
@testable import DaybookNodes
import Testing

/// Scans that are answered from recordings of real nodes.
struct RecordedNodeTests {
    /// A node that answers as recorded; what was not recorded is given.
    private static func transport(
        _ file: String, _ labels: [String], _ given: [String: JSON]
    ) throws -> ScriptedTransport {
        var results: [String: JSON] = [:]
        for exchange in try Recording.lines(file) {
            guard let label = exchange["label"]?.stringValue, labels.contains(label),
                let method = exchange["req"]?["method"]?.stringValue
            else { continue }
            results[method] = try Recording.result(exchange)
        }
        let recorded = results.merging(given) { _, given in given }
        return ScriptedTransport { call, _ in
            let height = call.parameters.arrayValue?.first?.intValue
            let key = call.method == "getblockhash" ? "getblockhash \(height ?? -1)" : call.method
            return recorded[key].map { .result($0) } ?? .error(-32601, "Method not found")
        }
    }

    private static func used(_ address: String, _ chain: Chain) throws -> ChainQuery.Watched {
        let script = try #require(UTXOAddress(address, chain: chain)).scriptPubKey
        return .init(address: address, script: script, isUsed: true)
    }

    private static func id(_ hex: String) throws -> Bytes { try #require(Hex.decode(hex)) }

    @Test func `a payment in a Dash node's mempool`() async throws {
        let tip = "285e2fb057a050a32cac86544cfe96e7ea445c00a79ba173c351803e1839f1e9"
        let genesis = "000008ca1832a4baf228eb1553c03d3a2c8e02399550dd6ea8d65cec3ef23d2e"
        let payment = "58931800a91f9c0285c362df15dbf22dbf558ff430e088312b1823d1de2dca75"
        let transport = try Self.transport(
            "dash.jsonl", [
                "getblockchaininfo", "getaddressmempool B", "getrawtransaction mempool",
                "getmempoolinfo", "estimatesmartfee", "spork show",
            ], [
                "getblockhash 0": .string(genesis), "getblockhash 101": .string(tip),
                "getbestblockhash": .string(tip), "getaddressdeltas": .array([]),
            ])
        let receiver = try Self.used("yVNkHdAriKGWDRFW6qzMTotsEMBNt5U9Um", .dash)
        var question = ChainQuery()
        question.watched = [receiver]
        question.transactions = [try Self.id(payment)]
        question.tip = .init(height: 101, hash: try Self.id(tip))
        let parameters = try #require(UTXOParameters.of(.dash, .regtest))
        var expected = ChainSnapshot(chain: .dash, network: .regtest)
        expected.identity = "genesis \(genesis)"
        expected.height = 101
        expected.tip = try Self.id(tip)
        expected.feeRate = 1000
        expected.instantSend = false
        expected.since = 102
        expected.continuesTip = true
        let txid = try #require(TransactionID(hex: payment))
        expected.outputs = [
            .init(
                outpoint: Outpoint(txid, 0), script: receiver.script, amount: 49_999_999_000,
                height: nil, coinbase: false)
        ]
        expected.spends = [
            .init(
                outpoint: Outpoint(try #require(TransactionID(
                    hex: "b0cfb0a375248a7cc2a6a18feaa592da95d999ba5a1611f81bfd6e88fdd93586")), 0),
                spender: try Self.id(payment), height: nil, script: nil)
        ]
        expected.transactions = [.init(txid: try Self.id(payment), height: nil, locked: false)]
        #expect(try await observe(transport, parameters, question) == expected)
    }

    @Test func `a spend in an Axe node's mempool, and no estimate of fees`() async throws {
        let tip = "7129916ad87f845d275cab3a53b29fd417ef2dcf60b884f0bde3e0f7c4e7edfb"
        let genesis = "2026b8850f3774a0536152ba868c4dcbde9aef5ffc28a5d23f76f80e9b46e565"
        let spender = "9ac7e8e334b1d778dea71b62bef95372151aaeabcc8ccae26e0c1bedd4b147b9"
        let recorded = try #require(
            try Recording.result(of: "getblockchaininfo", blocks: 0, in: "axe.jsonl"))
        let transport = try Self.transport(
            "axe.jsonl", [
                "getaddressmempool", "getrawtransaction mempool", "getmempoolinfo",
                "estimatesmartfee", "sporks",
            ], [
                "getblockchaininfo": recorded.with("blocks", .int(101))
                    .with("bestblockhash", .string(tip)),
                "getblockhash 0": .string(genesis), "getblockhash 101": .string(tip),
                "getbestblockhash": .string(tip), "getaddressdeltas": .array([]),
            ])
        var question = ChainQuery()
        question.watched = [try Self.used("yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf", .axe)]
        question.tip = .init(height: 101, hash: try Self.id(tip))
        let parameters = try #require(UTXOParameters.of(.axe, .regtest))
        let answer = try await observe(transport, parameters, question)
        #expect(answer.identity == "genesis \(genesis)")
        #expect(answer.outputs.isEmpty)
        #expect(answer.spends.map(\.outpoint.text) == [
            "b0cfb0a375248a7cc2a6a18feaa592da95d999ba5a1611f81bfd6e88fdd93586:0"
        ])
        #expect(answer.spends.map(\.spender) == [try Self.id(spender)])
        // The node's own wallet signed it.
        #expect(answer.spends.map(\.script) == question.watched.map(\.script))
        #expect(answer.feeRate == 1000)
        #expect(answer.instantSend == false)
    }

    @Test(arguments: [
        (
            Chain.dash, "dash.jsonl", "getrawtransaction confirmed",
            "58931800a91f9c0285c362df15dbf22dbf558ff430e088312b1823d1de2dca75"
        ),
        (
            .axe, "axe.jsonl", "getrawtransaction mined",
            "9ac7e8e334b1d778dea71b62bef95372151aaeabcc8ccae26e0c1bedd4b147b9"
        ),
    ]) func `a transaction that a real node had in a block`(
        chain: Chain, file: String, label: String, txid: String
    ) async throws {
        var core = try FakeCore(chain)
        core.height = 102
        let exchange = try #require(try Recording.lines(file).first {
            $0["label"]?.stringValue == label
        })
        let recorded = try Recording.result(exchange)
        let node = core
        let transport = ScriptedTransport { call, _ in
            call.method == "getrawtransaction" ? .result(recorded) : node.reply(call)
        }
        var question = ChainQuery()
        question.transactions = [try Self.id(txid)]
        #expect(
            try await observe(transport, core.parameters, question).transactions
                == [.init(txid: try Self.id(txid), height: 102, locked: false)])
    }
}
