import DaybookEncoding
import Foundation

/// A request to a real node, and its answer.
package struct RecordedExchange: Sendable {
    /// The recording's name for it.
    package var label: String
    /// The request's body: JSON, or a JSON string with the text of a malformed request.
    package var request: JSON
    /// Where it went to.
    package var path: String
    /// The HTTP status of the answer.
    package var status: Int
    /// The answer's body.
    package var body: String

    /// The exchanges of a file: a line of JSON each (Dash, Axe), or an array of them (ICON).
    package static func load(_ file: URL) throws -> [RecordedExchange] {
        let bytes = Bytes(try Data(contentsOf: file))
        if file.pathExtension == "json" {
            return (try JSON.parse(bytes).arrayValue ?? []).map { Self(icon: $0) }
        }
        return try bytes.split(separator: UInt8(ascii: "\n")).map { line in
            Self(core: try JSON.parse(Bytes(line)))
        }
    }

    private init(core record: JSON) {
        label = record["label"]?.stringValue ?? ""
        request = record["req"] ?? .null
        path = record["path"]?.stringValue ?? "/"
        status = Int(record["status"]?.intValue ?? 0)
        body = record["resp"]?.stringValue ?? ""
    }

    private init(icon record: JSON) {
        label = record["name"]?.stringValue ?? ""
        request = record["request"] ?? .null
        // The recorder asked the debug endpoint for what is only there.
        let isDebug = request["method"]?.stringValue == "debug_estimateStep"
            && !label.contains("plain endpoint")
        path = isDebug ? "/api/v3d" : "/api/v3"
        status = Int(record["status"]?.intValue ?? 0)
        let response = record["response"] ?? .null
        body = response.stringValue ?? response.text()
    }
}

/// A node that says again what another one said.
///
/// Answers go by method and params, in the order of the recording; the last is said again.
struct ReplayNode: ServedNode {
    private var answers: [String: [RecordedExchange]] = [:]

    init(_ exchanges: [RecordedExchange]) {
        for exchange in exchanges {
            answers[Self.key(exchange.request), default: []].append(exchange)
        }
    }

    mutating func answer(_ call: ReceivedCall, _ settings: NodeServer.Settings) throws -> JSON {
        let key = Self.key(call.method, call.params)
        guard let recorded = answers[key], let next = recorded.first else {
            throw NodeRefusal(-32099, "nothing was recorded for \(call.method)")
        }
        if recorded.count > 1 { answers[key]?.removeFirst() }
        let body = try JSON.parse(Bytes(next.body.utf8), maximumDepth: 64)
        if let error = body["error"], !error.isNull {
            throw NodeRefusal(
                Int(error["code"]?.intValue ?? 0), error["message"]?.stringValue ?? "",
                data: error["data"])
        }
        return body["result"] ?? .null
    }

    private static func key(_ request: JSON) -> String {
        key(request["method"]?.stringValue ?? "", request["params"])
    }

    private static func key(_ method: String, _ params: JSON?) -> String {
        let params = params ?? .null
        let isEmpty = params.isNull || params.arrayValue?.isEmpty == true
        return "\(method) \(isEmpty ? "" : params.text())"
    }
}
