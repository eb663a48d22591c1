import DaybookChains
import DaybookDomain
import DaybookEncoding
import Testing

@testable import DaybookNodes

struct ICONBroadcastTests {
    /// The recorded transfer, and its hash.
    private static func transfer() throws -> (transaction: JSON, txid: Bytes) {
        let exchange = try ICONServer.exchange("send transfer")
        let hash = try #require(exchange["response"]?["result"]?.stringValue)
        return (
            try #require(exchange["request"]?["params"]),
            try #require(Hex.decode(hash.dropFirst(2)))
        )
    }

    /// Sends the recorded transfer to a server that answers `sent`, and then `result` when it is
    /// asked what became of it.
    private static func send(
        _ sent: ScriptedTransport.Reply, then result: ScriptedTransport.Reply? = nil,
        after microseconds: Int64 = 0
    ) async throws -> BroadcastAnswered {
        let (transaction, txid) = try transfer()
        let server = ICONServer { call, _ in
            switch call.method {
            case "icx_sendTransaction": sent
            case "icx_getTransactionResult": result
            default: nil
            }
        }
        let signed = try #require(
            transaction["timestamp"]?.stringValue.flatMap(ICONInteger.parseSmall))
        let node = server.node(at: UInt64(Int64(signed) + microseconds))
        return await node.broadcast(Bytes(transaction.text().utf8), txid: txid)
    }

    // MARK: - Accepted

    @Test func `a transaction is sent to the byte, and taken under its own hash`() async throws {
        let (transaction, txid) = try Self.transfer()
        let sent = Sent(answer: try #require(
            try ICONServer.exchange("send transfer")["response"]?.with("id", .int(1))))
        let node = ICONNode(.regtest, sent, debug: nil) { ICONServer.time }
        let bytes = Bytes(transaction.text().utf8)
        let answer = await node.broadcast(bytes, txid: txid)
        #expect(answer == BroadcastAnswered(answer: .accepted))
        let head = #"{"jsonrpc":"2.0","id":1,"method":"icx_sendTransaction","params":"#
        #expect(await sent.bodies == [Bytes(head.utf8) + bytes + Bytes("}".utf8)])
    }

    @Test(arguments: ["duplicate, pending", "duplicate, confirmed"])
    func `a transaction that the node has is accepted`(name: String) async throws {
        let answer = try await Self.send(ICONServer.reply(name))
        #expect(answer == BroadcastAnswered(answer: .accepted))
    }

    @Test func `T-Bears' word for a transaction that it has is acceptance`() async throws {
        let answer = try await Self.send(.error(-32600, "fail tx invalid duplicated hash"))
        #expect(answer == BroadcastAnswered(answer: .accepted))
    }

    @Test(arguments: [
        .error(-31000, "SystemError: E2002:Expired(min-214.695ms)"), .error(-31001, "PoolOverflow"),
        .error(-31007, "SystemTimeout"), .failure(.timedOut), .http(502, ""),
        .result(.string("0x" + String(repeating: "ab", count: 32))),
    ] as [ScriptedTransport.Reply])
    func `a transaction that the node then has is accepted, despite any answer`(
        sent: ScriptedTransport.Reply
    ) async throws {
        for name in ["result of transfer", "result, pending"] {
            let answer = try await Self.send(sent, then: ICONServer.reply(name))
            #expect(answer == BroadcastAnswered(answer: .accepted))
        }
    }

    // MARK: - Refused

    @Test(arguments: [
        "bad signature (bit flipped)", "signature, recovery id + 27", "signature of 64 bytes",
        "signature not base64", "signature missing", "signed, then value changed",
        "signed by another key", "nid 0x1", "no stepLimit", "version 0x2", "data too large",
        "value zero-padded", "to, bad address", "unknown field",
    ]) func `a transaction that the network never takes is refused in the node's own words`(
        name: String
    ) async throws {
        let reply = try ICONServer.reply(name)
        guard case .error(let code, let message) = reply else {
            Issue.record("\(name) was not refused")
            return
        }
        #expect(
            try await Self.send(reply)
                == BroadcastAnswered(answer: .refused, code: code, message: message))
    }

    @Test(arguments: [
        (-31000, "SystemError: E2105:NotEnoughStep(txStepLimit:99999, minStep:100000)", nil),
        (-31000, "SystemError: E2106:OutOfBalance(balance:0, value:1)", .insufficientBalance),
        (-32011, "Out of balance: from=hx12 balance=0", .insufficientBalance),
        (-32005, "Step limit too low", nil), (-32600, "fail tx invalid signature", nil),
    ] as [(Int64, String, Refusal.Code?)]) func `nodes that look closer refuse more`(
        code: Int64, message: String, refusal: Refusal.Code?
    ) async throws {
        // T-Bears says this of what it never saw.
        let unknown = ScriptedTransport.Reply.error(-32602, "Pending transaction")
        #expect(
            try await Self.send(.error(code, message), then: unknown)
                == BroadcastAnswered(
                    answer: .refused, code: code, message: message, refusal: refusal))
    }

    @Test(arguments: ["timestamp 10 min ago", "timestamp 10 min ahead"])
    func `a clock that is off is named when a fresh transaction's time is refused`(
        name: String
    ) async throws {
        let reply = try ICONServer.reply(name)
        #expect(try await Self.send(reply).refusal == .clockOff)
        #expect(try await Self.send(reply, after: 300_000_000).refusal == .clockOff)
        // It waited too long, or its caller chose the time.
        let late = try await Self.send(reply, after: 300_000_001)
        #expect(late.answer == .refused && late.refusal == nil)
        let early = try await Self.send(reply, after: -300_000_001)
        #expect(early.answer == .refused && early.refusal == nil)
    }

    @Test func `a transaction that we can't print is not sent at all`() async {
        let server = ICONServer()
        for text in ["", "{", "0x12", #"{"a": "b"}"#, #"{"a":"\u0062"}"#] {
            let answer = await server.node().broadcast(Bytes(text.utf8), txid: [])
            #expect(answer.answer == .refused)
        }
        #expect(await server.transport.calls.isEmpty)
    }

    // MARK: - Unknown

    @Test(arguments: [
        (.error(-31001, "PoolOverflow"), "busy"), (.error(-31005, "LackOfResource"), "busy"),
        (.error(-31000, "SystemError: E2001:TransactionPoolOverflow"), "busy"),
        (.error(-31006, "Timeout"), "no answer"), (.error(-31007, "SystemTimeout"), "no answer"),
        (.error(-32603, "InternalError"), "refused"), (.error(-32000, "Server error"), "refused"),
        (.error(-31000, "SystemError: E2004:TransitionInterrupted"), "refused"),
        (.error(-31000, "E2005"), "refused"), (.error(-31000, "SystemError: E02005:x"), "refused"),
        (.error(-32600, "InvalidRequest: fail to validate"), "refused"),
        (.error(-32601, "MethodNotFound"), "unknown call"), (.failure(.timedOut), "no answer"),
        (.failure(.cutShort), "no answer"), (.failure(.connectionRefused), "unreachable"),
        (.http(200, "<html>"), "wrong path"), (.http(200, ""), "invalid answer"),
        (.result(.null), "another transaction id"), (.result(.int(1)), "another transaction id"),
        (.result(.string("0x" + String(repeating: "ab", count: 32))), "another transaction id"),
        (
            .result(.string("0x9ACD38DFC29B3BA7C1111C17EAE4A0C05DC5D7FED210C4B15DE68F4989AF0FCF")),
            "another transaction id"
        ),
    ] as [(ScriptedTransport.Reply, String)])
    func `an answer that leaves the sending open is unknown, in our own words`(
        sent: ScriptedTransport.Reply, words: String
    ) async throws {
        #expect(
            try await Self.send(sent) == BroadcastAnswered(answer: .unknown, message: words))
    }

    @Test(arguments: [
        (.failure(.timedOut), "no answer"), (.error(-32603, "InternalError"), "refused"),
        (.result(.null), "invalid answer"),
    ] as [(ScriptedTransport.Reply, String)])
    func `a refusal does not count while the node can't say that it lacks the transaction`(
        result: ScriptedTransport.Reply, words: String
    ) async throws {
        let expired = try ICONServer.reply("sent again, expired", in: "goloop-extra")
        #expect(
            try await Self.send(expired, then: result)
                == BroadcastAnswered(answer: .unknown, message: words))
    }

    @Test(arguments: ["0x1", "0x2"])
    func `a node of another network has no say in what is final`(nid: String) async throws {
        let (transaction, txid) = try Self.transfer()
        let refusal = try ICONServer.reply("nid 0x1")
        let server = ICONServer { call, _ in
            switch call.method {
            case "icx_sendTransaction": refusal
            case "icx_getNetworkInfo": .result(.record(["nid": .string(nid)]))
            default: nil
            }
        }
        let answer = await server.node().broadcast(Bytes(transaction.text().utf8), txid: txid)
        #expect(answer == BroadcastAnswered(answer: .unknown, message: "wrong chain"))
    }

    @Test func `a result of another transaction settles nothing`() async throws {
        let other = try ICONServer.reply("result of the funding", in: "goloop-extra")
        let answer = try await Self.send(ICONServer.reply("nid 0x1"), then: other)
        #expect(answer == BroadcastAnswered(answer: .unknown, message: "invalid answer"))
    }
}

/// Keeps each body, and answers the same to all.
private actor Sent: RPCTransport {
    private(set) var bodies: [Bytes] = []
    private let answer: JSON

    init(answer: JSON) { self.answer = answer }

    func post(_ body: Bytes) async throws(HTTPFailure) -> HTTPResponse {
        bodies.append(body)
        return HTTPResponse(
            status: 200, contentType: "application/json", body: Bytes(answer.text().utf8))
    }
}
