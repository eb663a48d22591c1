import DaybookChains
import DaybookEncoding
import DaybookNodes
import Foundation
import NodeServer
import Testing

/// Dash Core 21.1.1 and Axe Core 1.6.1.1 as recorded, against the server that stands for them.
struct CoreRecordingTests {
    @Test func `the sandbox answers as Dash does`() throws {
        var scene = try CoreScene(.dash)
        for exchange in try RecordingPlayer.exchanges("recordings/dash.jsonl") {
            try scene.prepareDash(for: exchange.label)
            try scene.player.play(exchange)
        }
        scene.player.check(Self.dash, unanswered: Self.unansweredByDash)
        #expect(scene.player.compared == 130)
    }

    @Test func `the sandbox answers as Axe does`() throws {
        var scene = try CoreScene(.axe)
        for exchange in try RecordingPlayer.exchanges("recordings/axe.jsonl") {
            try scene.prepareAxe(for: exchange.label)
            try scene.player.play(exchange)
        }
        scene.player.check(Self.axe, unanswered: Self.unansweredByAxe)
        #expect(scene.player.compared == 47)
    }

    @Test func `a wrong call is answered as Dash does`() throws {
        let server = try NodeServer(.dash, user: "u", password: "p")
        server.mine(102)
        var compared = 0
        for line in try RecordingPlayer.lines("recordings/dash-http.jsonl") {
            let label = try #require(line["label"]?.stringValue)
            guard let request = Self.requests[label] else {
                #expect(Self.unasked.contains(label), "no request for \(label)")
                continue
            }
            let answer = try server.post(
                request.body, path: request.path, verb: request.verb, login: request.login)
            let status = line["status"]?.intValue.map { Int($0) }
            #expect(answer.status == status, "\(label)")
            let body = try #require(line["body"]?.stringValue)
            if Self.helps.contains(label) {
                let recorded = HTTPResult(status: answer.status, body: body)
                #expect(answer.errorCode == recorded.errorCode, "\(label)")
            } else {
                #expect(answer.body == body, "\(label)")
            }
            compared += 1
        }
        #expect(compared == Self.requests.count)
    }

    private struct Request {
        var body = #"{"id":1,"method":"getblockcount"}"#
        var path = "/"
        var verb = "POST"
        var login: String? = "u:p"
    }

