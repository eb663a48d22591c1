import DaybookChains
import DaybookEncoding
import Foundation
import NodeServer
import Testing

/// The server that other tests take for a node must itself do what it says.
struct NodeServerTests {
    private let address = "yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf"

    @Test func `a payment to an address is listed once it is in a block`() throws {
        let server = try NodeServer(.dash)
        let txid = try server.fund(address, 250_000_000)
        let list = try server.call("getaddressutxos", #"[{"addresses":["\#(address)"]}]"#)
        #expect(list.status == 200)
        let output = try #require(list.result.arrayValue?.first)
        #expect(output["txid"]?.stringValue == txid.hex)
        #expect(output["satoshis"]?.intValue == 250_000_000)
        let raw = try server.call("getrawtransaction", #"["\#(txid.hex)",true]"#)
        #expect(raw.result["confirmations"]?.intValue == 1)
        #expect(raw.result["vout"]?.arrayValue?.first?["value"]?.numberLiteral == "2.50000000")
    }

    @Test func `an ICON account has the amounts that it was given`() throws {
        let server = try NodeServer(.icon)
        let holder = "hx5af01bb8ee97c06fa8a681faefc4158bd8a99428"
        try server.fund(holder, loop: UInt256(5))
        let balance = try server.call("icx_getBalance", #"{"address":"\#(holder)"}"#)
        #expect(balance.body == #"{"jsonrpc":"2.0","result":"0x5","id":7}"#)
    }

    @Test func `a client without the password is told nothing`() throws {
        let server = try NodeServer(.dash, user: "u", password: "p")
        let body = #"{"id":1,"method":"getblockcount"}"#
        #expect(try server.post(body, login: "u:p").result.intValue == 0)
        for login in [nil, "u:", "u:q"] {
            let answer = try server.post(body, login: login)
            #expect(answer.status == 401 && answer.body.isEmpty)
        }
    }

    @Test func `a misbehaviour hits the calls that it is for and no others`() throws {
        let server = try NodeServer(.axe)
        server.misbehave(.warmUp, on: "getblockcount", from: 2, times: 1)
        var codes: [Int64?] = []
        for method in ["getblockcount", "getbestblockhash", "getblockcount", "getblockcount"] {
            codes.append(try server.call(method).errorCode)
        }
        #expect(codes == [nil, nil, -28, nil])
        server.misbehave(.html(502))
        #expect(try server.call("getblockcount").status == 502)
        server.behave()
        #expect(try server.call("getblockcount").status == 200)
        #expect(server.requests.count { $0.method == "getblockcount" } == 5)
    }

    @Test(arguments: [Misbehaviour.half, .losesAnswer, .closes, .closesReused])
    func `an answer that is cut short does not arrive`(misbehaviour: Misbehaviour) throws {
        let server = try NodeServer(.dash)
        server.misbehave(misbehaviour)
        if case .closesReused = misbehaviour {
            #expect(try server.call("getblockcount").status == 200)
        } else {
            #expect(throws: (any Error).self) { try server.call("getblockcount") }
        }
    }

    @Test func `a node whose answer is lost has taken the call`() throws {
        let server = try NodeServer(.dash)
        server.misbehave(.losesAnswer, on: "generatetoaddress")
        #expect(throws: (any Error).self) {
            try server.call("generatetoaddress", #"[3,"\#(address)"]"#)
        }
        #expect(try server.call("getblockcount").result.intValue == 3)
    }

    @Test func `lies change the results and nothing else`() throws {
        let server = try NodeServer(.dash)
        try server.fund(address, 100_000)
        let params = #"[{"addresses":["\#(address)"]}]"#
        server.misbehave(.amounts(offBy: 1))
        server.misbehave(.heights(offBy: -1))
        server.misbehave(.otherID)
        let lie = try server.call("getaddressutxos", params)
        server.behave()
        let truth = try server.call("getaddressutxos", params)
        let (told, true_) = (lie.result.arrayValue?.first, truth.result.arrayValue?.first)
        #expect(told?["satoshis"]?.intValue == 100_001)
        #expect(told?["height"]?.intValue == true_?["height"]?.intValue.map { $0 - 1 })
        #expect(told?["txid"] == true_?["txid"])
        #expect(lie.json["id"]?.stringValue == "another")
    }

    @Test func `a closed port takes connections again when it is opened`() throws {
        let server = try NodeServer(.dash)
        #expect(try server.call("getblockcount").status == 200)
        server.stop()
        #expect(throws: (any Error).self) { try server.call("getblockcount") }
        try server.start()
        #expect(try server.call("getblockcount").status == 200)
        #expect(server.connections == 2)
    }

    @Test func `a recording is said again in its order`() throws {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "recording-\(UUID().uuidString).jsonl")
        let lines = [1, 2].map {
            #"{"label":"","req":{"method":"getblockcount"},"status":200,"#
                + #""resp":"{\"result\":\#($0),\"error\":null,\"id\":1}"}"#
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try NodeServer(.dash, replaying: RecordedExchange.load(file))
        var heights: [Int64?] = []
        for _ in 0..<3 { heights.append(try server.call("getblockcount").result.intValue) }
        #expect(heights == [1, 2, 2])
        #expect(try server.call("getblockhash", "[1]").errorCode == -32099)
    }
}
