import DaybookEncoding
import Glibc
import Synchronization

/// A node behind HTTP: it answers calls on a chain, or from a recording.
protocol ServedNode: Sendable {
    /// The result of a call; a node that is told to be silent throws `Silence`.
    mutating func answer(_ call: ReceivedCall, _ settings: NodeServer.Settings) throws -> JSON
}

/// The shared state of a server's threads: the node, its faults, and the calls it received.
final class NodeCore: Sendable {
    private let dialect: Dialect
    private let state: Mutex<State>

    private struct State: Sendable {
        var node: any ServedNode
        var settings: NodeServer.Settings
        var rules: [Rule] = []
        var requests: [NodeServer.Request] = []
        var roundTrips = 0
        /// How many requests each connection has brought.
        var served: [Int: Int] = [:]
    }

    private struct Rule: Sendable {
        let misbehaviour: Misbehaviour
        let method: String?
        /// How many matching calls are still answered well.
        var skips: Int
        /// How many are not, after these.
        var times: Int
    }

    init(_ dialect: Dialect, _ node: any ServedNode, _ settings: NodeServer.Settings) {
        self.dialect = dialect
        state = Mutex(State(node: node, settings: settings))
    }

    var settings: NodeServer.Settings {
        get { state.withLock { $0.settings } }
        set { state.withLock { $0.settings = newValue } }
    }

    var requests: [NodeServer.Request] { state.withLock { $0.requests } }

    var roundTrips: Int { state.withLock { $0.roundTrips } }

    func forgetRequests() { state.withLock { ($0.requests, $0.roundTrips) = ([], 0) } }

    func misbehave(
        _ misbehaviour: Misbehaviour, on method: String?, from call: Int, times: Int
    ) {
        let rule = Rule(
            misbehaviour: misbehaviour, method: method, skips: call - 1, times: times)
        state.withLock { $0.rules.append(rule) }
    }

    func behave() { state.withLock { $0.rules = [] } }

    /// Runs `body` on the node, which is of this type.
    func with<Node: ServedNode, Value: Sendable>(
        _ type: Node.Type, _ body: (inout Node) throws -> Value
    ) rethrows -> Value {
        try state.withLock { state in
            guard var node = state.node as? Node else {
                preconditionFailure("the test asks for a chain that this server does not have")
            }
            defer { state.node = node }
            return try body(&node)
        }
    }

    func answer(_ request: HTTPRequest, connection: Int) -> HTTPReply {
        let milliseconds = settings.latencyMilliseconds
        // Requests that come on several connections wait at the same time.
        if milliseconds > 0 { usleep(milliseconds * 1000) }
        return state.withLock { Self.answer(request, connection, dialect, &$0) }
    }
}

// MARK: - From bytes to bytes

extension NodeCore {
    private static func answer(
        _ request: HTTPRequest, _ connection: Int, _ dialect: Dialect, _ state: inout State
    ) -> HTTPReply {
        state.served[connection, default: 0] += 1
        let body = Result { () throws(NodeRefusal) in try dialect.parse(request.body) }
        let entries = (try? body.get()).map { $0.arrayValue ?? [$0] } ?? []
        let records = entries.isEmpty ? [JSON.null] : entries
        state.requests += records.map { Self.record($0, request, connection) }
        state.roundTrips += 1
        let isReused = state.served[connection, default: 0] > 1
        let wrongs = records.map { Self.wrongs(with: $0, isReused: isReused, &state) }
        if let reply = wrongs.joined().lazy.compactMap(Self.replyAtOnce).first { return reply }
        if let refusal = dialect.refusal(of: request, state.settings) { return refusal }
        let isBatch = (try? body.get())?.arrayValue != nil
        if let refusal = Self.refusal(of: entries, isBatch, request, state.settings) {
            return refusal
        }
        var reply: HTTPReply
        switch body {
        case .failure(let error):
            let result = Result<JSON, NodeRefusal>.failure(error)
            reply = .json(dialect.status(result), dialect.text(result, id: nil))
        case .success(let json):
            var answers: [(envelope: JSON, status: Int)?] = []
            for (entry, wrongs) in zip(entries, wrongs) {
                do {
                    answers.append(
                        try Self.answer(entry, request.path, wrongs, dialect, &state))
                } catch {
                    return HTTPReply(status: 200, body: [], delivery: .silence)
                }
            }
            reply = Self.reply(answers, isBatch: json.arrayValue != nil, dialect)
        }
        for delivery in wrongs.joined().compactMap(Self.delivery) { reply.delivery = delivery }
        return reply
    }

    /// The answer to more than the server takes of one user, or at once.
    private static func refusal(
        of entries: [JSON], _ isBatch: Bool, _ request: HTTPRequest,
        _ settings: NodeServer.Settings
    ) -> HTTPReply? {
        if request.body.count > settings.requestBytes {
            var reply = HTTPReply.plain(413, "<html><h1>Request Entity Too Large</h1></html>")
            reply.delivery = .wholeThenClosed
            return reply
        }
        if let allowed = settings.whitelist {
            let isAllowed = !isBatch
                && entries.allSatisfy { allowed.contains($0["method"]?.stringValue ?? "") }
            if !isAllowed { return HTTPReply(status: 403, body: []) }
        }
        if isBatch, let most = settings.callsPerRequest, entries.count > most {
            let error = NodeRefusal(-32600, "InvalidRequest", data: .string("too many request"))
            return .json(
                503, JSON.record([
                    "jsonrpc": .string("2.0"), "error": error.json, "id": .null,
                ]).text())
        }
        return nil
    }

