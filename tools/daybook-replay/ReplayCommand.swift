import DaybookCommands
import DaybookDomain
import DaybookEncoding
import DaybookHistory
import DaybookLinks
import DaybookLog
import DaybookProjections
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
        let decider = Decider(links: Links.all, read: { Links.read($0) })
        let rows = try ScratchRows.orMemory(forEvents: source.count)
        var replayer = Replayer(
            scope: try scope(invocation, source), rows: rows, decide: { decider.decide($0, $1) })
        try source.each(through: until) { try replayer.feed($0) }
        replayer.finish(isWhole: until.map { $0 + 1 == source.count } ?? true)
        try ScratchRows.check(rows)
        try report(replayer, invocation.console)
        return replayer.divergences.isEmpty ? .done : .refused
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
            return .session(id)
        case (nil, let id?):
            guard try source.record(at: id).request == id else {
                throw CommandFailure(
                    "unknownRequest", .refused, "no request begins at event \(id)")
            }
            return .request(id)
        default: throw CommandFailure.usage("either --session or --request")
        }
    }

    private static func report(_ replayer: Replayer, _ console: Console) throws {
        let divergences = replayer.divergences
        let events = replayer.inputs + replayer.outcomes
        let digest = Hex.encode(StateDigest.of(replayer.state))
        try console.result(
            .record([
                "events": .int(events), "inputs": .int(replayer.inputs),
                "outcomes": .int(replayer.outcomes),
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

    fileprivate var text: String {
        "event \(position), \(field): recorded \(recorded), produced \(produced)"
    }
}
