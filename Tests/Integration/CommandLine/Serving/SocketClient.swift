import DaybookEncoding
import Foundation
import Testing
import TestSupport

/// A front end at the socket of `daybook serve`: sends lines and reads the lines that come back.
final class SocketClient {
    private let descriptor: Int32
    private var unread: [UInt8] = []
    /// Notifications to subscribers that came before an answer. The server tells each of them once.
    private var told: [JSON] = []
    private var lastID = 0

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(result == 0, "no server at \(path): \(errno)")
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws {
        try send(Array(text.utf8) + [0x0a])
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Closed() }
            rest = rest.dropFirst(count)
        }
    }

    /// The next line; nil if the server has closed the connection.
    func line() throws -> JSON? {
        while true {
            if let end = unread.firstIndex(of: 0x0a) {
                let line = Array(unread[..<end])
                unread.removeSubrange(...end)
                return try JSON.parse(line)
            }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return nil }
            unread += buffer[..<count]
        }
    }

    /// Sends a request without waiting for its answer; returns its id.
    @discardableResult
    func begin(_ method: String, _ params: KeyValuePairs<String, JSON?> = [:]) throws -> Int {
        lastID += 1
        try send(
            JSON.record([
                "jsonrpc": .string("2.0"), "id": .int(lastID), "method": .string(method),
                "params": .record(params),
            ]).text())
        return lastID
    }

    /// The next answer. Notifications before it are kept, those of a call's progress excepted.
    func answer() throws -> JSON {
        while let line = try line() {
            guard let method = line["method"] else { return line }
            if method != .string("progress") { told.append(line) }
        }
        throw Closed()
    }

    /// The next notification of a kind; others and answers before it are passed over.
    func notification(_ method: String) throws -> JSON {
        while let line = try told.isEmpty ? line() : told.removeFirst() {
            if line["method"]?.stringValue == method { return line["params"] ?? .null }
        }
        throw Closed()
    }

    /// Calls a method and returns its answer.
    func call(_ method: String, _ params: KeyValuePairs<String, JSON?> = [:]) throws -> JSON {
        try begin(method, params)
        return try answer()
    }

    /// Calls a method that must succeed, and returns its result.
    func result(
        _ method: String, _ params: KeyValuePairs<String, JSON?> = [:],
        at place: SourceLocation = #_sourceLocation
    ) throws -> JSON {
        let answer = try call(method, params)
        return try #require(
            answer["result"], "\(method): \(answer.text())", sourceLocation: place)
    }

    struct Closed: Error {}
}

/// `daybook serve` at a socket of its own.
final class Server {
    let path: String
    let program: RunningProgram

    /// A server of a scene's store.
    convenience init(_ scene: Scene, _ words: String..., socket: String = "socket") throws {
        try self.init(words, at: scene.path(socket), environment: ["DAYBOOK_HOME": scene.home])
    }

    init(_ words: [String], at path: String, environment: [String: String] = [:]) throws {
        self.path = path
        program = try RunningProgram(
            [Programs.daybook, "serve", "--json", "--socket", path] + words,
            environment: environment)
        // The line comes when the socket can be connected to.
        let ready = try program.object()
        #expect(ready["socket"] == .string(path))
    }

    func client() throws -> SocketClient { try SocketClient(path) }
}
