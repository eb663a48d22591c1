package import Daybook
package import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// The server of an operator's programs: `GET /metrics` and `GET /health`, until `stop`.
package final class MetricsServer: Sendable {
    /// The address of the metrics: `http://HOST:PORT/metrics`.
    package let address: String
    private let daemon: WebDaemon

    /// The answers, which anybody may have who can connect.
    package struct Answers: Sendable {
        let metrics: @Sendable () -> MetricsText
        let problem: @Sendable () -> DaybookError?

        /// `problem` is why an operator should look after the server now, and may block.
        package init(
            metrics: @escaping @Sendable () -> MetricsText,
            problem: @escaping @Sendable () -> DaybookError?
        ) {
            (self.metrics, self.problem) = (metrics, problem)
        }
    }

    /// Begins to serve at an address of this machine, `HOST:PORT`; port 0 is one that is free.
    ///
    /// - Throws: `usage` for what is no address, `portInUse` if it can't be bound.
    package init(at text: String, _ answers: Answers) throws(CommandFailure) {
        let place = try ListeningPlace(text, for: "--metrics")
        let handler = MetricsHandler(place, answers)
        guard let daemon = WebDaemon(host: place.host, port: place.port, handler: handler) else {
            throw .portInUse(text)
        }
        self.daemon = daemon
        handler.note(port: daemon.port)
        address = "http://\(place.name(port: daemon.port))/metrics"
    }

    /// Answers what is in progress for up to ten seconds, and stops; called once.
    package func stop() async { await daemon.stop() }
}

/// A host in numbers and a port, at which a server listens.
struct ListeningPlace: Sendable {
    let host: String
    let port: UInt16
    /// Whether no other machine can connect.
    let isLoopback: Bool

    /// Reads `HOST:PORT` of an option, with IPv6 in brackets; `localhost` is 127.0.0.1.
    init(_ text: String, for option: String) throws(CommandFailure) {
        let malformed = CommandFailure.usage(
            "\(option) takes HOST:PORT, where HOST is an address in numbers such as 127.0.0.1 or "
                + "[::1]")
        guard let colon = text.lastIndex(of: ":"),
            let number = OutsideNumber.parse(text[text.index(after: colon)...]),
            let port = UInt16(exactly: number)
        else { throw malformed }
        var host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        if isBracketed { host = host.dropFirst().dropLast() }
        guard isBracketed == host.contains(":") else { throw malformed }
        self.host = Text.equal(String(host), "localhost") ? "127.0.0.1" : String(host)
        self.port = port
        switch WebDaemon.reach(of: self.host) {
        case .loopback: isLoopback = true
        case .oneAddress: isLoopback = false
        case .allAddresses:
            throw .usage("\(option) takes one address of this machine, and not all of them")
        case nil: throw malformed
        }
    }

    /// The place as an address names it.
    func name(port: UInt16) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension CommandFailure {
    /// The failure if nobody can listen at an address.
    static func portInUse(_ text: String) -> CommandFailure {
        CommandFailure(
            "portInUse", .usage,
            "\(quoted(text)) can't be listened at: its port is in use, or it is no address of "
                + "this machine")
    }
}

/// Answers two paths, without a session: nothing that they say is a secret.
private final class MetricsHandler: WebHandler {
    private let place: ListeningPlace
    private let answers: MetricsServer.Answers
    private let port: Monitor<UInt16>
    private let health = HealthCheck()

    init(_ place: ListeningPlace, _ answers: MetricsServer.Answers) {
        (self.place, self.answers) = (place, answers)
        port = Monitor(place.port)
    }

    /// Names the port that was bound.
    func note(port number: UInt16) { port.change { $0 = number } }

    func isOwner(_ request: WebRequest) -> Bool { false }

    func refusal(_ request: WebRequest) -> WebAnswer? {
        let hosts = request.values("host")
        guard hosts.count == 1, isOurs(hosts[0]) else {
            return .refusal(403, "foreignHost", "the Host header is not this server's")
        }
        guard ["/metrics", "/health"].contains(where: { Text.equal($0, request.path) }) else {
            return .refusal(404, "unknownPath", "there is /metrics and /health")
        }
        guard Text.equal(request.method, "GET") else {
            var answer = WebAnswer.refusal(405, "wrongMethod", "this path takes GET")
            answer.headers.append(("Allow", "GET"))
            return answer
        }
        let hasBody = request.values("content-length").contains { $0 != "0" }
            || !request.values("transfer-encoding").isEmpty
        return hasBody ? .refusal(400, "unexpectedBody", "this path takes no body") : nil
    }

    /// A page whose name was rebound to a loopback address can't read it.
    private func isOurs(_ host: String) -> Bool {
        guard place.isLoopback else { return true }
        let port = port.change { $0 }
        return Text.equal(host, place.name(port: port)) || Text.equal(host, "localhost:\(port)")
    }

    func answer(_ request: WebRequest, body: WipedBytes) async -> WebAnswer {
        var answer = Text.equal(request.path, "/metrics") ? metrics() : await healthAnswer()
        answer.headers += [
            ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
        ]
        return answer
    }

    private func metrics() -> WebAnswer {
        WebAnswer(200, "text/plain; version=0.0.4; charset=utf-8", answers.metrics().text)
    }

    private func healthAnswer() async -> WebAnswer {
        let problem = await health.run(answers.problem)
        let json = JSON.record([
            "ok": .bool(problem == nil), "code": problem.map { .string($0) },
        ])
        return WebAnswer(problem == nil ? 200 : 503, "application/json", json.text() + "\n")
    }
}

/// Looks after the store's health on a thread of its own, because a database may keep it waiting.
private final class HealthCheck: Sendable {
    private let thread = WorkThread()
    /// Those who wait for the check that is running.
    private let waiting = Monitor<[AsyncStream<String?>.Continuation]>([])

    /// The code of a problem; `databaseTimeout` after five seconds.
    func run(_ problem: @escaping @Sendable () -> DaybookError?) async -> String? {
        let (answers, answer) = AsyncStream<String?>.makeStream()
        let isFirst = waiting.change { waiting in
            waiting.append(answer)
            return waiting.count == 1
        }
        if isFirst {
            thread.run { [waiting] in
                let code = problem()?.code.rawValue
                let all = waiting.change { waiting in
                    defer { waiting = [] }
                    return waiting
                }
                return { for answer in all { answer.yield(code) } }
            }
        }
        let limit = Task {
            try await Task.sleep(for: .seconds(5))
            answer.yield("databaseTimeout")
        }
        defer { limit.cancel() }
        for await code in answers { return code }
        return nil
    }
}
