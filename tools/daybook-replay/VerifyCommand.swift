import DaybookCommands
import DaybookEncoding
import DaybookReplay
import DaybookTree

extension Command {
    static let verify = Command(
        "verify", "SOURCE", count: 1...1, does: """
            check every hash, signature and rule, without deciding anything again
            SOURCE is a store's folder, or the log folder in it, which may be in use, or an
            exported file of a whole log.
            """,
        options: [
            Option("--checkpoint", "F", "the log must go on from this checkpoint"),
            Option("--key", "F", "the checkpoint must be signed by the log's key in this file"),
        ]
    ) { invocation in
        let source = try Source(invocation.arguments[0])
        let checkpoint = try CheckpointFile(invocation, source.logID)
        var verifier = try LogVerifier(logID: source.logID, vouched: checkpoint?.head)
        try source.eachPage { page, isLast, tree in
            for bytes in page { verifier.feed(bytes) }
            if let tree { try verifier.compare(isWhole: isLast, with: tree) }
        }
        let result = verifier.finish()
        try report(result, checkpoint, invocation.console)
        return result.violationCount == 0 ? .done : .refused
    }

    private static func report(
        _ result: LogVerifier.Result, _ checkpoint: CheckpointFile?, _ console: Console
    ) throws {
        let root = Hex.encode(result.head.root.bytes)
        let lines = [
            "verify: \(result.head.size) events, \(result.signatures) signatures, "
                + "\(result.violationCount) violations",
            "root: \(root)",
        ]
        try console.result(
            .record([
                "events": .int(result.head.size), "root": .string(root),
                "signatures": .int(result.signatures),
                "violations": .array(result.violations.map(\.json)),
                "violationCount": .int(result.violationCount),
                "checkpoint": checkpoint?.json,
            ]),
            (lines + (checkpoint.map { [$0.words] } ?? []) + result.violations.map(\.text))
                .joined(separator: "\n"))
        if let first = result.violations.first {
            try console.note(
                "daybook-replay: verify: the log breaks a rule at event \(first.position) "
                    + "(\(first.rule.rawValue))")
        }
    }
}

extension Violation {
    fileprivate var json: JSON {
        .record([
            "position": .int(position), "rule": .string(rule.rawValue),
            "message": .string(message),
        ])
    }

    fileprivate var text: String { "event \(position), \(rule.rawValue): \(message)" }
}
