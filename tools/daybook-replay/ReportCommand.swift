import DaybookCommands
import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookReplay
import DaybookSystem

extension Command {
    static let report = Command(
        "report", "SOURCE", count: 1...1, does: """
            the whole log as one page for a browser or paper
            The page needs no network, and links what it says to the events and their proofs. It
            holds addresses and amounts: it is readable by its owner only. An earlier page at FILE
            is replaced, nothing else.
            """,
        options: [Option("--out", "FILE.html", "the file to write the page to")]
    ) { invocation in
        guard let path = invocation.value("--out") else {
            throw CommandFailure.usage("where does the page go? --out FILE.html")
        }
        try checkReplacing(path)
        let source = try Source(invocation.arguments[0])
        let audit = try audited(source)
        let index = try indexed(source)
        let findings = findings(audit) + findings(try source.replayed())
        let report = Report(index, findings: findings, checks: checks(audit))
        let file = try NewFile(path, mode: 0o600)
        var length = 0
        try report.write(
            to: { page in
                try file.write(page)
                length += page.count
            }, reading: { try source.each($0) })
        // Something else may have come to lie there meanwhile.
        try checkReplacing(path)
        try file.complete(replacing: true)
        try say(index, findings, bytes: length, in: path, invocation.console)
        return findings.isEmpty ? .done : .refused
    }

    /// The checks that were done, as the report lists them.
    private static func checks(_ audit: Verification) -> [String] {
        [
            "Every event could be read, belongs to this log and stands at its place; the tree, if "
                + "the log keeps one, is that of its events.",
            "Each of the \(audit.signatures) signatures of transactions was verified.",
            "The rules of every honest log: what was sent is what was approved, requests end once "
                + "and are answered once, nothing happens outside of sessions or against time, "
                + "balances add up.",
            "Everything was decided again from the recorded inputs alone, and each outcome "
                + "compared with the recorded bytes.",
        ]
    }

    /// Replaces only an earlier report, so that a mistyped path destroys nothing else.
    private static func checkReplacing(_ path: String) throws {
        guard try Files.exists(path) else { return }
        let beginning = Array(Report.beginning.utf8)
        guard try Files.information(path)?.kind == .file,
            try Files.readPrefix(path, count: beginning.count) == beginning
        else {
            throw CommandFailure(
                "fileExists", .refused, "what lies at \(CommandFailure.quoted(path)) is no page")
        }
    }

    /// The content of the log, for the report.
    private static func indexed(_ source: Source) throws -> ReportIndex {
        var surveyor = ReportIndexer(logID: source.logID)
        try source.each { surveyor.feed($0) }
        return surveyor.finish()
    }

    /// The divergences and violations of a replay.
    private static func findings(_ replay: Replay) -> [ReportFinding] {
        replay.divergences.map { divergence in
            ReportFinding(
                position: divergence.position, rule: "replay",
                message: "\(divergence.field): recorded \(divergence.recorded), "
                    + "produced \(divergence.produced)")
        }
    }

    /// The violations of an audit that decides nothing again.
    private static func audited(_ source: Source) throws -> Verification {
        var verifier = try LogVerifier(logID: source.logID)
        try source.feed(&verifier)
        return verifier.finish()
    }

    private static func findings(_ audit: Verification) -> [ReportFinding] {
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
        _ index: ReportIndex, _ findings: [ReportFinding], bytes: Int, in path: String,
        _ console: Console
    ) throws {
        try console.result(
            .record([
                "events": .int(index.events), "requests": .int(UInt64(index.requestCount)),
                "root": .string(Hex.encode(index.root)),
                "findings": .int(UInt64(findings.count)), "lost": .int(UInt64(index.lostCount)),
                "bytes": .int(UInt64(bytes)),
                "out": .string(path),
            ]),
            "report: \(index.events) events, \(index.requestCount) requests, "
                + "\(findings.count) findings, \(bytes) bytes in \(Text.escaped(path))")
        if let first = findings.first {
            try console.note(
                "daybook-replay: report: the log is not what follows from it"
                    + (first.position.map { " at event \($0)" } ?? "") + " (findings)")
        }
    }
}
