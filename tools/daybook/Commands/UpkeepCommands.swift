import Daybook
import DaybookCommands
import DaybookEncoding

extension Command {
    static let migrate = Command(
        "migrate", does: "bring an older store to today's layout", changes: true
    ) { invocation in
        let done = try Store.migrate(at: try Home.path(invocation))
        try invocation.console.result(
            .record(["from": .int(done.from), "to": .int(done.to)]),
            done.from == done.to
                ? "the store has layout \(done.to) already"
                : "the store had layout \(done.from) and has \(done.to) now")
        return .done
    }

    static let doctor = Command(
        "doctor", does: """
            look at everything around the store, and say what should be mended
            Nothing is written and no node is asked. `verify` reads what is in the store.
            With `--rebuild` what follows from the log is deleted first and made again.
            """,
        options: [
            checkpointOption,
            Option("--rebuild", nil, "delete what is derived from the log, and build it again"),
        ]
    ) { invocation in
        let path = try Home.path(invocation)
        return try await Watched.run { _ in
            if invocation.has("--rebuild") { try rebuild(path) }
            let note = try checkpointText(invocation)
            let findings = try Store.examine(at: path, against: note)
            let isWell = !findings.contains { $0.status == .problem }
            try invocation.console.result(
                .record([
                    "ok": .bool(isWell), "findings": .array(findings.map(\.json)),
                ]), findings.map(\.text).joined(separator: "\n"))
            return isWell ? .done : .refused
        } crashed: { _ in
            throw CommandFailure(
                "storeDamaged", .store, "reading the log made LMDB crash; `verify` says more")
        }
    }

    private static func rebuild(_ path: String) throws {
        defer { ProgressLine.clear() }
        try Store.rebuildDerived(at: path, progress: ProgressLine.ofRebuild)
    }
}

extension StoreFinding {
    fileprivate var json: JSON {
        .record([
            "about": .string(about), "status": .string(status.rawValue),
            "message": .string(message), "advice": advice.map { .string($0) },
        ])
    }

    fileprivate var text: TerminalText {
        let line: TerminalText = "\(status.rawValue): \(about): \(message)"
        return advice.map { "\(line)\n    \($0)" } ?? line
    }
}
