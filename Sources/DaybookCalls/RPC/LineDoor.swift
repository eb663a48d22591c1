import Daybook
import DaybookCommands
package import DaybookSystem

/// The doors that exchange JSON-RPC texts by lines: a Unix socket, and the standard streams.
package final class LineDoor: Sendable {
    private let server: LineServer
    /// The path of the socket; nil if there is none, or if the service manager passed it.
    package let path: String?
    private let thread = WorkThread()

    /// The files of one store, its nodes and their answers.
    package static let filesBeside = 128

    /// Opens the doors of stores; they are served from `start` on.
    ///
    /// `files` is the number of files that the stores have open at most.
    package init(
        _ served: any ServedStores, files: Int = LineDoor.filesBeside,
        socket: ListeningSocket?, pipe: StandardPipe? = nil
    ) throws(SystemError) {
        path = socket?.path
        var limits = LineLimits()
        limits.clients = min(limits.clients, max(1, Process.raiseFileLimit() - files))
        server = try LineServer(on: socket, pipe: pipe, limits: limits) { client in
            ConnectedFront(served, client)
        }
    }

    /// Serves on a thread of its own, and calls `ended` when the server has stopped.
    package func start(_ ended: @escaping @Sendable (SystemError?) -> Void) {
        let server = server
        thread.run {
            var failure: SystemError?
            do throws(SystemError) {
                try server.run()
            } catch {
                failure = error
            }
            let found = failure
            return { ended(found) }
        }
    }

    /// Answers what is in progress, and stops.
    package func stop() { server.stop() }

    /// The socket's usual path: `$XDG_RUNTIME_DIR/daybook/socket`, or one in the store's folder.
    package static func usualPath(home: String) throws(SystemError) -> String {
        guard let folder = UserFolder.runtime.path else { return home + "/socket" }
        try Files.createDirectories(folder + "/daybook", mode: 0o700)
        return folder + "/daybook/socket"
    }
}

/// A client's connection: each line is a request, answered in a task of its own.
private final class ConnectedFront: LineHandler {
    private let connection: RPCConnection
    private let client: LineClient

    init(_ served: any ServedStores, _ client: LineClient) {
        self.client = client
        connection = RPCConnection(served) { outgoing in
            switch outgoing {
            case .needed(let line): client.send(line)
            case .droppable(let line): client.send(line, droppable: true)
            }
        }
    }

    func received(_ line: WipedBytes) {
        Task {
            await connection.answer(line)
            client.finished()
        }
    }

    func receivedLongLine() { connection.refuseLongLine() }

    func closed() { connection.close() }
}

extension CommandFailure {
    /// Converts the failure to open a socket.
    package init(_ failure: ListeningSocket.Failure) {
        switch failure {
        case .inUse(let path):
            self.init("socketInUse", .usage, quoting: "another server answers at \(path)")
        case .notASocket(let path):
            self.init("fileExists", .usage, quoting: "\(path) is there, and is no socket")
        case .tooLong(let path):
            self.init(
                "socketPathTooLong", .usage,
                quoting: "the socket's path has \(path.utf8.count) bytes, and the system has room "
                    + "for \(ListeningSocket.longestPath): name a shorter one with --socket "
                    + "(\(path))")
        case .passedOthers(let count):
            self.init(
                "socketsPassed", .usage,
                "the service manager passed \(count) sockets, and `serve` takes one: leave one "
                    + "ListenStream= in the unit of the socket")
        case .passedNoSocket:
            self.init(
                "socketsPassed", .usage,
                "what the service manager passed is no Unix socket that listens: ListenStream= of "
                    + "the unit names a path")
        case .system(let error):
            self.init(error.code.reason ?? "systemError", .store, quoting: error.description)
        }
    }
}
