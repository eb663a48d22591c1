import CDaybook
import DaybookEncoding
import Foundation
import Testing
import TestSupport

/// The socket of `daybook serve`.
final class SocketDoor: Door {
    let name = "socket"
    private let client: SocketClient

    init(_ server: Server) throws { client = try server.client() }

    func answer(_ request: JSON) throws -> JSON {
        try client.send(request.text())
        return try client.answer()
    }
}

/// The standard streams of a program: `daybook serve --stdio`, or a script in Python.
final class PipeDoor: Door {
    let name: String
    private let program: RunningProgram

    /// `daybook serve --stdio`.
    convenience init(_ home: String) throws {
        try self.init("pipe", [Programs.daybook, "serve", "--stdio", "--home", home])
    }

    /// The Python package: `connect` with a socket's path, or `open` with a store's.
    convenience init(python way: String, _ path: String) throws {
        let script = Repository.path("Tests/Python/method_calls.py")
        try self.init(
            "Python, \(way)", ["python3", "-B", script, way, path],
            environment: [
                "PYTHONPATH": try PythonPackage.folder.get(),
                "DAYBOOK_LIBRARY": "\(Programs.folder)/libDaybookC.so",
            ])
    }

    private init(_ name: String, _ words: [String], environment: [String: String] = [:]) throws {
        self.name = name
        program = try RunningProgram(
            words, environment: environment, hasInput: true, errors: .dropped)
    }

    /// Closes standard input, which ends the program; its status.
    func end() -> Int32 {
        program.input?.close()
        return program.end().status
    }

    func answer(_ request: JSON) throws -> JSON {
        try program.input?.write((request.text() + "\n").utf8)
        while true {
            let line = try JSON.parse(
                Array(try #require(program.output.line(), "\(name) has ended").utf8))
            if line["method"] == nil { return line }
        }
    }
}

/// The server of the page: `POST /rpc` with the key that its token was given for.
final class PageDoor: Door {
    let name = "page"
    private let host: String
    private var key = ""

    /// Opens a session at the address that the server printed.
    init(_ address: String) throws {
        let parts = address.dropFirst("http://".count).components(separatedBy: "/#")
        host = parts[0]
        let opened = try post("/session", #"{"token":"\#(parts[1])"}"#)
        key = try #require(try JSON.parse(Array(opened.utf8))["key"]?.stringValue)
    }

    func answer(_ request: JSON) throws -> JSON {
        try JSON.parse(Array(try post("/rpc", request.text()).utf8))
    }

    private func post(_ path: String, _ body: String) throws -> String {
        let port = try #require(UInt16(host.components(separatedBy: ":")[1]))
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0, "no server at \(host): \(errno)")
        let text = "POST \(path) HTTP/1.1\r\nHost: \(host)\r\nOrigin: http://\(host)\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
            + "Authorization: Bearer \(key)\r\nConnection: close\r\n\r\n\(body)"
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        try file.write(contentsOf: Data(text.utf8))
        let answer = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        let parts = answer.components(separatedBy: "\r\n\r\n")
        return parts.dropFirst().joined(separator: "\r\n\r\n")
    }
}

/// The functions of `daybook.h`; they block, so a test calls them on a thread of its own.
final class LibraryDoor: Door {
    let name = "C"
    private let store: OpaquePointer

    init(_ home: String) throws {
        var opened: OpaquePointer?
        try #require(daybook_open(home, "tests", &opened, nil) == 0)
        store = try #require(opened)
    }

    deinit { daybook_close(store) }

    func answer(_ request: JSON) throws -> JSON {
        var text: UnsafeMutablePointer<CChar>?
        daybook_call(store, request.text(), &text)
        let answer = try #require(text)
        defer { daybook_free(answer) }
        return try JSON.parse(Array(String(cString: answer).utf8))
    }
}
