import DaybookEncoding
import Foundation
import Testing

/// A TCP connection to the page's server, on which a test writes what it likes.
final class RawClient {
    private let descriptor: Int32

    /// Connects to a port; a small buffer makes the server wait for what the test has not read.
    init(_ port: UInt16, bufferBytes: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = bufferBytes {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0, "no server at \(port): \(errno)")
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes {
            Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Whether the server has neither closed the connection nor sent something.
    var isOpen: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) < 0
            && errno == EAGAIN
    }

    /// Reads a few bytes, as soon as there are any.
    func read(atMost count: Int) -> String {
        var buffer = [UInt8](repeating: 0, count: count)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
    }

    /// Reads until the text contains a mark or the server has closed the connection.
    func read(until mark: String? = nil) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let text = String(decoding: bytes, as: UTF8.self)
            if let mark, text.contains(mark) { return text }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return text }
            bytes += buffer[..<count]
        }
    }
}

/// A response, taken apart.
struct RawAnswer {
    let status: Int
    let head: String
    let body: String

    init(_ text: String) {
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1)
        head = parts.first.map(String.init) ?? ""
        body = parts.count > 1 ? String(parts[1]) : ""
        let words = head.split(separator: " ")
        status = words.count > 1 ? Int(words[1]) ?? 0 : 0
    }

    /// The value of a header; nil without it.
    func header(_ name: String) -> String? {
        let lines = head.components(separatedBy: "\r\n")
        let line = lines.first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
        return line.map { String($0.dropFirst(name.count + 2)) }
    }
}

extension PageScene {
    /// Sends a request on a connection of its own, and reads the whole answer.
    func raw(
        _ method: String, _ path: String, _ headers: [String] = [], body: String? = nil,
        host: String? = nil
    ) throws -> RawAnswer {
        let client = try RawClient(port)
        var lines = ["\(method) \(path) HTTP/1.1", "Host: \(host ?? self.host)"] + headers
        lines.append("Connection: close")
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
        return RawAnswer(client.read())
    }

    var own: [String] { ["Origin: \(origin)", "Content-Type: application/json"] }

    /// Sends the token, and returns the header with the session's key.
    func session() throws -> String {
        let answer = try raw("POST", "/session", own, body: #"{"token":"\#(token)"}"#)
        let key = try JSON.parse(Array(answer.body.utf8))["key"]?.stringValue
        return "Authorization: Bearer \(try #require(key))"
    }
}
