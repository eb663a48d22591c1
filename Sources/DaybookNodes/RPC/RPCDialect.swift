package import DaybookEncoding

/// How a kind of node writes JSON-RPC.
package enum RPCDialect: Sendable {
    /// Dash and Axe: `result`, `error` and `id` in every answer, one of the first two null.
    case core
    /// ICON: JSON-RPC 2.0, with either `result` or `error`.
    case icon

    /// A request for a call.
    func request(_ id: UInt64, _ call: RPCCall) -> JSON {
        .record([
            "jsonrpc": .string(self == .core ? "1.0" : "2.0"), "id": .int(id),
            "method": .string(call.method), "params": call.parameters,
        ])
    }

    /// So many calls are put into one request, as long as the node takes them.
    ///
    /// goloop takes ten unless its operator says otherwise. Core takes any number; what they make
    /// it answer is to stay far below what an answer may have.
    var callsPerRequest: Int { self == .core ? 250 : 10 }

    /// Whether the calls of one request are made one after the other; goloop makes all at once.
    var keepsOrder: Bool { self == .core }

    /// The names that an answer has beside its result, and those of an error.
    var names: [String] { ["jsonrpc", "id", "result", "error", "code", "message"] }

    /// What an answer holds: a result, or the node's own error.
    enum Content {
        case result(JSON)
        case error(code: Int64, message: String)
    }

    /// What is in an answer to the request of this id; nil if it is none in this dialect.
    func content(of answer: JSON, id: UInt64) -> Content? {
        // A number is compared by its spelling: 1.0 is not what was sent.
        guard case .object = answer, answer["id"] == .int(id) else { return nil }
        let result: JSON?
        let error: JSON?
        switch self {
        case .core:
            guard answer["jsonrpc"] == nil, answer["result"] != nil, answer["error"] != nil
            else { return nil }
            error = answer["error"].flatMap { $0.isNull ? nil : $0 }
            result = error == nil ? answer["result"] : nil
            if error != nil, answer["result"] != .null { return nil }
        case .icon:
            guard answer["jsonrpc"] == .string("2.0") else { return nil }
            (result, error) = (answer["result"], answer["error"])
        }
        switch (result, error) {
        case (let result?, nil): return .result(result)
        case (nil, let error?):
            guard let code = error["code"]?.intValue, let message = error["message"]?.stringValue
            else { return nil }
            return .error(code: code, message: message)
        default: return nil
        }
    }
}

/// Carries a request's body to a node's server and brings back what that answers.
package protocol RPCTransport: Sendable {
    /// Posts a JSON body; any status is an answer.
    func post(_ body: Bytes) async throws(HTTPFailure) -> HTTPAnswer
}

extension HTTPClient: RPCTransport {
    package func post(_ body: Bytes) async throws(HTTPFailure) -> HTTPAnswer {
        try await post(body, contentType: "application/json")
    }
}

/// What was found out about how a node's server wants to be asked, for all calls of a client.
actor RPCManners {
    private var last: UInt64 = 0
    private(set) var callsPerRequest: Int
    private(set) var requestsAtOnce = 4

    init(_ dialect: RPCDialect) {
        callsPerRequest = dialect.callsPerRequest
    }

    /// Numbers for so many calls, so that no answer is taken for another's.
    func numbers(_ count: Int) -> [UInt64] {
        defer { last += UInt64(count) }
        return (1...UInt64(count)).map { last + $0 }
    }

    /// Notes that a request of so many calls was too much.
    func tooMany(_ calls: Int) {
        callsPerRequest = min(callsPerRequest, max(1, calls / 2))
    }

    /// Notes that only one call is taken at a time.
    func refusesBatches() { callsPerRequest = 1 }

    /// Notes that the server has too much to do.
    func isBusy() { requestsAtOnce = 1 }
}

/// How long a question waits for its node.
///
/// A node that is starting or has too much to do is asked again after a pause. Nothing else is
/// tried again: such a node has not begun with the call, so that asking once more is harmless. A
/// server that says when it wants to be asked again is asked then. All calls that one question
/// takes have a time together.
package struct RPCPatience: Sendable {
    /// The pauses before each further attempt; with none nothing is asked again.
    let pauses: [Duration]
    /// So often in a row a server may say when it wants to be asked again.
    static let mostDelays = 20
    /// A server that wants to be left alone for longer is not waited for.
    static let longestDelay: Duration = .seconds(60)
    /// After this time a question makes no further call.
    let question: Duration
    let sleep: @Sendable (Duration) async throws -> Void
    let now: @Sendable () -> ContinuousClock.Instant

    /// Waits these pauses by `sleep`, which throws when the caller has given up.
    package init(
        pauses: [Duration], question: Duration = .seconds(600),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.pauses = pauses
        self.question = question
        self.now = now
        self.sleep = sleep
    }

    /// Two further attempts within two and a half seconds, and ten minutes for a question.
    package static let ordinary = RPCPatience(
        pauses: [.milliseconds(500), .seconds(2)], sleep: { try await Task.sleep(for: $0) })
}
