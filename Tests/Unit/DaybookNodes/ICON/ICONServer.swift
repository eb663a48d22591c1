import DaybookChains
import DaybookDomain
import DaybookEncoding
@testable import DaybookNodes
import Foundation
import Testing
import TestSupport

/// An ICON node's server that answers as recorded from goloop, but for what a test has it say.
struct ICONServer {
    let transport: ScriptedTransport

    init(_ says: @escaping @Sendable (ScriptedTransport.Call, Int) -> ScriptedTransport.Reply?) {
        transport = ScriptedTransport { call, before in
            // How often the same was asked before.
            let times = before.filter {
                $0.method == call.method && $0.parameters == call.parameters
            }.count
            return says(call, times) ?? Self.usual(call)
        }
    }

    /// As recorded in everything.
    init() {
        self.init { _, _ in nil }
    }

    /// Says something else to one call; a contract's method is named behind a blank.
    init(_ what: String, _ reply: ScriptedTransport.Reply) {
        self.init { call, _ in call.subject == what ? reply : nil }
    }

    func node(
        _ network: Network = .regtest, debug: ICONServer? = nil, at time: UInt64 = Self.time
    ) -> ICONNode {
        ICONNode(
            network, transport, debug: debug?.transport,
            retries: RPCRetryPolicy(pauses: []) { _ in }
        ) { time }
    }

    func answer(_ question: ChainQuery) async throws(ChainFailure) -> ChainSnapshot {
        try await node().observe(question, progress: nil)
    }

    func failure(_ question: ChainQuery = ChainQuery()) async -> ChainFailure? {
        do {
            _ = try await answer(question)
            return nil
        } catch {
            return error
        }
    }

    func calls(_ subject: String) async -> Int {
        await transport.calls.filter { $0.subject == subject }.count
    }

    // MARK: - What was recorded

    /// The time of the recorded last block.
    static let time: UInt64 = 1_795_216_217_196_745
    static let holder = "hxe7af5fcfd8dfc67530a01a0e403882687528dfcb"
    static let token = "cx3c70e865acff1a244dbc0cb7845ea6ab2c4fcfe9"
    static let price = UInt256(12_500_000_000)

    /// An exchange by its name; of several the last, which has the outcome.
    static func exchange(_ name: String, in file: String = "goloop") throws -> JSON {
        let exchanges = try #require(recordings[file]).get()
        return try #require(exchanges.last { $0["name"] == .string(name) })
    }

    /// The recordings under Tests/Fixtures/icon, each read once.
    private static let recordings = Dictionary(
        uniqueKeysWithValues: ["goloop", "goloop-extra", "goloop-irc2"].map { name in
            (name, Result { try recording(name) })
        })

    private static func recording(_ name: String) throws -> [JSON] {
        try Fixture.json("icon/\(name).json").arrayValue ?? []
    }

    /// The recorded answer as the server's.
    static func reply(_ name: String, in file: String = "goloop") throws
        -> ScriptedTransport.Reply
    {
        let response = try #require(try exchange(name, in: file)["response"])
        if let result = response["result"] { return .result(result) }
        return .error(
            try #require(response["error"]?["code"]?.intValue),
            try #require(response["error"]?["message"]?.stringValue))
    }

    private static func usual(_ call: ScriptedTransport.Call) -> ScriptedTransport.Reply {
        do {
            return switch call.subject {
            case "icx_getNetworkInfo": try reply("network info")
            case "icx_getLastBlock": try reply("last block")
            case "icx_getBalance": try reply("balance of god")
            case "icx_getTransactionResult": try reply("result of an unknown tx")
            case "icx_call getStepPrice": try reply("step price")
            case "icx_call getStepCosts":
                .result(
                    .record([
                        "default": .string("0x186a0"), "input": .string("0xc8"),
                        "contractCall": .string("0x61a8"), "get": .string("-0xa"),
                    ]))
            case "icx_call getMaxStepLimit": .result(.string("0x9502f900"))
            case "icx_call symbol": try reply("symbol", in: "goloop-irc2")
            case "icx_call decimals": try reply("decimals", in: "goloop-irc2")
            case "icx_call balanceOf": try reply("balanceOf", in: "goloop-irc2")
            default: try reply("unknown method")
            }
        } catch {
            return .http(500, "\(error)")
        }
    }
}

extension ScriptedTransport.Call {
    var subject: String {
        method + (parameters["data"]?["method"]?.stringValue.map { " " + $0 } ?? "")
    }
}

extension ChainQuery {
    /// Balances of the recorded account.
    static func about(
        tokens: [String] = [], transactions: [Bytes] = [], estimate: JSON? = nil
    ) -> ChainQuery {
        var question = ChainQuery()
        question.networkIDs = [3]
        question.addresses = [ICONServer.holder]
        question.tokens = tokens
        question.transactions = transactions
        question.estimate = estimate
        return question
    }
}

extension JSON {
    /// The object with another value under a name; without the name for nil.
    func with(_ name: String, _ value: JSON?) -> JSON {
        let others = (objectValue ?? []).filter { $0.name != name }
        return .object(others + (value.map { [JSON.Member(name: name, value: $0)] } ?? []))
    }
}
