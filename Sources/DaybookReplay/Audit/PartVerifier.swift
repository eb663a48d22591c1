import DaybookChains
import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// Verifies a part of a log, as far as it can be verified without the rest.
///
/// The hashes that stand for the left-out events must be whole subtrees, as in an export. The state
/// and most rules need all events, and are not checked.
package struct PartVerifier {
    private var events: UInt64 = 0
    private var signatures = 0
    /// How many signed transactions lack their `transaction.prepared`.
    private var unprepared = 0
    private var checkpoints: CheckpointTally
    /// Events since the last checkpoint that a trusted key has signed.
    private var eventsAfterSigned: UInt64 = 0
    private var violations: [Violation] = []
    private var violationCount = 0

    private var tree = TreeFold()
    private var vouched: VouchedHeads
    private var coverage: CoverageCheck
    private var time: UInt64 = 0
    private var prepared: [RequestID: TransactionPrepared] = [:]
    /// The sessions of the part that are of unknown engines, and these engines.
    private var unknown: [SessionID: UInt64] = [:]
    private var unjudged = UnjudgedSessions()

    /// A verifier of a part of a log, by what an auditor trusts.
    package init(trusting trust: AuditTrust = AuditTrust()) {
        checkpoints = CheckpointTally(trust.keys)
        vouched = VouchedHeads(trust.heads)
        coverage = CoverageCheck(trust)
        checkVouched()
    }

    /// The heads that could not be compared, because they end within left-out events.
    package var uncompared: [TreeHead] { vouched.skipped }

    /// Takes the next event and its bytes.
    package mutating func take(_ record: EventRecord, _ bytes: Bytes) {
        events += 1
        eventsAfterSigned += 1
        let setsClock = record.setsClock
        if record.time < time, !setsClock {
            report(.timeWentBack, record.id, "its time is before that of an event before it")
        }
        time = setsClock ? record.time : max(time, record.time)
        do {
            if let event = try record.event() { take(event, of: record.logID) }
        } catch {
            report(.malformed, record.id, "\(error)")
        }
        tree.add(leaf: bytes)
        checkVouched()
    }

    /// Takes the hashes of whole subtrees over left-out events.
    package mutating func leaveOut(_ range: Range<UInt64>, _ hashes: [TreeHash]) {
        // The clock may have been set in a left-out event.
        time = 0
        for (height, hash) in zip(TreeFold.cover(range), hashes) {
            tree.add(hash, height: height)
            checkVouched()
        }
    }

    /// Takes the note of a checkpoint of all positions so far.
    package mutating func take(note: Bytes) {
        if let parsed = try? SignedNote(note) { report(coverage.take(note: parsed, of: head)) }
        let before = checkpoints.signed
        if let fault = checkpoints.take(note, size: tree.size) {
            report(.checkpointMismatch, Position(tree.size), "the checkpoint before it: \(fault)")
        }
        if checkpoints.signed > before { eventsAfterSigned = 0 }
    }

    /// The result, after everything was taken.
    ///
    /// `isRange` says that no event between the first and the last may be left out.
    package consuming func finish(isRange: Bool) -> Verification {
        for head in vouched.ahead {
            report(.checkpointMismatch, Position(tree.size), head.missing)
        }
        let head = self.head
        let missing = "\(head.size - events) of \(head.size) events are left out"
        var gaps = [Verification.Gap(.replay, missing), Verification.Gap(.rules, missing)]
        if !isRange {
            gaps.append(.init(.completeness, "only the exporting program says which belong here"))
        }
        if unprepared > 0 {
            let why = "of \(unprepared) signed transactions the preparation is left out"
            gaps.append(.init(.transactionSignatures, why))
        }
        gaps += unjudged.gaps + checkpoints.gaps(eventsAfterSigned: eventsAfterSigned)
            + coverage.gaps
        return Verification(
            head: head, events: events, signatures: signatures, checkpoints: checkpoints,
            stamps: coverage.stamps, coverage: coverage.coverage, violations: violations,
            violationCount: violationCount, unjudged: unjudged, gaps: gaps)
    }

    private var head: TreeHead { TreeHead(size: tree.size, root: tree.root()) }

    private mutating func take(_ event: Event, of logID: Bytes) {
        if case .checkpointMade(let data) = event.payload, let note = try? SignedNote(data.note),
            data.isSigned(of: head, ofLog: logID)
        {
            report(coverage.take(note: note, of: head))
        }
        report(coverage.take(event, isPart: true))
        if case .sessionStarted(let data) = event.payload, Engines.known[data.engine] == nil {
            unknown[event.session] = data.engine
        }
        if let engine = unknown[event.session] { unjudged.note(event, engine: engine) }
        takeRequest(event)
    }

    private mutating func takeRequest(_ event: Event) {
        guard let request = event.request else { return }
        switch event.payload {
        case .transactionPrepared(let data): prepared[request] = data
        case .transactionFailed: prepared[request] = nil
        case .transactionSigned(let data):
            guard let prepared = prepared.removeValue(forKey: request) else {
                unprepared += 1
                return
            }
            signatures += prepared.inputs.count
            for finding in SignedCheck(signed: data, prepared: prepared).check() {
                report(finding.rule, event.position, finding.message)
            }
        default: break
        }
    }

    private mutating func checkVouched() {
        guard vouched.isDue(at: tree.size) else { return }
        let (agreed, fault) = vouched.compare(with: head)
        for head in agreed { report(coverage.take(head)) }
        if let fault { report(.checkpointMismatch, Position(fault.position), fault.message) }
    }

    private mutating func report(_ faults: [CoverageCheck.Fault]) {
        for fault in faults { report(fault.rule, fault.position, fault.message) }
    }

    private mutating func report(
        _ rule: Violation.Rule, _ position: Position, _ message: String
    ) {
        violationCount += 1
        guard violations.count < Audit.mostViolations else { return }
        violations.append(Violation(rule, at: position, message))
    }
}
