import DaybookCommands
import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay
import DaybookSystem

extension Command {
    static let report = Command(
        "report", "SOURCE", count: 1...1, does: """
            the log as one page for a browser or paper
            The page needs no network. It has totals, searches and filters requests, movements and
            events, and proves each event. The whole log is checked; a time or a wallet limits
            only what is listed. T is 2026-01-31 or 2026-01-31T12:00:00Z, in UTC. The page holds
            addresses and amounts: it is readable by its owner only. An earlier page at FILE is
            replaced, nothing else.
            """,
        options: [
            Option("--out", "FILE.html", "the file to write the page to"),
            Option("--from", "T", "list what happened from this time on"),
            Option("--to", "T", "list what happened before this time"),
            Option("--wallet", "W", "list one wallet, by its number or label"),
        ] + TrustedNotes.options + [
            Option("--no-events", nil, "leave out the list of events and their proofs")
        ]
    ) { invocation in
        guard let path = invocation.value("--out") else {
            throw CommandFailure.usage("where does the page go? --out FILE.html")
        }
        let scope = try period(invocation)
        try OwnFile.checkReplacing(path, beginning: Report.beginning, "page")
        let source = try Source(invocation.arguments[0])
        let findings = try findings(source, try TrustedNotes(invocation, source.logID))
        return try ScratchRows.withState(forEvents: source.count) { state in
            var indexer = ReportIndexer(logID: source.logID, scope: scope, into: state)
            try source.each { indexer.feed($0) }
            let index = try indexer.finish { state in
                try invocation.value("--wallet").map { try walletID($0, in: state) }
            }
            let file = try NewFile(path, mode: 0o600)
            var length = 0
            try ScratchRows.withState(forEvents: source.count) { state in
                try Report(index, findings).write(
                    to: { page in
                        try file.write(page)
                        length += page.count
                    }, reading: { try source.each($0) }, into: state)
            }
            // Something else may have come to lie there meanwhile.
            try OwnFile.checkReplacing(path, beginning: Report.beginning, "page")
            try file.complete(replacing: true)
            try say(index, findings, bytes: length, in: path, invocation.console)
            return findings.faults.isEmpty ? .done : .refused
        }
    }

    /// The period that the options name.
    private static func period(_ invocation: Invocation) throws -> ReportScope {
        func time(_ option: String) throws -> UInt64? {
            try invocation.value(option).map { try CommandFailure.time($0, for: option) }
        }
        var scope = ReportScope()
        scope.from = try time("--from")
        scope.to = try time("--to")
        scope.showsEvents = !invocation.has("--no-events")
        if let from = scope.from, let to = scope.to, to <= from {
            throw CommandFailure.usage("the period ends before it begins: --to comes after --from")
        }
        return scope
    }

    /// The wallet with a number or a label.
    private static func walletID(_ name: String, in state: State) throws -> WalletID {
        let wallets = state.wallets.rows()
        let numbered = OutsideNumber.parse(name).map { WalletID($0) }
        let found = wallets.filter {
            $0.key == numbered || $0.row.wallet.label.map { Text.equal($0, name) } ?? false
        }
        guard let wallet = found.first, found.count == 1 else {
            throw CommandFailure(
                "unknownWallet", .refused,
                found.isEmpty
                    ? "the log has no wallet \(CommandFailure.quoted(name))"
                    : "several wallets are called \(CommandFailure.quoted(name))")
        }
        return wallet.key
    }

    /// Checks the log as `verify` and `replay` do.
    private static func findings(
        _ source: Source, _ trusted: TrustedNotes
    ) throws -> ReportFindings {
        let audit = try source.verified(trusted)
        if audit.violations.isEmpty { try trusted.check(audit) }
        let replay = try source.replayed()
        return ReportFindings(
            faults(audit) + faults(replay), checked: checks(audit, trusted),
            unchecked: gaps(audit, trusted), unjudged: replay.unjudged)
    }