    /// One entry's answer; goloop gives none to a request without id.
    private static func answer(
        _ entry: JSON, _ path: String, _ wrongs: [Misbehaviour], _ dialect: Dialect,
        _ state: inout State
    ) throws(Silence) -> (envelope: JSON, status: Int)? {
        let result = try Self.result(of: entry, path, wrongs, dialect, &state)
        var id = entry["id"]
        if id == nil, dialect == .goloop, case .success = result { return nil }
        for case .otherID in wrongs { id = .string("another") }
        return (dialect.envelope(result, id: id), dialect.status(result))
    }

    private static func result(
        of entry: JSON, _ path: String, _ wrongs: [Misbehaviour], _ dialect: Dialect,
        _ state: inout State
    ) throws(Silence) -> Result<JSON, NodeRefusal> {
        for case .error(let code, let message) in wrongs {
            return .failure(NodeRefusal(code, message))
        }
        var answer: Result<JSON, NodeRefusal>
        do {
            let call = try dialect.call(entry, path: path)
            var result = try state.node.answer(call, state.settings)
            for case .altered(let change) in wrongs { result = change(result) }
            answer = .success(result)
        } catch let error as NodeRefusal {
            answer = .failure(error)
        } catch {
            throw Silence()
        }
        for case .invented(let invent) in wrongs {
            answer = invent(entry["params"] ?? .null, answer)
        }
        return answer
    }

    private static func reply(
        _ answers: [(envelope: JSON, status: Int)?], isBatch: Bool, _ dialect: Dialect
    ) -> HTTPReply {
        let end = dialect == .core ? "\n" : ""
        if isBatch {
            let array = JSON.array(answers.compactMap { $0?.envelope })
            return .json(200, array.text() + end)
        }
        guard let answer = answers.first, let answer else { return .json(200, "") }
        return .json(answer.status, answer.envelope.text() + end)
    }

    private static func record(
        _ entry: JSON, _ request: HTTPRequest, _ connection: Int
    ) -> NodeServer.Request {
        NodeServer.Request(
            method: entry["method"]?.stringValue ?? "", params: entry["params"], id: entry["id"],
            verb: request.method, path: request.path,
            headers: Dictionary(
                request.headers.map { ($0.name.lowercased(), $0.value) },
                uniquingKeysWith: { "\($0), \($1)" }),
            connection: connection)
    }
}

// MARK: - What goes wrong

extension NodeCore {
    /// The faults of a call, from all rules that match it.
    private static func wrongs(
        with entry: JSON, isReused: Bool, _ state: inout State
    ) -> [Misbehaviour] {
        let method = entry["method"]?.stringValue
        var wrongs: [Misbehaviour] = []
        for index in state.rules.indices {
            let rule = state.rules[index]
            guard rule.method == nil || rule.method == method else { continue }
            if case .closesReused = rule.misbehaviour, !isReused { continue }
            if rule.skips > 0 {
                state.rules[index].skips -= 1
            } else if rule.times > 0 {
                state.rules[index].times -= 1
                wrongs.append(rule.misbehaviour)
            }
        }
        return wrongs
    }

    /// The answer of a server that does not even ask its node.
    private static func replyAtOnce(_ misbehaviour: Misbehaviour) -> HTTPReply? {
        switch misbehaviour {
        case .reply(let status, let headers, let body):
            HTTPReply(
                status: status,
                headers: headers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
                body: Bytes(body.utf8))
        case .closes, .closesReused: HTTPReply(status: 200, body: [], delivery: .none)
        case .silent: HTTPReply(status: 200, body: [], delivery: .silence)
        case .long(let bytes): HTTPReply(status: 200, body: [], delivery: .long(bytes: bytes))
        default: nil
        }
    }

    private static func delivery(_ misbehaviour: Misbehaviour) -> HTTPReply.Delivery? {
        switch misbehaviour {
        case .half: .half
        case .losesAnswer: HTTPReply.Delivery.none
        case .closesIdle: .wholeThenClosed
        case .slow(let milliseconds): .slow(milliseconds: milliseconds)
        default: nil
        }
    }
}

extension Dialect {
    /// The answer's text.
    fileprivate func text(_ result: Result<JSON, NodeRefusal>, id: JSON?) -> String {
        envelope(result, id: id).text() + (self == .core ? "\n" : "")
    }
}

/// One JSON-RPC call, out of a request's body.
struct ReceivedCall {
    var method: String
    var params: JSON?
    /// Nil where the request has none.
    var id: JSON?
    /// The path of the URL, such as /api/v3d.
    var path: String
}
