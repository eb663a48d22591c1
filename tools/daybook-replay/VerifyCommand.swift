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
        options: [
            Option("--checkpoint", "F", "the log must agree with the checkpoints in this file"),
            Option("--key", "F", "checkpoints must be signed by a key in this file"),
            authoritiesOption,
            Option("--statement", "F", "compare a statement (json or html) with the log"),
        ] + ContinuedAudit.options
    ) { invocation in
        let source = try Source(invocation.arguments[0], allowingPart: true)
        let trusted = try TrustedNotes(invocation, source.logID)
        let statement = try invocation.value("--statement").map { try StatementCheck($0, source) }
        let audit = try ContinuedAudit(invocation, .verify, source)
        let audited = try audit?.verified(trusted)
        let result = try audited?.outcome ?? verified(source, trusted)
        if result.violations.isEmpty { try trusted.check(result.checkpoints) }
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
            return .done
        }
        try console.note(
            "daybook-replay: verify: the log breaks a rule at event \(first.position) "
                + "(\(first.rule.rawValue))")
        return .refused
    }

    private static func verified(_ source: Source, _ trusted: TrustedNotes) throws -> Verification {
        guard source.isPart else { return try source.verified(trusted) }
        var verifier = PartVerifier(
            vouched: trusted.heads, keys: trusted.keys, authorities: trusted.authorities)
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

extension Command {
    static let authoritiesOption = Option(
        "--tsa-certificates", "PEM", "time stamps must lead to a certificate in this file")
}

extension Source {
    /// Verifies a whole log, against checkpoints and keys that are trusted.
    func verified(_ trusted: TrustedNotes) throws -> Verification {
        try ScratchRows.with(forEvents: count) { rows in
            var verifier = try LogVerifier(
                logID: logID, vouched: trusted.heads, keys: trusted.keys,
                authorities: trusted.authorities, rows: rows)
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
        if !coverage.isEmpty, let line = coverage.line(of: head.size) {
            lines.append("covered: \(line)")
        }
        return lines + gaps.map { "not checked: \($0.check.rawValue): \($0.why)" }
            + violations.map(\.text)
    }
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
        guard let claim = StatementClaim(file) else {
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

/// An auditor's own checkpoints, kept earlier or received from others, and keys.
struct TrustedNotes {
    /// The tree heads of the checkpoints in `--checkpoint`.
    let heads: [TreeHead]
    /// The keys in `--key`, one per line; several if the log has changed its key.
    let keys: [NoteVerifierKey]
    /// The certificates in `--tsa-certificates`.
    let authorities: StampTrust?

    /// Throws unless the checkpoints are of the log and signed by one of the keys, if any.
    init(_ invocation: Invocation, _ logID: Bytes) throws {
        authorities = try invocation.value("--tsa-certificates").map(Self.authorities)
        do {
            let keys = try invocation.value("--key").map { try Self.keys($0) } ?? []
            let notes = try invocation.value("--checkpoint").map {
                try SignedNote.sequence(try Files.readInput($0, limit: NoteLimits.noteBytes))
            }
            heads = try (notes ?? []).map { note in
                let checkpoint = try Checkpoint(text: note.text)
                if checkpoint.origin != .ofLog(logID) { throw NoteError.otherOrigin }
                if !keys.isEmpty { _ = try note.verified(by: keys) }
                return checkpoint.head
            }
            self.keys = keys
        } catch let error as NoteError {
            throw CommandFailure("invalidCheckpoint", .refused, quoting: "\(error)")
        }
    }

    private static func authorities(_ path: String) throws -> StampTrust {
        let pem = try Files.readInput(path, limit: StampTrust.mostBytes)
        do {
            return try StampTrust(pem: pem)
        } catch {
            throw CommandFailure("invalidCertificates", .usage, quoting: "\(path): \(error)")
        }
    }

    private static func keys(_ path: String) throws -> [NoteVerifierKey] {
        let text = try Files.readInput(path, limit: NoteLimits.noteBytes)
        return try text.split(separator: 0x0a).map { line in
            guard let key = Text.utf8String(Bytes(line)) else { throw NoteError.malformedKey }
            // `daybook checkpoint` prints the key behind this word.
            let word = "key: "
            return try NoteVerifierKey(
                Text.begins(key, with: word) ? String(key.dropFirst(word.count)) : key)
        }
    }

    /// Throws if no checkpoint is signed by one of the keys.
    func check(_ found: CheckpointTally) throws {
        if keys.isEmpty || !heads.isEmpty || found.signed > 0 { return }
        if found.count == 0 {
            throw CommandFailure(
                "noCheckpoint", .refused, "there is no checkpoint that the key could have signed")
        }
        throw CommandFailure(
            "checkpointUnknownKey", .refused,
            "the key has signed none of the \(found.count) checkpoints")
    }

    /// The auditor's last checkpoint.
    var json: JSON? {
        heads.max { $0.size < $1.size }.map { head in
            .record([
                "size": .int(head.size), "root": .string(Hex.encode(head.root.bytes)),
                "signed": .bool(!keys.isEmpty),
            ])
        }
    }

    var lines: [TerminalText] {
        heads.map { head in
            "checkpoint of \(head.size) events: "
                + (keys.isEmpty
                    ? "its signature was not checked, for want of a key" : "signed by the key")
        }
    }
}
