import DaybookEncoding

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
