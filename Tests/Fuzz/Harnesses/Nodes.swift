import DaybookChains
import DaybookDomain
import DaybookEncoding

@testable import DaybookNodes

extension Harness {
    /// A node of Dash that answers honestly but for what the input puts in the place of answers.
    static let coreNode = Harness(
        "core-node", longest: 2048,
        words: [
            "\n\n", "\n=", "\n!", "\n#", "\"txid\":\"", "\"height\":", "\"hex\":\"",
            "\"blockhash\":\"", "\"confirmations\":", "\"instantlock\":true", "\"chain\":\"",
            "\"blocks\":", "\"feerate\":", "\"bestblockhash\":\"",
            "\"initialblockdownload\":true", "\"result\":", "\"error\":", "\"code\":-5",
            "\"message\":\"",
        ]
    ) { bytes in
        guard let parameters = UTXOParameters.of(.dash, .regtest),
            let chain = HonestChain(parameters)
        else { throw BrokenLaw(description: "there is a regtest") }
        func node() -> UTXONode {
            let transport = ReplacedAnswers(bytes, .core, honest: chain.answer)
            return UTXONode(parameters, transport, retries: RPCRetryPolicy(pauses: []) { _ in })
        }
        var question = ChainQuery()
        question.watched = [chain.watched]
        question.transactions = [chain.txid]
        question.tip = .init(height: 3, hash: Bytes(repeating: 3, count: 32))
        if let answer = try await observe(node(), question) {
            let isOurs = answer.outputs.allSatisfy { $0.script == chain.watched.script }
            try law("outputs are ours", isOurs)
            let isBelowTip = answer.outputs.allSatisfy { $0.height ?? 0 <= answer.height }
            try law("nothing is above the tip", isBelowTip)
        }
        try check(await node().broadcast(chain.bytes, txid: chain.txid))
    }

    /// A node of ICON, likewise.
    static let iconNode = Harness(
        "icon-node", longest: 2048,
        words: [
            "\n\n", "\n=", "\n!", "\n#", "\"0x", "\"height\":", "\"time_stamp\":",
            "\"block_hash\":\"", "\"nid\":\"0x3\"", "\"default\":\"0x", "\"status\":\"0x0\"",
            "\"failure\":{\"code\":\"0x", "\"stepUsed\":\"0x", "\"stepPrice\":\"0x",
            "\"stepUsedDetails\":{\"hx", "\"eventLogs\":[]", "\"txHash\":\"0x", "\"code\":-31000",
            "\"message\":\"SystemError: E2005:", "\"jsonrpc\":\"2.0\"",
        ]
    ) { bytes in
        func node() -> ICONNode {
            let transport = ReplacedAnswers(bytes, .icon, honest: HonestICON.answer)
            return ICONNode(
                .regtest, transport, debug: transport, retries: RPCRetryPolicy(pauses: []) { _ in },
                clock: { HonestICON.time })
        }
        var question = ChainQuery()
        question.networkIDs = [3]
        question.addresses = [HonestICON.holder]
        question.tokens = [HonestICON.token]
        question.transactions = [HonestICON.txid]
        question.estimate = .record(["to": .string(HonestICON.token)])
        if let answer = try await observe(node(), question) {
            let isBelowTip = answer.transactions.allSatisfy { $0.height ?? 0 <= answer.height }
            try law("nothing is above the tip", isBelowTip)
        }
        let params = Bytes(#"{"timestamp":"0x1","to":"cx"}"#.utf8)
        try check(await node().broadcast(params, txid: HonestICON.txid))
    }

    /// Asks a node all that there is to ask; nil where it gave no usable answer.
    private static func observe(
        _ node: some NodeClient, _ question: ChainQuery
    ) async throws -> ChainSnapshot? {
        do {
            _ = try await node.check()
        } catch {
            try checkText(error.message)
        }
        let answer: ChainSnapshot
        do {
            answer = try await node.observe(question, progress: nil)
        } catch {
            try checkText(error.message)
            return nil
        }
        try checkNews(answer, question)
        return answer
    }

    /// The news of an answer goes into the log: it must be recorded without loss.
    private static func checkNews(_ answer: ChainSnapshot, _ question: ChainQuery) throws {
        let state = State()
        for forRequest in [false, true] {
            for event in answer.changes(from: state, forRequest: forRequest) {
                let again = try ChainObserved(try EncodedCBOR(event.encoded()))
                try law("news is recorded without loss", again == event)
            }
        }
    }

    private static func check(_ answered: BroadcastAnswered) throws {
        let again = try BroadcastAnswered(try EncodedCBOR(answered.encoded()))
        try law("an answer is recorded without loss", again == answered)
        try checkText(answered.message ?? "")
    }

    /// A node's own words are cut, and can't draw on the screen.
    private static func checkText(_ text: String) throws {
        try law("a failure is short: \(text.utf8.count)", text.utf8.count <= 400)
        try law("a failure is one visible line", Text.equal(Text.onOneLine(text), text))
    }
}

/// A node whose answers are an honest one's, but for those that the lines of an input replace.
///
/// The n-th line is for the n-th call, and an empty one leaves it: `=` and a result, `!` and an
/// error, `#`, three digits of a status and a body, or a whole body.
final class ReplacedAnswers: RPCTransport {
    private let lines: [Bytes]
    private let dialect: RPCDialect
    private let honest: @Sendable (String, JSON) -> JSON?
    private let calls = CallCount()

