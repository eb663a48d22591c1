import DaybookEncoding
import Testing

@testable import DaybookNodes

struct NodeRPCTests {
    private static let noRetries = RPCRetryPolicy(pauses: []) { _ in }

    private static func call(
        _ reply: ScriptedTransport.Reply, _ dialect: RPCDialect = .core
    ) async -> Result<JSON, RPCFailure> {
        let rpc = NodeRPC(ScriptedTransport(reply), dialect, retries: noRetries)
        do throws(RPCFailure) {
            return .success(try await rpc.call("getblockcount", .array([])))
        } catch {
            return .failure(error)
        }
    }

    private static func reason(
        _ reply: ScriptedTransport.Reply, _ dialect: RPCDialect = .core
    ) async -> ChainFailure.Reason? {
        guard case .failure(.unusable(let failure)) = await call(reply, dialect) else { return nil }
        return failure.reason
    }

    // MARK: - Answers

    @Test(arguments: [RPCDialect.core, .icon])
    func `the result of a call is what the node answered`(dialect: RPCDialect) async {
        #expect(await Self.call(.result(.int(102)), dialect) == .success(.int(102)))
        #expect(await Self.call(.result(.null), dialect) == .success(.null))
    }

    @Test func `requests are numbered and spelled in the node's dialect`() async throws {
        let transport = ScriptedTransport(.result(.null))
        let rpc = NodeRPC(transport, .core)
        _ = try await rpc.call("getblockhash", .array([.int(0)]))
        _ = try await rpc.call("getblockcount")
        #expect(await transport.calls == [
            .init(
                method: "getblockhash", parameters: .array([.int(0)]), id: .int(1),
                dialect: .string("1.0")),
            .init(
                method: "getblockcount", parameters: .null, id: .int(2), dialect: .string("1.0")),
        ])
    }

    @Test(arguments: [RPCDialect.core, .icon])
    func `a node's own error comes with its code and text`(dialect: RPCDialect) async {
        #expect(
            await Self.call(.error(-8, "Block height out of range"), dialect)
                == .failure(.node(code: -8, message: "Block height out of range")))
    }

    @Test func `a node's text is escaped and cut before anyone sees it`() async {
        let text = "a\u{1b}[31m\u{202e}\n" + String(repeating: "€", count: 1000)
        let start = #"a\u{001B}[31m\u{202E}\u{000A}"#
        let euros = String(repeating: "€", count: (200 - start.utf8.count) / 3)
        #expect(
            await Self.call(.error(-1, text))
                == .failure(.node(code: -1, message: start + euros + "…")))
    }

    @Test(arguments: [
        #"{"result":1,"error":null,"id":2}"#,
        #"{"result":1,"error":null,"id":"1"}"#,
        #"{"result":1,"error":null,"id":1.0}"#,
        #"{"result":1,"error":null,"id":null}"#,
        #"{"result":1,"error":null}"#,
        #"{"result":1,"id":1}"#,
        #"{"error":null,"id":1}"#,
        #"{"result":1,"error":{"code":-1,"message":"x"},"id":1}"#,
        #"{"result":null,"error":{"code":"-1","message":"x"},"id":1}"#,
        #"{"result":null,"error":{"code":-1.5,"message":"x"},"id":1}"#,
        #"{"result":null,"error":{"code":-1},"id":1}"#,
        #"{"result":null,"error":"x","id":1}"#,
        #"{"result":1,"error":null,"id":1,"jsonrpc":"2.0"}"#,
        #"[{"result":1,"error":null,"id":1}]"#,
        #"{"result":1,"error":null,"id":1,"id":1}"#,
        #"{"result":1,"error":null,"id""#,
        #"{"result":1,"error":null,"id":1} x"#,
        String(repeating: "[", count: 100_000),
        "1", "null", "", "ok",
    ]) func `a text that is no answer to the call is refused of a Dash node`(body: String) async {
        #expect(await Self.reason(.http(200, body)) == .invalidAnswer)
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","result":1,"id":2}"#,
        #"{"jsonrpc":"1.0","result":1,"id":1}"#,
        #"{"result":1,"id":1}"#,
        #"{"jsonrpc":"2.0","id":1}"#,
        #"{"jsonrpc":"2.0","result":1,"error":{"code":-1,"message":"x"},"id":1}"#,
        #"{"jsonrpc":"2.0","error":{"code":-1,"message":1},"id":1}"#,
        #"{"result":1,"error":null,"id":1}"#,
    ]) func `a text that is no answer to the call is none of an ICON node`(body: String) async {
        #expect(await Self.reason(.http(200, body), .icon) == .invalidAnswer)
    }

    @Test func `a result with the status of an error is no answer`() async {
        let body = #"{"result":1,"error":null,"id":1}"#
        #expect(await Self.reason(.http(500, body)) == .invalidAnswer)
    }

    // MARK: - Reasons

    @Test(arguments: [
        (301, "", ChainFailure.Reason.redirect), (308, "{}", .redirect), (401, "", .wrongPassword),
        (403, "", .wrongPassword), (404, "", .wrongPath), (404, "{}", .wrongPath),
        (405, "JSONRPC server handles only POST requests", .wrongPath), (429, "", .busy),
        (503, "Work queue depth exceeded", .busy),
        (503, "<html><h1>503 Service Unavailable</h1></html>", .busy), (502, "", .noAnswer),
        (504, "", .noAnswer), (200, "<!DOCTYPE html><p>hello", .wrongPath),
        (500, "", .invalidAnswer),
    ]) func `a status without an answer has its reason`(
        status: Int, body: String, reason: ChainFailure.Reason
    ) async {
        #expect(await Self.reason(.http(status, body)) == reason)
    }

    @Test func `a page for people is the wrong path even if it is empty`() async {
        #expect(await Self.reason(.http(200, "", contentType: "text/html")) == .wrongPath)
    }

    @Test(arguments: [
        (HTTPFailure.unknownHost, ChainFailure.Reason.unreachable),
        (.connectionRefused, .unreachable), (.invalidAddress, .unreachable),
        (.other(7), .unreachable), (.timedOut, .noAnswer), (.cutShort, .noAnswer),
        (.cancelled, .noAnswer), (.proxy(.unreachable), .proxy), (.proxy(.login), .proxy),
        (.tooLong(limit: 9), .tooLong), (.certificate(.expired), .certificate),
        (.invalidCredentials, .wrongPassword), (.noTLS, .unreachable),
        (.certificateFile, .certificate), (.notHTTP, .invalidAnswer),
    ]) func `a connection that fails has its reason`(
        failure: HTTPFailure, reason: ChainFailure.Reason
    ) async {
        #expect(await Self.reason(.failure(failure)) == reason)
    }

    @Test func `an unknown call is told from an unknown path`() async {
        #expect(await Self.reason(.error(-32601, "Method not found")) == .unknownCall)
        #expect(await Self.reason(.error(-32601, "MethodNotFound"), .icon) == .unknownCall)
    }

    @Test(arguments: [
        ("wrong password", ChainFailure.Reason.wrongPassword), ("no auth", .wrongPassword),
        ("wrong path", .wrongPath), ("GET", .wrongPath), ("bad json", .invalidAnswer),
        ("batch", .invalidAnswer), ("empty batch", .invalidAnswer), ("id null", .invalidAnswer),
    ]) func `answers of a real node's server have their reasons`(
        label: String, reason: ChainFailure.Reason
    ) async throws {
        let recorded = try #require(try Recording.lines("dash-http.jsonl").first {
            $0["label"]?.stringValue == label
        })
        let status = try #require(recorded["status"]?.intValue)
        let body = try #require(recorded["body"]?.stringValue)
        let type = recorded["hdr"]?["Content-Type"]?.stringValue
        #expect(await Self.reason(.http(Int(status), body, contentType: type)) == reason)
    }

    // MARK: - Patience

    @Test func `a node that is starting is asked three times, with longer and longer pauses`()
        async
    {
        let transport = ScriptedTransport(.error(-28, "Loading block index…"))
        let pauses = Pauses()
        let ordinary = RPCRetryPolicy.ordinary.pauses
        let retries = RPCRetryPolicy(pauses: ordinary) { await pauses.add($0) }
        await #expect(throws: RPCFailure.unusable(ChainFailure(
            .warmingUp, "the node is starting: Loading block index…"))
        ) {
            try await NodeRPC(transport, .core, retries: retries).call("getblockcount")
        }
        #expect(await transport.calls.count == 3)
        #expect(await pauses.all == [.milliseconds(500), .seconds(2)])
    }

    @Test func `a node that was busy is asked again, anything else only once`() async throws {
        let retries = RPCRetryPolicy(pauses: [.zero, .zero]) { _ in }
        let busy = ScriptedTransport(
            .http(503, "Work queue depth exceeded"), .result(.int(102)))
        #expect(
            try await NodeRPC(busy, .core, retries: retries).call("getblockcount") == .int(102))
        let silent = ScriptedTransport(.failure(.timedOut))
        await #expect(throws: RPCFailure.self) {
            try await NodeRPC(silent, .core, retries: retries).call("sendrawtransaction")
        }
        #expect(await silent.calls.count == 1)
    }

    @Test func `a caller who gives up while waiting hears so at once`() async {
        let retries = RPCRetryPolicy(pauses: [.zero]) { _ in throw CancellationError() }
        let transport = ScriptedTransport(.error(-28, "Loading…"))
        await #expect(throws: RPCFailure.unusable(
            ChainFailure(.noAnswer, "the call was given up"))
        ) {
            try await NodeRPC(transport, .core, retries: retries).call("getblockcount")
        }
        #expect(await transport.calls.count == 1)
    }

    private actor Pauses {
        private(set) var all: [Duration] = []

        func add(_ pause: Duration) { all.append(pause) }
    }
}
