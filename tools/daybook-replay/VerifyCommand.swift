import DaybookCommands
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

extension Command {
    static let verify = Command(
        "verify", "SOURCE", count: 1...1, does: """
            check every hash, signature and rule, without deciding anything again
            SOURCE is a store's folder, or the log folder in it, which may be in use, or an
            exported file. Of a part of a log it says what could not be checked.
            """,
        options: TrustedNotes.options + [
            Option("--statement", "F", "compare a statement (json or html) with the log"),
        ] + ContinuedAudit.options
    ) { invocation in
        let source = try Source(invocation.arguments[0], allowingPart: true)
        let trusted = try TrustedNotes(invocation, source.logID)
        let statement = try invocation.value("--statement").map { try StatementCheck($0, source) }
        let audit = try ContinuedAudit(invocation, .verify, source)
        let audited = try audit?.verified(trusted)
        let result = try audited?.outcome ?? verified(source, trusted)
        if result.violations.isEmpty { try trusted.check(result) }
        if let audit, let audited { try audit.write(audited, trusted) }
        let console = invocation.console
        let since = audited.map { audited in (audit?.json(audited), audit?.lines(audited) ?? []) }
        try console.result(
            result.json(trusted, statement?.json, since?.0),
            (result.lines + (since?.1 ?? []) + trusted.lines + (statement?.lines ?? []))
                .joined(separator: "\n"))
        guard let first = result.violations.first else {
            if let difference = statement?.differences.first {
                throw CommandFailure("statementDiffers", .refused, quoting: difference)
            }
            guard let unjudged = result.unjudged.all.first else { return .done }
            try console.note("daybook-replay: verify: \(unjudged.sentence()) (engineUnknown)")
            return .refused
        }
        try console.note(
            "daybook-replay: verify: the log breaks a rule at event \(first.position) "
                + "(\(first.rule.rawValue))")
        return .refused
    }

    private static func verified(_ source: Source, _ trusted: TrustedNotes) throws -> Verification {
        guard source.isPart else { return try source.verified(trusted) }
        var verifier = PartVerifier(trusting: trusted.trust)
        let isRange = try source.feed(&verifier)
        if let head = verifier.uncompared.first {
            throw CommandFailure(
                "checkpointNotCovered", .refused,
                "the checkpoint of \(head.size) events ends within what the export leaves out, "
                    + "so nothing shows whether they agree")
        }
        return verifier.finish(isRange: isRange)
    }
}

extension Source {
    /// Verifies a whole log, against checkpoints and keys that are trusted.
    func verified(_ trusted: TrustedNotes) throws -> Verification {
        try ScratchRows.with(forEvents: count) { rows in
            var verifier = try LogVerifier(logID: logID, trusting: trusted.trust, rows: rows)
            try feed(&verifier)
            return verifier.finish()
        }
    }
}

extension Verification {
    fileprivate func json(_ trusted: TrustedNotes, _ statement: JSON?, _ since: JSON?) -> JSON {
        .record([
            "events": .int(events), "root": .string(Hex.encode(head.root.bytes)),
            "signatures": .int(signatures), "violations": .array(violations.map(\.json)),
            "violationCount": .int(violationCount), "size": .int(head.size),
            "checkpoints": .record([
                "count": .int(checkpoints.count), "signed": .int(checkpoints.signed),
                "signedSize": .int(checkpoints.signedSize),
            ]),
            "stamps": .record(["count": .int(stamps.count), "verified": .int(stamps.verified)]),
            "coverage": coverage.json(of: head.size),
            "checkpoint": trusted.json, "statement": statement, "since": since,
            "notJudged": unjudged.json,
            "notChecked": .array(
                gaps.map {
                    .record(["check": .string($0.check.rawValue), "why": .string($0.why)])
                }),
        ])
    }

    fileprivate var lines: [TerminalText] {
        let found = "\(signatures) signatures, \(violationCount) violations"
        let part = "\(events) of the log's \(head.size) events"
        var lines: [TerminalText] = [
            "verify: \(events == head.size ? "\(events) events" : part), \(found)",
            "root: \(Hex.encode(head.root.bytes))",
        ]
        if checkpoints.signed > 0 {
            lines.append(
                "checkpoints: \(checkpoints.signed) of \(checkpoints.count) signed by the key, "
                    + "the last over \(checkpoints.signedSize) events")
        } else if checkpoints.count > 0 {
            lines.append("checkpoints: \(checkpoints.count)")
        }
        if stamps.verified > 0 {
            lines.append("time stamps: \(stamps.verified) of \(stamps.count) verified")
        }
        lines += coverageLine.map { ["\($0)"] } ?? []
        return lines + gaps.map { "not checked: \($0.check.rawValue): \($0.why)" }
            + violations.map(\.text)
    }
}

extension Verification {
    /// The covered positions in one line; nil where nobody covers any.
    var coverageLine: String? { coverage.isEmpty ? nil : coverage.line(of: head.size) }
}

extension Violation {
    fileprivate var json: JSON {
        .record([
            "position": .int(position), "rule": .string(rule.rawValue),
            "message": .string(message),
        ])
    }

    fileprivate var text: TerminalText { "event \(position), \(rule.rawValue): \(message)" }
}

/// A statement that somebody handed over, compared with the log.
struct StatementCheck {
    private let claim: StatementClaim
    /// The differences, in sentences; none if all of it follows from the log.
    let differences: [String]

    init(_ path: String, _ source: Source) throws {
        let file = try Files.readInput(path, limit: StatementClaim.mostBytes)
        guard let claim = try StatementClaim(file) else {
            throw CommandFailure(
                "notAStatement", .refused,
                "\(path) has no statement: take what `daybook statement --format json` or html "
                    + "gave")
        }
        self.claim = claim
        if source.isPart {
            throw CommandFailure(
                "partialExport", .refused, "balances do not follow from a part of a log")
        }
        let log = Hex.encode(source.logID)
        if claim.log != source.logID {
            differences = ["the statement is of the log \(Hex.encode(claim.log)), not of \(log)"]
        } else if claim.head.size > source.count {
            differences = [
                "the statement follows from \(claim.head.size) events, and the log has only "
                    + "\(source.count)"
            ]
        } else {
            differences = try source.beginning(claim.head.size) { state, head in
                claim.differences(from: state, head)
            }
        }
    }

    var json: JSON {
        .record([
            "ok": .bool(differences.isEmpty), "events": .int(claim.head.size),
            "differences": .array(differences.map(JSON.string)),
        ])
    }

    var lines: [TerminalText] {
        let all: TerminalText = "statement: every figure follows from the log's first "
            + "\(claim.head.size) events"
        return differences.isEmpty ? [all] : differences.map { "statement: \($0)" }
    }
}