    init(
        _ bytes: Bytes, _ dialect: RPCDialect, honest: @escaping @Sendable (String, JSON) -> JSON?
    ) {
        lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false).map { Bytes($0) }
        self.dialect = dialect
        self.honest = honest
    }

    func post(_ body: Bytes) async throws(HTTPFailure) -> HTTPResponse {
        guard let request = try? JSON.parse(body) else { throw .timedOut }
        guard let entries = request.arrayValue else { return try await answer(to: request) }
        // In a batch each call has a line of its own; one that is a status is all of the answer.
        var answers: [Bytes] = []
        for entry in entries {
            let answer = try await answer(to: entry)
            guard answer.status == 200 || answer.status == 500, !answer.body.isEmpty else {
                return answer
            }
            answers.append(answer.body)
        }
        return self.answer(200, Bytes("[".utf8) + answers.joined(separator: Bytes(",".utf8))
            + Bytes("]".utf8))
    }

    private func answer(to call: JSON) async throws(HTTPFailure) -> HTTPResponse {
        let index = await calls.next()
        // An input can't keep a client asking for ever.
        guard index < 200, let method = call["method"]?.stringValue else { throw .timedOut }
        let line = index < lines.count ? lines[index] : []
        let id = call["id"] ?? .null
        let rest = Bytes(line.dropFirst())
        switch line.first {
        case nil:
            guard let result = honest(method, call["params"] ?? .null) else {
                let error = #"{"code":-32601,"message":"no such call"}"#
                return answer(200, envelope(id, error: error))
            }
            return answer(200, envelope(id, result: result.text()))
        case UInt8(ascii: "="):
            return answer(200, envelope(id, result: String(decoding: rest, as: UTF8.self)))
        case UInt8(ascii: "!"):
            return answer(500, envelope(id, error: String(decoding: rest, as: UTF8.self)))
        case UInt8(ascii: "#"):
            let status = Int(String(decoding: rest.prefix(3), as: UTF8.self)) ?? 200
            return answer(status, Bytes(rest.dropFirst(3)))
        default: return answer(200, line)
        }
    }

    private func envelope(_ id: JSON, result: String? = nil, error: String? = nil) -> Bytes {
        let id = id.text()
        switch dialect {
        case .core:
            return Bytes(
                #"{"result":\#(result ?? "null"),"error":\#(error ?? "null"),"id":\#(id)}"#.utf8)
        case .icon:
            let content = result.map { #""result":\#($0)"# } ?? #""error":\#(error ?? "null")"#
            return Bytes(#"{"jsonrpc":"2.0",\#(content),"id":\#(id)}"#.utf8)
        }
    }

    private func answer(_ status: Int, _ body: Bytes) -> HTTPResponse {
        HTTPResponse(status: status, contentType: "application/json", body: body)
    }
}

private actor CallCount {
    private var count = 0

    func next() -> Int {
        defer { count += 1 }
        return count
    }
}
