import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookPage
import DaybookSystem

extension Command {
    static let serve = Command(
        "serve", does: """
            serve the store to front ends until SIGTERM, by JSON-RPC 2.0
            Front ends connect to a Unix socket, one object a line each way; with --stdio they are
            at the standard streams, and the server ends with standard input. Under systemd the
            socket is the one that it passes. When all is ready, one line says where. With --logs,
            --store names a database, and each call one of its logs. What an operator must know is
            a line on standard error.
            """,
        options: [
            Option(
                "--socket", "PATH",
                "the socket; else $XDG_RUNTIME_DIR/daybook/socket, or socket in the store"),
            Option("--stdio", nil, "serve standard input and output; no socket without --socket"),
            Option("--page", nil, "also serve the page for approving, on 127.0.0.1"),
            Option("--port", "N", "with --page: its port, if not a free one"),
            Option(
                "--checkpoint-every", "N",
                "make a checkpoint, cosigned, after N events and when it ends"),
            Option("--logs", nil, "serve all logs of the database that --store names"),
            Option("--open-logs", "N", "with --logs: how many are open at once, if not 256"),
        ] + ServerMonitoring.options, changes: true
    ) { invocation in
        if invocation.has("--logs") { return try await serveLogs(invocation) }
        guard invocation.value("--open-logs") == nil else {
            throw CommandFailure.usage("--open-logs goes with --logs")
        }
        let home = try Home.path(invocation)
        let addresses = PageAddresses()
        let monitoring = try ServerMonitoring(invocation, ofManyLogs: false)
        let front = try Front(
            opening: home, frontEnd: "daybook-serve",
            acceptsClock: invocation.has(Home.acceptsClock.name), pageAddresses: addresses,
            activity: monitoring.activity)
        let store = front.store
        let isPipe = invocation.has("--stdio")
        let events = try checkpointEvents(invocation)
        let page = try page(invocation, front)
        if let page { addresses.set { try page.newAddress() } }
        let socket = try socket(invocation, isPipe, home)
        let door = try LineDoor(front, socket: socket, pipe: isPipe ? StandardPipe() : nil)
        let metrics = try monitoring.metrics({ try? $0.add(store) }, problem: store.problem)
        try await StopSignals.cancelling {
            async let _: Void = monitoring.run()
            async let _: Void = store.followForOperator()
            async let _: Void = { if let events { await store.makeCheckpoints(every: events) } }()
            // Work that a crash interrupted is continued, without making front ends wait for nodes.
            async let resumed: Void = { try? await front.store.resume() }()
            let result = await serve(door) {
                try tell(invocation, door.path, page?.address, metrics: metrics?.address)
                monitoring.started(isReadOnly: store.isReadOnly)
            }
            await page?.stop()
            await metrics?.stop()
            await resumed
            if events != nil { await store.makeLastCheckpoint() }
            await monitoring.stopped()
            try result.get()
        }
        return .done
    }

    private static func serveLogs(_ invocation: Invocation) async throws -> ExitStatus {
        guard let address = invocation.value(Home.store.name) else {
            throw CommandFailure.usage("--logs goes with --store postgres://HOST/DATABASE")
        }
        guard !invocation.has("--checkpoint-every") else {
            throw CommandFailure.usage("--checkpoint-every is of one log, without --logs")
        }
        guard !invocation.has("--page"), invocation.value("--port") == nil else {
            throw CommandFailure.usage("the page is of one log: --page does not go with --logs")
        }
        let limits = try limits(invocation)
        let home = try Home.ofLogs(invocation)
        let monitoring = try ServerMonitoring(invocation, ofManyLogs: true)
        let logs = try OpenLogs(
            ofDatabase: address, below: home, frontEnd: "daybook-serve",
            acceptsClock: invocation.has(Home.acceptsClock.name), limits: limits,
            activity: monitoring.activity)
        try Files.createDirectories(home, mode: 0o700)
        let isPipe = invocation.has("--stdio")
        let socket = try socket(invocation, isPipe, home)
        let door = try LineDoor(
            ServedLogs(logs), files: files(of: limits), socket: socket,
            pipe: isPipe ? StandardPipe() : nil)
        let metrics = try monitoring.metrics(
            { $0.add(.openLogs, UInt64(logs.count)) },
            problem: { logs.problem(ofDatabase: address) })
        try await StopSignals.cancelling {
            async let _: Void = monitoring.run()
            let result = await serve(door) {
                try tell(invocation, door.path, nil, metrics: metrics?.address)
                monitoring.started(isReadOnly: false)
            }
            await metrics?.stop()
            await logs.stop()
            await monitoring.stopped()
            try result.get()
        }
        return .done
    }

