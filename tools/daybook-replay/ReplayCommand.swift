import DaybookCommands
import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay
import DaybookSystem

extension Command {
    static let replay = Command(
        "replay", "SOURCE", count: 1...1, does: """
            decide everything in the log again and compare
            SOURCE is a store's folder, or the log folder in it, which may be in use, or an
            exported file of a whole log. With --junit it is a folder: the stores, archives and
            files *.daybook and *.jsonl in it, at any depth, are the cases of a test. An earlier
            such file is replaced, nothing else.
            """,
        options: [
            Option("--session", "N", "report on session N only"),
            Option("--request", "N", "report on request N only"),
            Option("--until", "N", "stop after event N"),
            Option("--junit", "FILE", "replay all logs in a folder, with the results as JUnit XML"),
        ] + ContinuedAudit.options
    ) { invocation in
        if let file = invocation.value("--junit") { return try test(invocation, file) }
        let source = try Source(invocation.arguments[0])
        if let audit = try ContinuedAudit(invocation, .replay, source) {
            try allowWhole(invocation, "an audit that goes on is of a whole log")
            let audited = try audit.replayed()
            try audit.write(audited)
            return try report(
                audited.outcome, invocation.console, since: audit.json(audited),
                lines: audit.lines(audited))
        }
        let until = try invocation.number("--until")
        if let until { _ = try source.record(at: until) }
        let replay = try source.replayed(try scope(invocation, source), through: until)
        return try report(replay, invocation.console)
    }

    /// Throws if an option limits a replay.
    private static func allowWhole(_ invocation: Invocation, _ why: String) throws {
        for option in ["--session", "--request", "--until"] where invocation.has(option) {
            throw CommandFailure.usage("\(why): leave out \(option)")
        }
    }

    /// Replays the logs in a folder, and writes what came of each.
    private static func test(_ invocation: Invocation, _ file: String) throws -> ExitStatus {
        try allowWhole(invocation, "--junit replays whole logs")
        for option in ContinuedAudit.options where invocation.has(option.name) {
            throw CommandFailure.usage("--junit goes on from nothing: leave out \(option.name)")
        }
        try OwnFile.checkReplacing(file, beginning: RecordedLogs.beginning, "file of test results")
        let logs = try RecordedLogs(replaying: invocation.arguments[0])
        try Files.writeAtomically(file, Array(logs.xml.utf8), mode: 0o644)
        try invocation.console.result(logs.json, logs.lines.joined(separator: "\n"))
        return logs.arePassed ? .done : .refused
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

    private static func report(
        _ replay: Replay, _ console: Console, since: JSON? = nil, lines: [TerminalText] = []
    ) throws -> ExitStatus {
        let divergences = replay.divergences
        let events = replay.inputs + replay.outcomes
        let digest = Hex.encode(replay.digest)
        var text: [TerminalText] = [
            "replay: \(events) events, \(divergences.count) divergences"
        ]
        text += lines + replay.unjudged.lines + divergences.map(\.text)
        text.append("state: \(digest)")
        try console.result(
            .record([
                "events": .int(events), "inputs": .int(replay.inputs),
                "outcomes": .int(replay.outcomes),
                "divergences": .array(divergences.map(\.json)), "digest": .string(digest),
                "since": since, "notJudged": replay.unjudged.json,
            ]),
            text.joined(separator: "\n"))
        if let first = divergences.first {
            try console.note(
                "daybook-replay: replay: the log parts from what follows from it at event "
                    + "\(first.position) (divergence)")
        } else if let first = replay.unjudged.all.first {
            try console.note("daybook-replay: replay: \(first.sentence()) (engineUnknown)")
        }
        return replay.isClean ? .done : .refused
    }
}

extension UnjudgedSessions {
    /// How many sessions are listed at most.
    private static let mostListed = 100

    /// The sessions, for programs.
    var json: JSON {
        .array(
            all.map {
                .record([
                    "session": .int($0.session), "engine": .int($0.engine),
                    "events": .int($0.events), "inputs": .int($0.inputs), "last": .int($0.last),
                ])
            })
    }

    /// The sessions, for people.
    var lines: [TerminalText] {
        let listed = all.prefix(Self.mostListed).map { session -> TerminalText in
            "not judged: \(session.sentence())"
        }
        let rest = all.count - listed.count
        return rest == 0 ? listed : listed + ["not judged: \(rest) more sessions"]
    }
}

extension Divergence {
    fileprivate var json: JSON {
        .record([
            "position": .int(position), "field": .string(field),
            "recorded": .string(recorded), "produced": .string(produced),
        ])
    }

    var text: TerminalText {
        "event \(position), \(field): recorded \(recorded), produced \(produced)"
    }
}
