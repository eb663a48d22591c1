import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let serve = Command(
        "serve", does: """
            serve the store to front ends until SIGTERM, by JSON-RPC 2.0
            Front ends connect to a Unix socket, one object a line each way; with --stdio they are
            at the standard streams, and the server ends with standard input. Under systemd the
            socket is the one that it passes. When all is ready, one line says where.
            """,
        options: [
            Option(
                "--socket", "PATH",
                "the socket; else $XDG_RUNTIME_DIR/daybook/socket, or socket in the store"),
            Option("--stdio", nil, "serve standard input and output; no socket without --socket"),
        ], changes: true
    ) { invocation in
        let home = try Home.path(invocation)
        let front = try Front(
            opening: home, frontEnd: "daybook-serve",
            acceptsClock: invocation.has(Home.acceptsClock.name))
        let isPipe = invocation.has("--stdio")
        let socket = try socket(invocation, isPipe, home)
        let door = try LineDoor(front, socket: socket, pipe: isPipe ? StandardPipe() : nil)
        try await StopSignals.cancelling {
            // What a crash interrupted is continued, without making front ends wait for nodes.
            async let resumed: Void = { try? await front.store.resume() }()
            try await serve(door) {
                let place = JSON.record(["socket": door.path.map(JSON.string)])
                if isPipe {
                    try invocation.console.aside(place, "serving the standard streams")
                } else {
                    try invocation.console.result(place, "serving at \(door.path ?? "the socket")")
                }
            }
            await resumed
        }
        return .done
    }

    private static func socket(
        _ invocation: Invocation, _ isPipe: Bool, _ home: String
    ) throws -> ListeningSocket? {
        if let path = invocation.value("--socket") {
            return try listening(at: path)
        }
        if let passed = try ListeningSocket.passed() { return passed }
        return isPipe ? nil : try listening(at: try LineDoor.usualPath(home: home))
    }

    private static func listening(at path: String) throws(CommandFailure) -> ListeningSocket {
        do throws(ListeningSocket.Failure) {
            return try ListeningSocket(at: path)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Serves until the door has stopped, which it does when the task is cancelled.
    private static func serve(_ door: LineDoor, ready: () throws -> Void) async throws {
        let (ends, end) = AsyncStream<SystemError?>.makeStream()
        door.start { failure in
            end.yield(failure)
            end.finish()
        }
        try ready()
        try await withTaskCancellationHandler {
            // A stream ends when its task is cancelled; the server answers what is in progress.
            let waiting = Task { () -> SystemError? in
                for await failure in ends { return failure }
                return nil
            }
            if let failure = await waiting.value { throw failure }
        } onCancel: {
            door.stop()
        }
    }
}
