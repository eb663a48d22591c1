import DaybookCommands
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay
import DaybookSystem

/// An audit of a whole log that goes on from the result of another one, or writes its own.
struct ContinuedAudit {
    /// A result that its auditor has signed, with the state that it names.
    private struct Earlier {
        let result: AuditResult
        let cache: AuditCache
    }

    private let source: Source
    private let earlier: Earlier?
    private let auditor: NoteVerifierKey?
    private let path: String?
    private let key: AuditorKey?

    static let options = [
        Command.Option("--out", "RESULT", "write the result, from which a later audit goes on"),
        Command.Option("--sign-with", "KEY", "the auditor's private key, an Ed25519 PEM file"),
        Command.Option("--since", "RESULT", "go on from this result: only what is new is checked"),
        Command.Option("--auditor", "KEY", "the public key that signed it, a PEM file"),
    ]

    /// The audit that the options ask for; nil if they ask for none.
    init?(_ invocation: Invocation, _ kind: AuditResult.Kind, _ source: Source) throws {
        path = invocation.value("--out")
        let since = invocation.value("--since")
        let (privateKey, publicKey) = (
            invocation.value("--sign-with"), invocation.value("--auditor"))
        guard (path == nil) == (privateKey == nil), (since == nil) == (publicKey == nil) else {
            throw CommandFailure.usage(
                "--out takes the key that signs (--sign-with), --since the one that signed "
                    + "(--auditor)")
        }
        if path == nil, since == nil { return nil }
        if source.isPart {
            throw CommandFailure(
                "partialExport", .refused, "an audit that goes on is of a whole log")
        }
        self.source = source
        key = try privateKey.map { try Self.privateKey($0) }
        auditor = try publicKey.map { try Self.publicKey($0) }
        if let path {
            try OwnFile.checkReplacing(
                path, beginning: AuditResult.beginning, "result of an audit")
        }
        guard let since, let auditor else {
            earlier = nil
            return
        }
        let result = try AuditResult(
            try Files.readInput(since, limit: AuditResult.mostBytes), signedBy: auditor, for: kind,
            of: source.logID)
        earlier = Earlier(result: result, cache: try Self.cache(of: result, beside: since))
        try proveBeginning()
    }

    // MARK: - Keys and files

    private static func privateKey(_ path: String) throws -> AuditorKey {
        var (bytes, users) = try Files.readSecret(path, limit: 65_536)
        let pem = SecretBytes(wiping: &bytes)
        if case .all = users { throw CommandFailure.fileExposed("--sign-with") }
        guard let key = AuditorKey(pem: pem) else { throw malformedKey("--sign-with", "private") }
        return key
    }

    private static func publicKey(_ path: String) throws -> NoteVerifierKey {
        guard let key = AuditorKey.verifierKey(pem: try Files.readInput(path, limit: 65_536))
        else { throw malformedKey("--auditor", "public") }
        return key
    }

    private static func malformedKey(_ option: String, _ half: String) -> CommandFailure {
        CommandFailure(
            "auditorKeyMalformed", .usage,
            "\(option) names no \(half) key of Ed25519 in PEM; `openssl genpkey -algorithm "
                + "ed25519` makes a private key, `openssl pkey -pubout` its public one")
    }

    private static func cache(
        of result: AuditResult, beside path: String
    ) throws -> AuditCache {
        let place = AuditCacheFiles.path(of: result.cache, beside: path)
        guard try Files.exists(place) else { throw AuditError.cacheMissing(path: place) }
        guard let cache = try AuditCache(place), cache.digest == result.cache,
            let tree = cache.tree, tree.size == result.head.size, tree.root() == result.head.root
        else { throw AuditError.cacheDiffers }
        return cache
    }

    /// Throws unless the log begins with the events of the earlier result.
    private func proveBeginning() throws {
        guard let earlier, let tree = earlier.cache.tree else { return }
        let head = earlier.result.head
        if source.count < head.size {
            throw AuditError.rolledBack(events: source.count, expected: head.size)
        }
        if try source.proves(head) { return }
        let heads = tree.beginnings
        var start: UInt64 = 0
        for (head, found) in zip(heads, try source.heads(at: heads.map(\.size))) {
            if head != found { throw AuditError.parted(start..<head.size) }
            start = head.size
        }
        throw AuditError.parted(0..<max(head.size, 1))
    }

    // MARK: - Auditing

    /// The new part of an audit, and the file of what a later one needs.
    struct Audited<Outcome> {
        let outcome: Outcome
        fileprivate let head: TreeHead
        fileprivate let keys: CheckpointKeys
        fileprivate let cache: AuditCacheWriter.Written?
        /// The counts of new things, by name, apart from that of events.
        fileprivate let new: [(name: String, count: Int)]
    }

