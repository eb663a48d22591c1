import DaybookEncoding
import Foundation
import Glibc
import NodeServer

/// An answer over HTTP.
struct HTTPResult {
    var status: Int
    var body: String

    var json: JSON { (try? JSON.parse(Bytes(body.utf8), maximumDepth: 64)) ?? .null }
    var result: JSON { json["result"] ?? .null }
    var errorCode: Int64? { json["error"]?["code"]?.intValue }
}

/// There was no whole answer.
struct NoAnswer: Error {}

extension NodeServer {
    /// Asks with a body, on a connection of its own.
    func post(
        _ body: String, path: String? = nil, verb: String = "POST", login: String? = nil
    ) throws -> HTTPResult {
        let path = path ?? (chain == .icon ? "/api/v3" : "/")
        var head = "\(verb) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
        if let login {
            head += "Authorization: Basic \(Data(login.utf8).base64EncodedString())\r\n"
        }
        head += "Content-Length: \(body.utf8.count)\r\n\r\n"
        let answer = String(decoding: try exchange(Bytes((head + body).utf8)), as: UTF8.self)
        guard let end = answer.range(of: "\r\n\r\n") else { throw NoAnswer() }
        let lines = answer[..<end.lowerBound].components(separatedBy: "\r\n")
        let length = lines.first { $0.hasPrefix("Content-Length: ") }
            .flatMap { Int($0.dropFirst("Content-Length: ".count)) }
        let rest = answer[end.upperBound...]
        guard let status = lines.first?.split(separator: " ").dropFirst().first
            .flatMap({ Int($0) }), length == rest.utf8.count
        else { throw NoAnswer() }
        return HTTPResult(status: status, body: String(rest))
    }

    /// Makes a call.
    func call(_ method: String, _ params: String = "[]", path: String? = nil) throws -> HTTPResult {
        let text = #"{"jsonrpc":"2.0","id":7,"method":"\#(method)","params":\#(params)}"#
        return try post(text, path: path)
    }

    private func exchange(_ request: Bytes) throws -> Bytes {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, size) == 0
            }
        }
        guard isConnected, send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) > 0
        else { throw NoAnswer() }
        var answer = Bytes()
        var chunk = Bytes(repeating: 0, count: 1 << 16)
        while true {
            // The server says with the length where the answer ends; whole answers leave it open.
            if let end = Self.end(of: answer), answer.count >= end { return answer }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return answer }
            answer += chunk.prefix(count)
        }
    }

    /// The length of a whole answer, once its head has arrived.
    private static func end(of answer: Bytes) -> Int? {
        let text = String(decoding: answer.prefix(4096), as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n"),
            let start = text.range(of: "Content-Length: ")
        else { return nil }
        let digits = text[start.upperBound...].prefix { $0.isNumber }
        return Int(digits).map { text[..<end.upperBound].utf8.count + $0 }
    }
}