    /// The number of events after which a checkpoint is made; nil if none is.
    private static func checkpointEvents(_ invocation: Invocation) throws -> UInt64? {
        guard let number = try invocation.number("--checkpoint-every") else { return nil }
        guard number > 0 else { throw CommandFailure.usage("--checkpoint-every takes 1 or more") }
        return number
    }

    /// How many logs are open at once, for which there must be enough files.
    private static func limits(_ invocation: Invocation) throws -> OpenLogs.Limits {
        var limits = OpenLogs.Limits()
        guard let number = try invocation.number("--open-logs") else { return limits }
        guard let count = Int(exactly: number), (1...100_000).contains(count) else {
            throw CommandFailure.usage("--open-logs takes 1 to 100000")
        }
        limits.logs = count
        guard files(of: limits) < Process.raiseFileLimit() else {
            throw CommandFailure.usage(
                "\(count) open logs need more files than this process may open (ulimit -n)")
        }
        return limits
    }

    /// An open log has the files of its derived tables and of its embedded chains.
    private static func files(of limits: OpenLogs.Limits) -> Int {
        LineDoor.filesBeside + limits.logs * 4
    }

    /// Says where the doors are; the address of the page holds its token.
    private static func tell(
        _ invocation: Invocation, _ socket: String?, _ page: String?, metrics: String?
    ) throws {
        let places = JSON.record([
            "socket": socket.map(JSON.string), "page": page.map(JSON.string),
            "metrics": metrics.map(JSON.string),
        ])
        var lines: [TerminalText] = []
        if invocation.has("--stdio") { lines.append("serving the standard streams") }
        if let socket { lines.append("serving at \(socket)") }
        if let page { lines.append("open \(page) in a browser on this machine") }
        if let metrics { lines.append("metrics at \(metrics)") }
        let text = lines.isEmpty ? "serving the passed socket" : lines.joined(separator: "\n")
        if invocation.has("--stdio") {
            try invocation.console.aside(places, text)
        } else {
            try invocation.console.result(places, text)
        }
    }

    private static func page(_ invocation: Invocation, _ front: Front) throws -> PageServer? {
        let port = try invocation.number("--port")
        guard invocation.has("--page") else {
            guard port == nil else { throw CommandFailure.usage("--port goes with --page") }
            return nil
        }
        guard let port else { return try PageServer(front) }
        guard let number = UInt16(exactly: port), number > 0 else {
            throw CommandFailure.usage("--port takes 1 to 65535")
        }
        return try PageServer(front, port: number)
    }

    private static func socket(
        _ invocation: Invocation, _ isPipe: Bool, _ home: String
    ) throws -> ListeningSocket? {
        if let path = invocation.value("--socket") {
            return try listening(at: path)
        }
        let passed = try explained { () throws(ListeningSocket.Failure) in
            try ListeningSocket.passed()
        }
        if let passed { return passed }
        return isPipe ? nil : try listening(at: try LineDoor.usualPath(home: home))
    }

    private static func listening(at path: String) throws(CommandFailure) -> ListeningSocket {
        try explained { () throws(ListeningSocket.Failure) in try ListeningSocket(at: path) }
    }

    private static func explained<Value>(
        _ body: () throws(ListeningSocket.Failure) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(ListeningSocket.Failure) {
            return try body()
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Serves until the door has stopped, and says why, so that the rest can be stopped too.
    private static func serve(
        _ door: LineDoor, ready: () throws -> Void
    ) async -> Result<Void, any Error> {
        do {
            try await run(door, ready: ready)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Serves until the door has stopped, which it does when the task is cancelled.
    private static func run(_ door: LineDoor, ready: () throws -> Void) async throws {
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
