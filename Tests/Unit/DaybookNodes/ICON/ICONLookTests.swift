import DaybookChains
import DaybookDomain
import DaybookEncoding
@testable import DaybookNodes
import Testing

/// Transactions, balances and tokens as a node tells of them.
struct ICONLookTests {
    private static let receipt = JSON.record([
        "txHash": .string("0x" + String(repeating: "ab", count: 32)),
        "blockHeight": .string("0x70"), "status": .string("0x1"),
        "stepUsed": .string("0x186a0"), "stepPrice": .string("0x2e90edd00"),
        "eventLogs": .array([]),
    ])
    private static let hash = Bytes(repeating: 0xab, count: 32)
    private static let question = ChainQuery.about(transactions: [hash])

    private static func statuses(_ reply: ScriptedTransport.Reply) async throws
        -> [ChainObserved.TransactionStatus]
    {
        try await ICONServer("icx_getTransactionResult", reply).answer(question).transactions
    }

    // MARK: - Transactions

    @Test func `a transaction waits, or a block has it, or the node doesn't know it`()
        async throws
    {
        let waiting = [ChainObserved.TransactionStatus(txid: Self.hash, height: nil, locked: false)]
        #expect(try await Self.statuses(ICONServer.reply("result, pending")) == waiting)
        let executing = try ICONServer.reply("result of the first, now funded", in: "goloop-extra")
        #expect(try await Self.statuses(.error(-31003, "Executing: Executing")) == waiting)
        #expect(try await Self.statuses(ICONServer.reply("result of an unknown tx")) == [])
        guard case .result(var result) = executing else { Issue.record("no result"); return }
        result = result.with("txHash", Self.receipt["txHash"])
        #expect(try await Self.statuses(.result(result)).first?.height == 0x1c)
    }

    @Test func `T-Bears' word for waiting or unknown transactions claims neither`() async throws {
        #expect(try await Self.statuses(.error(-32602, "Pending transaction")) == [])
    }

    @Test func `a failure's text is escaped and cut`() async throws {
        let text = "\u{202e}" + String(repeating: "x", count: 5000)
        let failed = Self.receipt.with("status", .string("0x0"))
            .with("failure", .record(["code": .string("0x22"), "message": .string(text)]))
        let failure = try await Self.statuses(.result(failed)).first?.failure
        #expect(failure?.hasPrefix(#"34: \u{202E}xxx"#) == true)
        #expect((failure?.utf8.count ?? .max) < 250)
    }

