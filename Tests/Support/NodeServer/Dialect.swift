import DaybookEncoding
import Foundation

/// How a kind of node wraps JSON-RPC calls and answers in HTTP.
enum Dialect {
    /// Dash Core and Axe Core.
    case core
    /// goloop.
    case goloop

    /// The answer to a request that is refused before its body is read.
    func refusal(of request: HTTPRequest, _ settings: NodeServer.Settings) -> HTTPReply? {
        switch self {
        case .core: coreRefusal(of: request, settings)
        case .goloop: goloopRefusal(of: request)
        }
    }

    private func coreRefusal(
        of request: HTTPRequest, _ settings: NodeServer.Settings
    ) -> HTTPReply? {
        guard request.path == "/" || request.path.hasPrefix("/wallet/") else { return .plain(404) }
        guard request.method == "POST" else {
            return .plain(405, "JSONRPC server handles only POST requests")
        }
        guard let user = settings.user, let password = settings.password else { return nil }
        let expected = Data("\(user):\(password)".utf8).base64EncodedString()
        guard request.header("Authorization") == "Basic \(expected)" else {
            return .plain(401, headers: [("WWW-Authenticate", #"Basic realm="jsonrpc""#)])
        }
        return nil
    }

    private func goloopRefusal(of request: HTTPRequest) -> HTTPReply? {
        guard ["/api/v3", "/api/v3/icon_dex", "/api/v3d"].contains(request.path) else {
            return .json(404, #"{"message":"Not Found"}"#)
        }
        guard request.method == "POST" else {
            return .json(405, #"{"message":"Method Not Allowed"}"#)
        }
        return nil
    }

    /// The body, or the error for one that is not JSON.
    func parse(_ body: Bytes) throws(NodeRefusal) -> JSON {
        if self == .goloop, body.isEmpty {
            throw NodeRefusal(-32600, "InvalidRequest: fail to unmarshal, EOF")
        }
        guard let json = try? JSON.parse(body) else {
            throw NodeRefusal(-32700, self == .core ? "Parse error" : "ParseError")
        }
        if self == .core, json.objectValue == nil, json.arrayValue == nil {
            throw NodeRefusal(-32700, "Top-level object parse error")
        }
        return json
    }

    /// One call of the body.
    func call(_ json: JSON, path: String) throws(NodeRefusal) -> ReceivedCall {
        if self == .goloop {
            guard let version = json["jsonrpc"]?.stringValue else {
                throw NodeRefusal(-32600, "InvalidRequest: fail to validate, required('jsonrpc')")
            }
            guard version == "2.0" else {
                throw NodeRefusal(-32600, "InvalidRequest: fail to validate, version('jsonrpc')")
            }
        }
        guard let method = json["method"] else {
            throw NodeRefusal(
                -32600,
                self == .core
                    ? "Missing method" : "InvalidRequest: fail to validate, required('method')")
        }
        guard let name = method.stringValue else {
            throw NodeRefusal(-32600, "Method must be a string")
        }
        return ReceivedCall(method: name, params: json["params"], id: json["id"], path: path)
    }

    /// The answer's JSON.
    func envelope(_ result: Result<JSON, NodeRefusal>, id: JSON?) -> JSON {
        switch (self, result) {
        case (.core, .success(let value)):
            .record(["result": value, "error": .null, "id": id ?? .null])
        case (.core, .failure(let error)):
            .record(["result": .null, "error": error.json, "id": id ?? .null])
        case (.goloop, .success(let value)):
            .record(["jsonrpc": .string("2.0"), "result": value, "id": id ?? .null])
        case (.goloop, .failure(let error)):
            .record(["jsonrpc": .string("2.0"), "error": error.json, "id": id ?? .null])
        }
    }

    /// The HTTP status of a single answer.
    func status(_ result: Result<JSON, NodeRefusal>) -> Int {
        guard case .failure(let error) = result else { return 200 }
        if self == .goloop { return 400 }
        return switch error.code {
        case -32600: 400
        case -32601: 404
        default: 500
        }
    }
}
