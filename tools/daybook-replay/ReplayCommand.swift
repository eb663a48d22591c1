import DaybookCommands
import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay

extension Command {
    static let replay = Command(
        "replay", "SOURCE", count: 1...1, does: """
            decide everything in the log again and compare
            SOURCE is a store's folder, or the log folder in it, which may be in use, or an
            exported file of a whole log.
            """,
        options: [
            Option("--session", "N", "report on session N only"),
            Option("--request", "N", "report on request N only"),
            Option("--until", "N", "stop after event N"),
        ]
    ) { invocation in
        let source = try Source(invocation.arguments[0])
        let until = try invocation.number("--until")
        if let until { _ = try source.record(at: until) }
        let replay = try source.replayed(try scope(invocation, source), through: until)
        try report(replay, invocation.console)
        return replay.divergences.isEmpty ? .done : .refused
    }

    /// A session is named by its `session.started`, a request by its `request.received`.
    private static func scope(
        _ invocation: Invocation, _ source: Source
    ) throws -> Replayer.Scope {
        let session = try invocation.number("--session")
        let request = try invocation.number("--request")
        switch (session, request) {
        case (nil, nil): return .all
        case (let id?, nil):
            guard try source.record(at: id).session == id else {
                throw CommandFailure(
                    "unknownSession", .refused, "no session begins at event \(id)")
            }
            return .session(SessionID(id))
        case (nil, let id?):
            guard try source.record(at: id).request == id else {
                throw CommandFailure(
                    "unknownRequest", .refused, "no request begins at event \(id)")
            }
            return .request(RequestID(id))
        default: throw CommandFailure.usage("either --session or --request")
        }
    }

    private static func report(_ replay: Replay, _ console: Console) throws {
        let divergences = replay.divergences
        let events = replay.inputs + replay.outcomes
        let digest = Hex.encode(replay.digest)
        try console.result(
            .record([
                "events": .int(events), "inputs": .int(replay.inputs),
                "outcomes": .int(replay.outcomes),
                "divergences": .array(divergences.map(\.json)), "digest": .string(digest),
            ]),
            (["replay: \(events) events, \(divergences.count) divergences"]
                + divergences.map(\.text) + ["state: \(digest)"]).joined(separator: "\n"))
        if let first = divergences.first {
            try console.note(
                "daybook-replay: replay: the log parts from what follows from it at event "
                    + "\(first.position) (divergence)")
        }
    }
}

extension Divergence {
    fileprivate var json: JSON {
        .record([
            "position": .int(position), "field": .string(field),
            "recorded": .string(recorded), "produced": .string(produced),
        ])
    }

    fileprivate var text: TerminalText {
        "event \(position), \(field): recorded \(recorded), produced \(produced)"
    }
}
