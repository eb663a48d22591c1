import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let verify = Command(
        "verify", does: """
            read the whole store again and compare everything with its events
            Nothing is written. Exit status 1 if anything is not as it was written.
            """,
        options: [checkpointOption]
    ) { invocation in
        let path = try Home.path(invocation)
        return try await Watched.run { progress in
            let note = try checkpointText(invocation)
            let found = try Store.verify(at: path, against: note, progress: progress)
            try report(found, invocation)
            return found.isWhole ? .done : .refused
        } crashed: { place in
            try reportCrash(place, invocation)
            return .refused
        }
    }

    private static func report(_ found: StoreVerification, _ invocation: Invocation) throws {
        try invocation.console.result(
            .record([
                "events": .int(found.events), "root": .string(found.root),
                "ok": .bool(found.isWhole), "first": found.problems.first?.json,
                "problems": .array(found.problems.map(\.json)),
            ]),
            (["\(found.events) events, root \(found.root)"]
                + (found.isWhole ? ["all is as it was written"] : found.problems.map(\.text)))
                .joined(separator: "\n"))
        if let first = found.problems.first {
            try invocation.console.note(
                "daybook: verify: \(first.message) (\(first.code))")
        }
    }

    /// LMDB ended the child: that is damage too, and the child has said where it was.
    private static func reportCrash(_ place: Watched.Place, _ invocation: Invocation) throws {
        let message = "reading \(place.text) made LMDB crash"
        let problem = JSON.record([
            "code": .string("crashed"), "table": .string(place.table),
            "message": .string(message), "entries": .int(place.entries),
        ])
        try invocation.console.result(
            .record([
                "events": .int(0), "root": .string(""), "ok": .bool(false), "first": problem,
                "problems": .array([problem]),
            ]), "the store is damaged: \(message)")
        try invocation.console.note("daybook: verify: \(message) (crashed)")
    }
}

extension StoreProblem {
    var json: JSON {
        .record([
            "code": .string(code), "table": .string(table), "key": key.map { .string($0) },
            "position": position.map { .int($0) }, "message": .string(message),
        ])
    }

    var text: TerminalText {
        let place = [key.map { "key \($0)" }, position.map { "event \($0)" }]
            .compactMap { $0 }.joined(separator: ", ")
        return "\(table):\(place.isEmpty ? "" : " \(place):") \(message) (\(code))"
    }
}
