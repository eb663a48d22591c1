import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let initialise = Command(
        "init", does: "create a store in an empty folder"
    ) { invocation in
        let path = try Home.path(invocation)
        try Store.create(at: path)
        let home = try Files.resolved(path)
        let log = try await Home.open(home).logID
        try invocation.console.result(
            .record(["log": .string(log), "home": .string(home)]),
            "made a store in \(home)\nits log is \(log)")
        return .done
    }
}

extension Command {
    static let migrate = Command(
        "migrate", does: "migrate an older store to the present layout", changes: true
    ) { invocation in
        let done = try Store.migrate(
            at: try Home.path(invocation), progress: ProgressLine.ofMigration)
        try invocation.console.result(
            .record(["from": .int(done.from), "to": .int(done.to)]),
            done.from == done.to
                ? "the store has layout \(done.to) already"
                : "the store had layout \(done.from) and has \(done.to) now")
        return .done
    }

    static let doctor = Command(
        "doctor", does: """
            check everything around the store, and say what should be fixed
            Where nodes are set, everything that is recorded is compared with them, and corrected
            as `sync --full` does; else nothing is written. `verify` reads the log itself.
            With `--rebuild` the tables derived from the log are first deleted and built again.
            """,
        options: [
            checkpointOption,
            Option("--rebuild", nil, "delete the log's derived tables and build them again"),
        ]
    ) { invocation in
        let path = try Home.path(invocation)
        return try await CrashIsolation.run { _ in
            if invocation.has("--rebuild") { try rebuild(path) }
            let note = try checkpointText(invocation)
            var findings = try Store.examine(at: path, against: note) + Desktop.findings()
            if !findings.contains(where: { $0.status == .problem }) {
                findings += try await Store.examineNodes(at: path, frontEnd: Home.frontEnd)
            }
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
        let word = ("\(status.rawValue)" as TerminalText).styled(style)
        let line: TerminalText = "\(word): \(about): \(message)"
        return advice.map { "\(line)\n    \($0)" } ?? line
    }

    private var style: TerminalText.Style {
        switch status {
        case .ok: .good
        case .warning: .waiting
        case .problem: .bad
        }
    }
}

extension Command {
    static let verify = Command(
        "verify", does: """
            read the whole store and compare everything with its events
            Nothing is written. Exit status 1 if there is a problem.
            """,
        options: [checkpointOption]
    ) { invocation in
        let path = try Home.path(invocation)
        return try await CrashIsolation.run { progress in
            let note = try checkpointText(invocation)
            defer { ProgressLine.clear() }
            let found = try Store.verify(at: path, against: note) { table, entries in
                progress(table, entries)
                ProgressLine.ofVerifying(table, entries)
            }
            ProgressLine.clear()
            try report(found, invocation)
            return found.isWhole ? .done : .refused
        } crashed: { place in
            try reportCrash(place, invocation)
            return .refused
        }
    }

    private static func report(_ found: StoreVerification, _ invocation: Invocation) throws {
        try invocation.console.result(
            found.json,
            (["\(found.events) events, root \(found.root)"]
                + (found.isWhole ? ["all is as it was written"] : found.problems.map(\.text)))
                .joined(separator: "\n"))
        if let first = found.problems.first {
            try invocation.console.note(
                "daybook: verify: \(first.message) (\(first.code.rawValue))")
        }
    }

    /// Reports that LMDB has crashed the child, which means damage, with its last progress.
    private static func reportCrash(
        _ place: CrashIsolation.LastProgress, _ invocation: Invocation
    ) throws {
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
    var text: TerminalText {
        let place = [key.map { "key \($0)" }, position.map { "event \($0)" }]
            .compactMap { $0 }.joined(separator: ", ")
        return "\(table):\(place.isEmpty ? "" : " \(place):") \(message) (\(code.rawValue))"
    }
}

extension Command {
    static let backup = Command(
        "backup", "DIR", count: 1...1, does: """
            copy the store, which may be in use, to a new folder, and verify the copy
            Nodes' passwords are not copied. Keep the copy as safe as the store.
            """, changes: true
    ) { invocation in
        let path = try Home.path(invocation)
        let target = invocation.arguments[0]
        return try await CrashIsolation.run { _ in
            defer { ProgressLine.clear() }
            ProgressLine.show("copying")
            let made = try Store.backup(of: path, to: target, progress: ProgressLine.ofVerifying)
            ProgressLine.clear()
            try invocation.console.result(
                .record([
                    "events": .int(made.events), "root": .string(made.root),
                    "path": .string(made.path),
                ]),
                "copied and verified \(made.events) events to \(made.path)\n"
                    + "root \(made.root)")
            return .done
        } crashed: { _ in
            throw CommandFailure(
                "backupNotWhole", .refused,
                "the store is damaged: reading its copy made LMDB crash; `verify` says more")
        }
    }
}
