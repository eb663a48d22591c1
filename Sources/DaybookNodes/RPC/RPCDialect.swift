package import DaybookEncoding

/// The form of JSON-RPC that a kind of node uses.
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

    /// The calls in one request, until the node refuses that many.
    ///
    /// goloop's default limit is ten. Core has no limit; 250 keep the answer far below
    /// `HTTPLimits.answerBytes`.
    var callsPerRequest: Int { self == .core ? 250 : 10 }

    /// The members of an answer around its result, and those of an error.
    var names: [String] { ["jsonrpc", "id", "result", "error", "code", "message"] }

    /// The content of an answer: a result, or the node's own error.
    enum Content {
        case result(JSON)
        case error(code: Int64, message: String)
    }

    /// The content of the answer to the request with an id; nil if it is no valid answer to it.
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
            guard let code = error["code"]?.number?.integer,
                let message = error["message"]?.stringValue
            else { return nil }
            return .error(code: code, message: message)
        default: return nil
        }
    }
}

/// Sends a request's body to a node's server and returns the response.
package protocol RPCTransport: Sendable {
    /// Posts a JSON body; a response with any status is returned.
    func post(_ body: Bytes) async throws(HTTPFailure) -> HTTPResponse
}

extension HTTPClient: RPCTransport {
    package func post(_ body: Bytes) async throws(HTTPFailure) -> HTTPResponse {
        try await post(body, contentType: "application/json")
    }
}

/// The limits that a client has learned of its server, and the last call id it has used.
actor RPCServerLimits {
    private var last: UInt64 = 0
    private(set) var callsPerRequest: Int
    private(set) var requestsAtOnce = 4

    init(_ dialect: RPCDialect) {
        callsPerRequest = dialect.callsPerRequest
    }

    /// Ids for some calls; no id is used twice, so that answers can't be confused.
    func nextIDs(_ count: Int) -> [UInt64] {
        defer { last += UInt64(count) }
        return (1...UInt64(count)).map { last + $0 }
    }

    /// Notes that the server refused a request of so many calls.
    func noteTooMany(_ calls: Int) {
        callsPerRequest = min(callsPerRequest, max(1, calls / 2))
    }

    /// Notes that the server accepts no batches.
    func noteNoBatches() { callsPerRequest = 1 }

    /// Notes that the server is overloaded.
    func noteBusy() { requestsAtOnce = 1 }
}

/// The retry policy of a node's calls, and the time limit of a query.
///
/// Only a node that is starting or busy is asked again: it has not begun with the call, so a retry
/// is harmless. A server that sends `Retry-After` is asked again at that time.
package struct RPCRetryPolicy: Sendable {
    /// The pauses before each retry; empty for no retries at all.
    let pauses: [Duration]
    /// The time after which a query makes no further call.
    let queryTimeout: Duration
    let sleep: @Sendable (Duration) async throws -> Void
    let now: @Sendable () -> ContinuousClock.Instant

    /// The longest `Retry-After` that is heeded.
    static let longestDelay: Duration = .seconds(60)
    /// How often in a row `Retry-After` is heeded.
    static let maximumDelays = 20

    /// A policy with these pauses; `sleep` throws when the caller has given up.
    package init(
        pauses: [Duration], queryTimeout: Duration = .seconds(600),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.pauses = pauses
        self.queryTimeout = queryTimeout
        self.now = now
        self.sleep = sleep
    }

    /// Two retries within two and a half seconds, and ten minutes for a query.
    package static let ordinary = RPCRetryPolicy(
        pauses: [.milliseconds(500), .seconds(2)], sleep: { try await Task.sleep(for: $0) })
}
