package import DaybookChains
package import DaybookEncoding
package import DaybookNodes

/// Calls a node as anybody may, without the client that is tried out.
package struct NodeCalls: Sendable {
    private let client: HTTPClient

    /// Calls the node at an address.
    package init(_ target: HTTPTarget) {
        // Mining a hundred blocks takes some nodes more than the ordinary time.
        client = HTTPClient(target, limits: HTTPLimits(totalMilliseconds: 300_000))
    }

    /// The id of an ICON node's network.
    package func networkID() async throws -> UInt64 {
        let info = try await call("icx_getNetworkInfo")
        return try require(
            info["nid"]?.stringValue.flatMap(ICONInteger.parseSmall), "there is no network id")
    }

    /// The balance of an ICON address, in loop.
    package func balance(of holder: ICONAddress) async throws -> UInt256 {
        let answer = try await call(
            "icx_getBalance", .record(["address": .string(holder.text)]))
        return try require(
            answer.stringValue.flatMap(ICONInteger.parse), "there is no balance")
    }

    /// The result of a call.
    func call(_ method: String, _ parameters: JSON? = nil) async throws -> JSON {
        let request = JSON.record([
            "jsonrpc": .string("2.0"), "id": .int(1), "method": .string(method),
            "params": parameters,
        ])
        let answer = try await client.post(Bytes(request.text().utf8))
        guard let json = try? JSON.parse(answer.body) else {
            throw Broken(description: "\(method) is answered with status \(answer.status)")
        }
        if let error = json["error"], !error.isNull {
            throw CallRefused(
                method: method, code: error["code"]?.intValue ?? 0,
                message: error["message"]?.stringValue ?? "")
        }
        return try require(json["result"], "\(method) has no result")
    }

    /// The results of so many equal calls in one request; nil where the node takes no such request.
    func batch(_ method: String, count: Int) async throws -> [JSON]? {
        let calls = (1...count).map { id in
            JSON.record([
                "jsonrpc": .string("2.0"), "id": .int(id), "method": .string(method),
            ])
        }
        let answer = try await client.post(Bytes(JSON.array(calls).text().utf8))
        guard let answers = (try? JSON.parse(answer.body))?.arrayValue else { return nil }
        return answers.compactMap { $0["result"] }
    }

    func call(_ method: String, _ parameters: [JSON]) async throws -> JSON {
        try await call(method, .array(parameters))
    }
}

/// A node says no.
struct CallRefused: Error, CustomStringConvertible {
    let method: String
    let code: Int64
    let message: String

    var description: String { "\(method) is refused: \(code) \(message)" }
}
