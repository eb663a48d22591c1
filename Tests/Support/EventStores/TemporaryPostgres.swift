import DaybookSystem
import Foundation
import TestSupport

/// A PostgreSQL server for the tests of one process; it ends with the process.
package final class TemporaryPostgres: Sendable {
    /// The address of its database.
    package let database: String
    /// The port on 127.0.0.1 that asks for a password, and that password.
    package let guarded: (port: Int, password: String)
    private let input: Pipe

    /// The server that the tests of this process share.
    package static let shared = Result { try TemporaryPostgres() }

    private struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    private init() throws {
        let process = Foundation.Process()
        let port = try Self.freePort()
        process.executableURL = URL(filePath: Repository.path("tools/dev"))
        process.arguments = ["postgres", "--port", "\(port)"]
        let output = Pipe()
        // The server ends when this pipe does, however this process ends.
        input = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = Data()
        while true {
            let part = output.fileHandleForReading.availableData
            line += part
            if part.isEmpty || part.contains(UInt8(ascii: "\n")) { break }
        }
        let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 2 else { throw Failed(description: "no PostgreSQL: \(words)") }
        database = String(words[0])
        guarded = (port, String(words[1]))
    }

    /// A port that nobody listens on.
    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, length) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        let port = Int(UInt16(bigEndian: address.sin_port))
        guard isBound else { throw Failed(description: "there is no free port") }
        return port
    }

    /// Runs SQL in the database, and returns what it printed.
    @discardableResult
    package func run(_ sql: String) throws -> String {
        let run = try ProgramRun(["psql", "-X", "-q", "-t", "-A", database, "-c", sql])
        guard run.status == 0 else { throw Failed(description: run.output) }
        return run.output
    }

    /// Makes a database of its own, and returns its address.
    package func makeDatabase(_ name: String) throws -> String {
        try run("CREATE DATABASE \(name)")
        return database.replacingOccurrences(of: "///postgres?", with: "///\(name)?")
    }
}