    @Test func `a fee that a contract shares is the sender's part of it`() async throws {
        let shared = Self.receipt.with(
            "stepUsedDetails",
            .record([ICONServer.holder: .string("0x10"), ICONServer.token: .string("0x18690")]))
        #expect(
            try await Self.statuses(.result(shared)).first?.fee
                == ICONServer.price.multiplied(by: 16))
        let free = Self.receipt.with(
            "stepUsedDetails", .record([ICONServer.token: .string("0x186a0")]))
        #expect(try await Self.statuses(.result(free)).first?.fee == .zero)
    }

    @Test(arguments: [
        ("txHash", .string("0x" + String(repeating: "cd", count: 32))), ("txHash", nil),
        ("blockHeight", .int(112)), ("blockHeight", .string("0x8000000000000000")),
        ("blockHeight", .string("-0x1")), ("blockHeight", .null), ("status", .string("0x2")),
        ("status", nil),
    ] as [(String, JSON?)]) func `a result that can't be true is set aside alone`(
        name: String, value: JSON?
    ) async throws {
        let lie = ICONServer.Reply.result(Self.receipt.with(name, value))
        let server = ICONServer("icx_getTransactionResult", lie)
        var question = Self.question
        question.addresses = [ICONServer.holder]
        let answer = try await server.answer(question)
        #expect(answer.transactions.isEmpty)
        #expect(answer.balances.count == 1)
        #expect(answer.setAside.map(\.kind) == [.result])
        #expect(answer.setAside.map(\.txid) == question.transactions)
    }

    @Test(arguments: [
        ("stepUsed", .string("0x0186a0")), ("stepUsed", .string("100000")), ("stepUsed", nil),
        ("stepPrice", .string("0x2E90EDD00")),
        ("stepPrice", .string("0x" + String(repeating: "f", count: 60))), ("stepPrice", nil),
        ("stepUsedDetails", .record([ICONServer.holder: .string("0x186a1")])),
    ] as [(String, JSON?)])
    func `a result counts although its cost is not understood`(
        name: String, value: JSON?
    ) async throws {
        let odd = Self.receipt.with(name, value)
        for (status, failure) in [("0x1", nil), ("0x0", "the node gives no reason")] {
            let reply = ICONServer.Reply.result(odd.with("status", .string(status)))
            let answer = try await ICONServer("icx_getTransactionResult", reply)
                .answer(Self.question)
            #expect(answer.transactions.map(\.height) == [112])
            #expect(answer.transactions.map(\.failure) == [failure])
            #expect(answer.transactions.map(\.fee) == [nil])
            #expect(answer.setAside.map(\.height) == [112])
        }
    }

    @Test func `members and events of a result that nobody knows change nothing`() async throws {
        let truth = try await Self.statuses(.result(Self.receipt))
        let more = Self.receipt.with("eventLogs", .array([.null, .record([:]), .string("x")]))
            .with("logsBloom", .null).with("extra", .array([.number("1e-5")]))
        #expect(try await Self.statuses(.result(more)) == truth)
        #expect(truth.first?.fee != nil)
    }

    // MARK: - Balances

    @Test(arguments: [
        .string("-0x1"), .string("1000"), .string("0x0A"), .string("0x00"), .string("0x"),
        .string(""), .int(1), .null, .array([]), .string("0x8" + String(repeating: "0", count: 63)),
        .string("0x1" + String(repeating: "0", count: 64)),
    ] as [JSON]) func `a balance in any other form than ICON's is set aside`(
        value: JSON
    ) async throws {
        let server = ICONServer("icx_getBalance", .result(value))
        let answer = try await server.answer(.about())
        #expect(!answer.balances.contains { $0.asset == "ICX" })
        #expect(answer.setAside.map(\.kind) == [.balance])
        #expect(answer.setAside.map(\.address) == [ICONServer.holder])
        #expect(answer.height > 0)
    }

    @Test(arguments: [
        ("height", .string("0x175")), ("height", .int(-1)), ("height", .number("373.5")),
        ("height", .number("1e30")), ("height", .number("99999999999999999999")), ("height", nil),
        ("block_hash", .string("0x" + String(repeating: "a", count: 64))),
        ("block_hash", .string(String(repeating: "A", count: 64))), ("block_hash", .null),
    ] as [(String, JSON?)]) func `a last block that can't be true is no answer`(
        name: String, value: JSON?
    ) async throws {
        guard case .result(let block) = try ICONServer.reply("last block") else { return }
        let server = ICONServer("icx_getLastBlock", .result(block.with(name, value)))
        #expect(await server.failure()?.reason == .invalidAnswer)
    }

    @Test(arguments: [
        ("height", .number("3.73e2")), ("height", .number("373.0")), ("time_stamp", nil),
        ("time_stamp", .null), ("time_stamp", .string("1795216217196745")),
        ("time_stamp", .number("1.795216217196745e15")),
    ] as [(String, JSON?)]) func `a block without a time is a block`(
        name: String, value: JSON?
    ) async throws {
        guard case .result(let block) = try ICONServer.reply("last block") else { return }
        let server = ICONServer("icx_getLastBlock", .result(block.with(name, value)))
        let answer = try await server.answer(ChainQuery())
        if name == "height" { #expect(answer.height == 373) }
        #expect(answer.setAside.isEmpty)
    }

    @Test(arguments: [.record(["nid": .int(3)]), .null] as [JSON])
    func `a network without its id is no answer`(value: JSON) async {
        let server = ICONServer("icx_getNetworkInfo", .result(value))
        #expect(await server.failure()?.reason == .invalidAnswer)
    }

    @Test(arguments: [
        ("icx_call getStepPrice", .string("12500000000")),
        ("icx_call getStepPrice", .int(12_500_000_000)), ("icx_call getStepPrice", .null),
        ("icx_call getStepCosts", .record(["default": .string("0x186a0")])),
        ("icx_call getStepCosts", .string("0x1")),
    ] as [(String, JSON)]) func `a network's prices in any other form are set aside`(
        what: String, value: JSON
    ) async throws {
        let answer = try await ICONServer(what, .result(value)).answer(.about())
        #expect(answer.iconFees == nil)
        #expect(answer.setAside.map(\.kind) == [.stepPrice])
        #expect(answer.balances.contains { $0.asset == "ICX" })
    }

    @Test func `an address that several wallets have is asked about once`() async throws {
        let server = ICONServer()
        var question = ChainQuery.about()
        question.addresses += [ICONServer.holder, "hx12"]
        #expect(try await server.answer(question).balances.count == 1)
        #expect(await server.calls("icx_getBalance") == 1)
    }

    // MARK: - Moving chains

    @Test func `balances are read again when a transaction went into a block meanwhile`()
        async throws
    {
        let server = ICONServer { call, times in
            switch call.method {
            case "icx_getTransactionResult":
                times == 0 ? .error(-31002, "Pending: Pending") : .result(Self.receipt)
            case "icx_getBalance": .result(.string(times == 0 ? "0x64" : "0x32"))
            default: nil
            }
        }
        let answer = try await server.answer(Self.question)
        #expect(answer.transactions.map(\.height) == [0x70])
        #expect(answer.balances.map(\.amount) == [UInt256(0x32)])
    }

    @Test func `a result above the last block is looked at again`() async throws {
        guard case .result(let block) = try ICONServer.reply("last block") else { return }
        let server = ICONServer { call, times in
            switch call.method {
            case "icx_getTransactionResult": .result(Self.receipt)
            case "icx_getLastBlock": .result(block.with("height", .int(times == 0 ? 0x6f : 0x70)))
            default: nil
            }
        }
        #expect(try await server.answer(Self.question).height == 0x70)
        #expect(await server.calls("icx_getBalance") == 2)
    }

    @Test func `a chain that never holds still is left alone after a few looks`() async {
        let server = ICONServer { call, times in
            guard call.method == "icx_getTransactionResult" else { return nil }
            return times % 2 == 0 ? .error(-31002, "Pending: Pending") : .result(Self.receipt)
        }
        #expect(await server.failure(Self.question)?.reason == .unsettled)
        #expect(await server.calls("icx_getBalance") == 5)
    }

    // MARK: - Tokens

    @Test(arguments: [
        ("decimals", .result(.string("0x4e"))), ("decimals", .result(.string("18"))),
        ("decimals", .result(.string("-0x1"))), ("decimals", .result(.int(18))),
        ("balanceOf", .error(-30032, "SCOREError(-30032): E0032:Reverted(0)")),
        ("balanceOf", .result(.string("0x" + String(repeating: "f", count: 64)))),
        ("balanceOf", .result(.string("-0x1"))), ("balanceOf", .result(.null)),
    ] as [(String, ScriptedTransport.Reply)])
    func `a contract that is no token is left out, and nothing else`(
        method: String, reply: ScriptedTransport.Reply
    ) async throws {
        let bad = "cx" + String(repeating: "ab", count: 20)
        let server = ICONServer { call, _ in
            call.subject == "icx_call \(method)" && call.parameters["to"] == .string(bad)
                ? reply : nil
        }
        let question = ChainQuery.about(
            tokens: [bad, ICONServer.token, ICONServer.holder, "cx12"])
        let answer = try await server.answer(question)
        #expect(answer.tokens.map(\.contract) == [ICONServer.token])
        #expect(answer.balances.map(\.asset) == ["ICX", ICONServer.token])
    }

    @Test func `a node that can't ask a contract now has not said that it is no token`() async {
        let server = ICONServer("icx_call balanceOf", .error(-31007, "SystemTimeout"))
        #expect(await server.failure(.about(tokens: [ICONServer.token]))?.reason == .refused)
    }
}

extension ICONServer {
    typealias Reply = ScriptedTransport.Reply
}
