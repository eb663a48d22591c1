import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// Verifies a whole log: its hashes, its tree, its checkpoints, its signatures and its rules.
package struct LogVerifier: ~Copyable {
    private let logID: Bytes
    private var audit: Audit
    private var tree: TreeVerifier
    private var checkpoints: CheckpointTally
    private var stamps: StampTally
    private var coverage = Coverage()
    private var clock = ClockCheck()
    private var vouched: VouchedHeads
    private var hasTreeMismatch = false

    /// A verifier of the log with this id, which must be consistent with the vouched heads.
    ///
    /// The log's checkpoints count as signed if one of the keys has signed them, and their time
    /// stamps if they lead to a certificate of `authorities`.
    package init(
        logID: Bytes, vouched: [TreeHead] = [], keys: [NoteVerifierKey] = [],
        authorities: StampTrust? = nil, rows: any Rows = MemoryRows()
    ) throws(TreeError) {
        self.logID = logID
        audit = Audit(logID: logID, rows: rows)
        tree = try TreeVerifier()
        checkpoints = CheckpointTally(keys)
        stamps = StampTally(authorities)
        self.vouched = VouchedHeads(vouched)
        checkVouched()
    }

    /// Takes the bytes of the next event.
    package mutating func feed(_ bytes: Bytes) {
        if let event = audit.feed(bytes) { take(event) }
        tree.add(bytes)
        checkVouched()
    }

    /// Takes the note of a checkpoint of the events so far, which an export has as an item.
    package mutating func take(note: Bytes) {
        guard let fault = checkpoints.take(note, size: tree.size) else { return }
        audit.report(.checkpointMismatch, Position(tree.size), "the checkpoint before it: \(fault)")
    }

    /// Compares the complete rows of the tree with the stored tree.
    ///
    /// `isWhole` says that there are no more events.
    package mutating func compare(
        isWhole: Bool = false, with stored: (Bytes) throws -> Bytes?
    ) rethrows {
        let first = try tree.firstDifference(isWhole: isWhole, from: stored)
        if let first { noteTreeMismatch(at: first) }
    }

    /// Notes that a tree differs from the log's events from a position on.
    package mutating func noteTreeMismatch(at first: UInt64) {
        guard !hasTreeMismatch else { return }
        // All hashes above a wrong one are wrong, too: only the first is reported.
        hasTreeMismatch = true
        audit.report(
            .treeMismatch, Position(first),
            "the log's tree is not that of its events from here on")
    }

    /// The result, after every event was fed.
    package consuming func finish() -> Verification {
        audit.finish()
        for head in vouched.ahead {
            audit.report(
                .checkpointMismatch, Position(tree.size),
                "the checkpoint vouches for \(head.size) events, and here the log ends")
        }
        let violations = audit.violations.enumerated().sorted {
            ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
        }
        let rest = tree.size - checkpoints.signedSize
        return Verification(
            head: tree.head(), events: tree.size, signatures: audit.signatures,
            checkpoints: checkpoints, stamps: stamps, coverage: coverage,
            violations: violations.map(\.element), violationCount: audit.violationCount,
            gaps: checkpoints.gaps(eventsAfterSigned: rest) + stamps.gaps)
    }

    /// Takes what the event says of the log itself.
    private mutating func take(_ event: Event) {
        if case .checkpointMade(let data) = event.payload { check(data) }
        if case .checkpointStamped(let data) = event.payload {
            for fault in stamps.take(data, of: event, clock, into: &coverage) {
                audit.report(fault.rule, fault.position, fault.message)
            }
        }
        clock.take(event.time, at: event.position)
    }

    /// Checks that a recorded checkpoint is of the events before it, and signed.
    private mutating func check(_ data: CheckpointMade) {
        guard data.isSigned(of: tree.head(), ofLog: logID) else {
            let message = "its checkpoint is not of the events before it, or not signed"
            return audit.report(.checkpointMismatch, Position(tree.size), message)
        }
        clock.mark(data.size)
        stamps.take(data.note, at: Position(data.size))
        take(note: data.note)
    }

    private mutating func checkVouched() {
        guard vouched.isDue(at: tree.size), let fault = vouched.compare(with: tree.head()) else {
            return
        }
        audit.report(.checkpointMismatch, Position(fault.position), fault.message)
    }
}