    /// Verifies the log, or what is new in it.
    func verified(_ trusted: TrustedNotes) throws -> Audited<Verification> {
        try ScratchRows.with(forEvents: newEvents) { rows in
            var verifier = try verifier(trusted, rows)
            let before = (verifier.signatures, verifier.violationCount)
            try source.feed(&verifier)
            let cache = try written { verifier.carry(in: &$0) }
            let (keys, signatures) = (verifier.keys, verifier.signatures - before.0)
            let outcome = verifier.finish()
            return Audited(
                outcome: outcome, head: outcome.head, keys: keys, cache: cache,
                new: [
                    ("signatures", signatures),
                    ("violations", max(0, outcome.violationCount - before.1)),
                ])
        }
    }

    private func verifier(_ trusted: TrustedNotes, _ rows: any Rows) throws -> LogVerifier {
        guard let earlier else {
            return try LogVerifier(logID: source.logID, trusting: trusted.trust, rows: rows)
        }
        return try LogVerifier.continued(
            earlier.cache, logID: source.logID, trusting: trusted.trust, rows: rows,
            where: { try source.proves($0, beginsAs: earlier.result.head) })
    }

    /// Decides the events again, or those that are new.
    func replayed() throws -> Audited<Replay> {
        defer { ProgressLine.clear() }
        let rows = try ScratchRows.forEvents(newEvents)
        let decider = Links.decider
        var (replayer, tree) = (Replayer(decide: { decider.decide($0, $1) }), TreeFold())
        if let earlier {
            (replayer, tree) = try Replayer.continued(
                earlier.cache, rows: rows, decide: { decider.decide($0, $1) })
        } else if !(rows is MemoryRows) {
            replayer = Replayer(State(in: rows), decide: { decider.decide($0, $1) })
        }
        let before = (replayer.inputs, replayer.outcomes, replayer.divergences.count)
        tree = try replayer.take(
            from: RecordReader(after: tree, replayer.state),
            reporting: source.showReplay(of: source.count),
            reading: source.batches(from: tree.size, to: source.count))
        let cache = try written { replayer.carry(tree, after: earlier?.cache, in: &$0) }
        replayer.finish()
        let outcome = Replay(replayer)
        try ScratchRows.check(rows)
        return Audited(
            outcome: outcome, head: TreeHead(size: tree.size, root: tree.root()),
            keys: replayer.keys, cache: cache,
            new: [
                ("inputs", outcome.inputs - before.0), ("outcomes", outcome.outcomes - before.1),
                ("divergences", outcome.divergences.count - before.2),
            ])
    }

    private var newEvents: UInt64 { source.count - (earlier?.result.head.size ?? 0) }

    private func written(
        _ carry: (inout AuditCacheWriter) -> Void
    ) throws -> AuditCacheWriter.Written? {
        guard let path else { return nil }
        var writer = try AuditCacheWriter(beside: path)
        carry(&writer)
        return try writer.finish()
    }

    // MARK: - Answering

    /// Writes the result of a verification, if one was asked for.
    func write(_ audited: Audited<Verification>, _ trusted: TrustedNotes) throws {
        try write(audited, trusted.keys) { cache in
            AuditResult(audited.outcome, of: source.logID, cache: cache)
        }
    }

    /// Writes the result of a replay, if one was asked for.
    func write(_ audited: Audited<Replay>) throws {
        try write(audited, []) { cache in
            AuditResult(audited.outcome, of: source.logID, audited.head, cache: cache)
        }
    }

    private func write<Outcome>(
        _ audited: Audited<Outcome>, _ trusted: [NoteVerifierKey],
        _ result: (Bytes) -> AuditResult
    ) throws {
        for own in [key?.verifierKey, auditor].compactMap(\.self)
        where audited.keys.contain(own) || trusted.contains(where: {
            $0.publicKey == own.publicKey
        }) {
            throw AuditError.keyOfLog
        }
        guard let path, let key, let cache = audited.cache else { return }
        try AuditCacheFiles.publish(result(cache.digest).signed(by: key), at: path, with: cache)
    }

    /// The result that the audit went on from, and what was new.
    func json<Outcome>(_ audited: Audited<Outcome>) -> JSON? {
        earlier.map { earlier in
            let new = [("events", newEvents)] + audited.new.map { ($0.name, UInt64($0.count)) }
            return .record([
                "events": .int(earlier.result.head.size),
                "root": .string(Hex.encode(earlier.result.head.root.bytes)),
                "faults": .int(earlier.result.faults),
                "new": .object(new.map { .init(name: $0.0, value: .int($0.1)) }),
            ])
        }
    }

    /// The same for people.
    func lines<Outcome>(_ audited: Audited<Outcome>) -> [TerminalText] {
        guard let earlier else { return [] }
        let new = audited.new.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
        let found = earlier.result.faults
        return [
            "since: the first \(earlier.result.head.size) events are those of the result"
                + (found == 0 ? "" : ", which found \(found) faults")
                + "; new: \(newEvents) events, \(new)"
        ]
    }
}
