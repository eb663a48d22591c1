import DaybookEncoding
import DaybookHTTP
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

    /// What the server does.
    enum Reply: Sendable {
        /// An answer of Dash or Axe, or with `jsonrpc` of ICON.
        case result(JSON)
        case error(Int64, String)
        case http(Int, String, contentType: String? = nil)
        case failure(HTTPFailure)
    }

    private(set) var calls: [Call] = []
    private let answer: @Sendable (Call, _ before: [Call]) -> Reply

    init(_ answer: @escaping @Sendable (Call, _ before: [Call]) -> Reply) {
        self.answer = answer
    }

    init(_ replies: Reply...) {
        self.init { _, before in replies[min(before.count, replies.count - 1)] }
    }

    func post(_ body: Bytes) async throws(HTTPFailure) -> HTTPAnswer {
        guard let request = try? JSON.parse(body), let id = request["id"],
            let method = request["method"]?.stringValue
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
            return Self.json(
                200, .record([
                    "jsonrpc": version, "result": result, "error": isCore ? .null : nil, "id": id,
                ]))
        case .error(let code, let message):
            let error = JSON.record(["code": .int(code), "message": .string(message)])
            return Self.json(
                isCore ? (code == -32601 ? 404 : 500) : 400, .record([
                    "jsonrpc": version, "result": isCore ? .null : nil, "error": error, "id": id,
                ]))
        case .http(let status, let body, let contentType):
            return HTTPAnswer(status: status, contentType: contentType, body: Bytes(body.utf8))
        case .failure(let failure): throw failure
        }
    }

    private static func json(_ status: Int, _ json: JSON) -> HTTPAnswer {
        HTTPAnswer(
            status: status, contentType: "application/json", body: Bytes(json.text().utf8))
    }
}