    /// The checks that were done, as the report lists them.
    private static func checks(_ audit: Verification, _ trusted: TrustedNotes) -> [String] {
        var checks = [
            "All \(audit.events) events could be read, belong to this log and stand at their "
                + "places; the tree, if the log keeps one, is that of its events.",
            "Each of the \(audit.signatures) signatures of transactions was verified.",
            "The rules of every honest log: what was sent is what was approved, requests end once "
                + "and are answered once, nothing happens outside of sessions or against time, "
                + "balances add up.",
            "Everything\(audit.unjudged.isEmpty ? "" : " but what is listed below") was decided "
                + "again from the recorded inputs alone, and each outcome compared with the "
                + "recorded bytes.",
        ]
        if audit.checkpoints.signed > 0 {
            checks.append(
                "\(audit.checkpoints.signed) of \(audit.checkpoints.count) checkpoints are signed "
                    + "by the key, the last over \(audit.checkpoints.signedSize) events.")
        }
        if audit.stamps.verified > 0 {
            checks.append(
                "\(audit.stamps.verified) of \(audit.stamps.count) time stamps lead to a given "
                    + "certificate.")
        }
        for vouched in trusted.heads {
            let isSigned = !(trusted.keys.isEmpty && trusted.witnesses.isEmpty)
            let signer = vouched.claims.first?.by.name ?? "the key"
            checks.append(
                "The log agrees with the checkpoint of \(vouched.head.size) events"
                    + (isSigned ? ", which \(signer) has signed." : "."))
        }
        if let line = audit.coverageLine {
            checks.append("What others outside of the store have seen: \(line).")
        }
        return checks
    }

    /// The unchecked parts, and those that can't be checked.
    private static func gaps(_ audit: Verification, _ trusted: TrustedNotes) -> [String] {
        var gaps = audit.gaps.map { gap in
            switch gap.check {
            case .checkpointSignatures: "Who signed the log's own checkpoints: \(gap.why) (--key)."
            case .witnesses:
                "What others outside of the store have seen: \(gap.why) (--witness)."
            case .eventsAfterCheckpoint: "What no checkpoint covers: \(gap.why)."
            case .timeStamps: "When the log was stamped: \(gap.why) (--tsa-certificates)."
            case .rules where !audit.unjudged.isEmpty: "What follows from what: \(gap.why)."
            case .replay, .rules, .completeness, .transactionSignatures:
                "\(gap.check.rawValue): \(gap.why)."
            }
        }
        if trusted.heads.isEmpty, audit.coverage.isEmpty {
            gaps.append(
                "That the log is whole: only a checkpoint that somebody else has kept shows that "
                    + "there was more, and none was given (--checkpoint).")
        } else if !trusted.heads.isEmpty, trusted.keys.isEmpty, trusted.witnesses.isEmpty {
            gaps.append("Who signed the given checkpoints: no key was given (--key).")
        }
        return gaps + [
            "That the recorded inputs are true: the times, the answers of nodes and what was on "
                + "the screen are the program's word; no node was asked.",
            "Who the senders are: they name themselves.",
            "That nothing was signed elsewhere with the wallets' keys.",
        ]
    }

    /// The divergences and violations of a replay.
    private static func faults(_ replay: Replay) -> [ReportFinding] {
        replay.divergences.map { divergence in
            ReportFinding(
                position: divergence.position, rule: "replay",
                message: "\(divergence.field): recorded \(divergence.recorded), "
                    + "produced \(divergence.produced)")
        }
    }

    /// The violations of an audit that decides nothing again.
    private static func faults(_ audit: Verification) -> [ReportFinding] {
        let listed = audit.violations.map {
            ReportFinding(position: $0.position, rule: $0.rule.rawValue, message: $0.message)
        }
        let rest = audit.violationCount - listed.count
        if rest == 0 { return listed }
        return listed + [
            ReportFinding(position: nil, rule: "audit", message: "\(rest) more violations")
        ]
    }

    private static func say(
        _ index: ReportIndex, _ findings: ReportFindings, bytes: Int, in path: String,
        _ console: Console
    ) throws {
        let faults = findings.faults
        let line: TerminalText = "report: \(index.events) events, \(index.requestCount) requests, "
            + "\(faults.count) findings, \(bytes) bytes in \(Text.escaped(path))"
        try console.result(
            .record([
                "events": .int(index.events), "requests": .int(UInt64(index.requestCount)),
                "root": .string(Hex.encode(index.root)),
                "findings": .int(UInt64(faults.count)), "lost": .int(UInt64(index.lostCount)),
                "bytes": .int(UInt64(bytes)),
                "out": .string(path), "notJudged": findings.unjudged.json,
            ]),
            ([line] + findings.unjudged.lines).joined(separator: "\n"))
        if let first = faults.first {
            try console.note(
                "daybook-replay: report: the log is not what follows from it"
                    + (first.position.map { " at event \($0)" } ?? "") + " (findings)")
        }
    }
}
