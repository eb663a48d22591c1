import DaybookEncoding
import DaybookNodes

/// A node's server whose answers are written down: each call is given to a closure.
actor ScriptedTransport: RPCTransport {
    /// A request as the server read it.
    struct Call: Equatable, Sendable {
        let method: String
        let parameters: JSON
        let id: JSON
        let dialect: JSON?
    }

    /// The server's reply.
    enum Reply: Sendable {
        /// An answer of Dash or Axe, or with `jsonrpc` of ICON.
        case result(JSON)
        case error(Int64, String)
        case http(Int, String, contentType: String? = nil, retryAfter: Int? = nil)
        case failure(HTTPFailure)
    }

    private(set) var calls: [Call] = []
    /// How many requests there were, each with one call or several.
    private(set) var requests = 0
    private let answer: @Sendable (Call, _ before: [Call]) -> Reply

    init(_ answer: @escaping @Sendable (Call, _ before: [Call]) -> Reply) {
        self.answer = answer
    }

    init(_ replies: Reply...) {
        self.init { _, before in replies[min(before.count, replies.count - 1)] }
    }

    /// Answers a call, or each call of a batch; what is no JSON-RPC answers for all of it.
    func post(_ body: Bytes) async throws(HTTPFailure) -> HTTPResponse {
        guard let request = try? JSON.parse(body) else { throw .notHTTP }
        requests += 1
        guard let entries = request.arrayValue else { return try answer(to: request).whole }
        var envelopes: [JSON] = []
        for entry in entries {
            let (envelope, whole) = try answer(to: entry)
            guard let envelope else { return whole }
            envelopes.append(envelope)
        }
        return Self.json(200, .array(envelopes))
    }

    private func answer(to request: JSON) throws(HTTPFailure)
        -> (envelope: JSON?, whole: HTTPResponse)
    {
        guard let id = request["id"], let method = request["method"]?.stringValue
        else { throw .notHTTP }
        let call = Call(
            method: method, parameters: request["params"] ?? .null, id: id,
            dialect: request["jsonrpc"])
        let reply = answer(call, calls)
        calls.append(call)
        let isCore = call.dialect == .string("1.0")
        let version: JSON? = isCore ? nil : .string("2.0")
        switch reply {
        case .result(let result):
            let envelope = JSON.record([
                "jsonrpc": version, "result": result, "error": isCore ? .null : nil, "id": id,
            ])
            return (envelope, Self.json(200, envelope))
        case .error(let code, let message):
            let error = JSON.record(["code": .int(code), "message": .string(message)])
            let envelope = JSON.record([
                "jsonrpc": version, "result": isCore ? .null : nil, "error": error, "id": id,
            ])
            return (
                envelope,
                Self.json(isCore ? (code == -32601 ? 404 : 500) : 400, envelope)
            )
        case .http(let status, let body, let contentType, let seconds):
            return (
                nil,
                HTTPResponse(
                    status: status, contentType: contentType, body: Bytes(body.utf8),
                    retryAfterSeconds: seconds)
            )
        case .failure(let failure): throw failure
        }
    }

    private static func json(_ status: Int, _ json: JSON) -> HTTPResponse {
        HTTPResponse(
            status: status, contentType: "application/json", body: Bytes(json.text().utf8))
    }
}
