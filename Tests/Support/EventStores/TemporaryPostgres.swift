import Foundation
import TestSupport

/// A PostgreSQL server for tests; it ends when nothing refers to it, or with the process.
package final class TemporaryPostgres: Sendable {
    /// The address of its database.
    package let database: String
    /// The folder of its socket and its data.
    package var folder: String {
        String(database.drop { $0 != "=" }.dropFirst().prefix { $0 != "&" })
    }
    /// The port on 127.0.0.1 that asks for a password, and that password.
    package let guarded: (port: Int, password: String)
    /// The address of its database through a pooler, with the option `--pooler`.
    package let pooled: String
    private let server: DevServer

    /// The server that the tests of this process share.
    package static let shared = Result { try TemporaryPostgres() }

    /// Starts a server of a test's own, with options of `tools/dev postgres`.
    package init(_ options: String...) throws {
        let port = try Self.freePort()
        server = try DevServer(["postgres"] + (options.isEmpty ? ["--port", "\(port)"] : options))
        let words = server.words
        guard let address = words.first else {
            throw DevServer.Failed(description: "no PostgreSQL")
        }
        database = address
        pooled = words.last ?? ""
        guarded = (port, words.count > 1 ? words[1] : "")
    }

    /// Makes the server a standby, which only lets its clients read.
    package func becomeStandby() throws {
        guard try server.tell("standby") == "standby" else {
            throw DevServer.Failed(description: "the server is no standby")
        }
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
        guard isBound else { throw DevServer.Failed(description: "there is no free port") }
        return port
    }

    /// Runs SQL in a database, and returns what it printed.
    @discardableResult
    package func run(_ sql: String, in name: String = "postgres") throws -> String {
        let run = try ProgramRun(["psql", "-X", "-q", "-t", "-A", address(of: name), "-c", sql])
        guard run.status == 0 else { throw DevServer.Failed(description: run.output) }
        return run.output
    }

    /// A way to the server that a test can cut; `folder` is where its socket is.
    package func link(in folder: String) throws -> PostgresLink {
        try PostgresLink(to: self, in: folder)
    }

    /// Makes a database of its own, and returns its address.
    package func makeDatabase(_ name: String, options: String = "") throws -> String {
        try run("CREATE DATABASE \(name) \(options)")
        return address(of: name)
    }

    /// The address of a database, for a user.
    package func address(of name: String, user: String = "daybook") -> String {
        database.replacingOccurrences(of: "///postgres?", with: "///\(name)?")
            .replacingOccurrences(of: "user=daybook", with: "user=\(user)")
    }

    /// Lets the server write down each statement that is run in a database from now on.
    ///
    /// No two databases may have it: the server's file does not tell them apart.
    package func noteStatements(in name: String) throws {
        try run("ALTER DATABASE \(name) SET log_statement = 'all'")
    }

    /// The names of the statements that were written down, in order; the text of those without one.
    package func notedStatements() throws -> [String] {
        let folder = database.split(separator: "host=")[1].prefix { $0 != "&" }
        let log = try String(contentsOf: URL(filePath: "\(folder)/log"), encoding: .utf8)
        return log.matches(of: /LOG:  (?:execute ([a-z_]+)_[0-9]+: |statement: (.*))/).map {
            String($0.output.1 ?? $0.output.2 ?? "")
        }
    }
}

/// A way to a server that a test can cut: a socket of another name.
package final class PostgresLink: Sendable {
    /// The address of the server's database, by this way.
    package let database: String
    private let server: TemporaryPostgres
    private let name: String
    private let (socket, link): (String, String)

    fileprivate init(to server: TemporaryPostgres, in folder: String) throws {
        self.server = server
        name = "link-" + UUID().uuidString.prefix(8)
        let folder = folder + "/" + name
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let options = server.database.components(separatedBy: "?")[1].components(separatedBy: "&")
        let host = options.first { $0.hasPrefix("host=") }?.dropFirst("host=".count) ?? ""
        let names = try FileManager.default.contentsOfDirectory(atPath: String(host))
        let own = names.first { $0.hasPrefix(".s.PGSQL.") && !$0.hasSuffix(".lock") }
        guard let own else { throw CocoaError(.fileNoSuchFile) }
        socket = "\(host)/\(own)"
        link = "\(folder)/\(own)"
        database = server.database.replacingOccurrences(of: "host=\(host)", with: "host=\(folder)")
            + "&application_name=\(name)"
        try restore()
    }

    /// Ends all connections, and lets nobody make another one.
    package func cut() throws {
        try FileManager.default.removeItem(atPath: link)
        try server.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                + "WHERE application_name = '\(name)'")
    }

    /// Lets connections be made again.
    package func restore() throws {
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: socket)
    }

    /// The number of connections.
    package func connections() throws -> Int? {
        Int(
            try server.run(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(name)'"
            ).trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