    /// The recording has the answers alone; these are the requests that it names.
    private static let requests = [
        "wrong password": Request(login: "u:q"), "no auth": Request(login: nil),
        "wrong path": Request(path: "/nowhere"), "GET": Request(verb: "GET"),
        "GET noauth": Request(verb: "GET", login: nil), "bad json": Request(body: "{not json"),
        "not an object": Request(body: "7"), "no method": Request(body: #"{"id":1}"#),
        "string method missing params": Request(body: #"{"method":"getblockcount"}"#),
        "id null": Request(body: #"{"id":null,"method":"getblockcount"}"#),
        "jsonrpc 2.0": Request(body: #"{"jsonrpc":"2.0","id":7,"method":"getblockcount"}"#),
        "jsonrpc 2.0 err": Request(
            body: #"{"jsonrpc":"2.0","id":7,"method":"getblockhash","params":[99999]}"#),
        "wrong named params": Request(
            body: #"{"id":7,"method":"getblockhash","params":{"hight":1}}"#),
        "batch": Request(
            body: #"[{"id":1,"method":"getblockcount"},{"id":2,"method":"nosuch"},"#
                + #"{"id":3,"method":"getblockhash","params":[99999]}]"#),
        "empty batch": Request(body: "[]"),
        "wrong type": Request(body: #"{"id":7,"method":"getblockhash","params":["x"]}"#),
        "no content type": Request(),
        "too many params": Request(
            body: #"{"id":7,"method":"getblockhash","params":[1,2]}"#),
        "too few params": Request(body: #"{"id":7,"method":"getblockhash","params":[]}"#),
    ]

    /// Where the node's message is the whole help of the call, ours is no more than its name.
    private static let helps: Set = ["too many params", "too few params"]

    /// These answers have the hash of a recorded block, or a wallet of the node in them.
    private static let unasked: Set = ["named params", "wallet path", "wallet path missing"]

    /// Differences on both chains, with their reasons.
    private static let both = [
        KnownDifference("generatetoaddress", "result[]", why: hashes),
        KnownDifference("getblockchaininfo", "result.size_on_disk", why: "it is on no disk"),
        KnownDifference("getblockchaininfo", "result.softforks", why: softForks),
        KnownDifference("getnetworkinfo", "result.localservices", why: peers),
        KnownDifference("getnetworkinfo", "result.networks", why: peers),
        KnownDifference("getnetworkinfo", "result.socketevents", why: peers),
        KnownDifference("getrawtransaction", "result.blockhash", why: hashes),
        KnownDifference("getrawtransaction", "result.time", why: times),
        KnownDifference("getrawtransaction", "result.blocktime", why: times),
        KnownDifference("getaddressmempool", "result[].timestamp", why: times),
        KnownDifference("getmempoolinfo", "result.usage", why: "it is the node's own memory"),
        KnownDifference("mnsync", "result.AssetStartTime", why: times),
    ]

    private static let dash = both + [
        KnownDifference("getblockchaininfo", "result.chainwork", why: "there is no proof of work"),
        KnownDifference("getblockchaininfo", "result.mediantime", why: times),
        KnownDifference("getblockchaininfo", "result.bestblockhash", why: hashes),
        KnownDifference("getblockchaininfo", "result.time", why: times),
        KnownDifference(
            "getblockchaininfo", "result.warnings", why: "the recorded node had a wallet"),
        KnownDifference("gettxout", "result.bestblock", why: hashes),
        KnownDifference("getnetworkinfo", "result.connections_", why: peers),
        KnownDifference(
            "getrawmempool", "result", in: "getrawmempool verbose",
            why: "no wallet asks for more than the ids"),
        KnownDifference(
            "getblockchaininfo", "result.blocks", in: "getblockchaininfo late", why: heights),
        KnownDifference(
            "getblockchaininfo", "result.headers", in: "getblockchaininfo late", why: heights),
        KnownDifference(
            "getaddressutxos", "result[].height",
            in: "E utxos", "E utxos before reorg", "E utxos after invalidate",
            "E utxos after reorg", "utxos p2pk+p2pkh under one address", "same address twice",
            "chainInfo", why: heights),
        KnownDifference(
            "getrawtransaction", "result.height", in: "rawtx", "rawtx after reorg",
            "getrawtx true", why: heights),
        KnownDifference(
            "getrawtransaction", "result.size", in: "rawtx", "rawtx after invalidate",
            "rawtx after reorg", why: keys),
        KnownDifference(
            "getrawtransaction", "result.vin[].scriptSig", in: "rawtx", "rawtx after invalidate",
            "rawtx after reorg", "getrawtx true", why: keys),
    ]

    private static let axe = both + [
        KnownDifference("getblockchaininfo", "result.bip9_softforks", why: softForks),
        KnownDifference(
            "sendrawtransaction", "status", in: "SRT dust 545",
            why: "the recorded regtest let pass what is not standard until it was told otherwise"),
    ]

    private static let hashes = "a block's hash is of another function and another time"
    private static let times = "the recorded node's clock went on"
    private static let heights = "the recorded chain was longer by then"
    private static let keys = "other keys make other signatures, some a byte longer"
    private static let peers = "nothing of the network is played"
    private static let softForks = "the sandbox has no rules that begin later"

    /// Calls of wallets within the node, of its owner, and others that Daybook never makes.
    private static let unansweredByDash: Set = [
        "createrawtransaction", "createwallet", "decoderawtransaction", "generate", "getbalance",
        "getblock", "getchaintips", "getmempoolentry", "getspentinfo", "gettransaction",
        "gettxoutsetinfo", "getwalletinfo", "help", "listwallets", "scantxoutset", "sendmany",
        "sendtoaddress", "settxfee", "signrawtransactionwithkey", "stop", "testmempoolaccept",
        "uptime",
    ]
    private static let unansweredByAxe: Set = ["estimatefee", "getmempoolentry", "getnewaddress"]
}
