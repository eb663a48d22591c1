import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// Verifies a whole log: its hashes, its tree, its checkpoints, its signatures and its rules.
package struct LogVerifier: ~Copyable {
    private let logID: Bytes
    private(set) var audit: Audit
    private(set) var tree: TreeVerifier
    private var checkpoints: CheckpointTally
    private var stamps: StampTally
    private var coverage = Coverage()
    private var clock = ClockCheck()
    private var vouched: VouchedHeads
    private(set) var hasTreeMismatch = false
    /// The notes that were judged by the keys and heads of this audit; a later one has its own.
    private(set) var trail: [JudgedNote] = []
    /// The violations that these keys and heads found.
    private var judgements: [Violation] = []
    /// The keys that the log's checkpoints name.
    package private(set) var keys = CheckpointKeys()

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

    /// A verifier that goes on where an audit ended.
    init(
        logID: Bytes, _ audit: Audit, tree: consuming TreeVerifier, keys: CheckpointKeys,
        hasTreeMismatch: Bool
    ) {
        self.logID = logID
        self.audit = audit
        self.tree = tree
        self.keys = keys
        self.hasTreeMismatch = hasTreeMismatch
        (checkpoints, vouched) = (CheckpointTally([]), VouchedHeads([]))
        stamps = StampTally(nil)
    }

    /// Judges what an earlier audit has taken, by the keys and heads of this one.
    ///
    /// `isBeginning` says of a vouched head of fewer events whether the audited log begins so.
    mutating func judge(
        _ trail: [JudgedNote], keys: [NoteVerifierKey], vouched: [TreeHead],
        where isBeginning: (TreeHead) throws -> Bool
    ) rethrows {
        checkpoints = CheckpointTally(keys)
        for note in trail { judge(note) }
        self.vouched = VouchedHeads(vouched)
        let end = tree.size
        for size in vouched.map(\.size).sorted() where size < end {
            let found = try vouched.first { try $0.size == size && isBeginning($0) }
            let other = TreeHead(size: size, root: .ofEmptyTree)
            note(self.vouched.compare(with: found ?? other))
        }
        checkVouched()
    }

    /// How many signatures of transactions were verified so far.
    package var signatures: Int { audit.signatures }

    /// How many violations were found so far.
    package var violationCount: Int { audit.violationCount + judgements.count }

    /// How many events were taken, those of an earlier audit included.
    package var events: UInt64 { tree.size }

    /// Takes the bytes of the next event.
    package mutating func feed(_ bytes: Bytes) {
        if let event = audit.feed(bytes) { take(event) }
        tree.add(bytes)
        checkVouched()
    }

    /// Takes the note of a checkpoint of the events so far, which an export has as an item.
    package mutating func take(note: Bytes) {
        judge(JudgedNote(note: note, size: tree.size))
    }

    private mutating func judge(_ note: JudgedNote) {
        trail.append(note)
        guard let fault = checkpoints.take(note.note, size: note.size) else { return }
        judge(note.size, "the checkpoint before it: \(fault)")
    }

    private mutating func judge(_ position: UInt64, _ message: String) {
        judgements.append(Violation(.checkpointMismatch, at: Position(position), message))
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
            judge(
                tree.size, "the checkpoint vouches for \(head.size) events, and here the log ends")
        }
        let violations = (audit.violations + judgements).enumerated().sorted {
            ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
        }
        let rest = tree.size - checkpoints.signedSize
        return Verification(
            head: tree.head(), events: tree.size, signatures: audit.signatures,
            checkpoints: checkpoints, stamps: stamps, coverage: coverage,
            violations: violations.prefix(Audit.mostViolations).map(\.element),
            violationCount: audit.violationCount + judgements.count,
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
        keys.note(data.key)
        guard data.isSigned(of: tree.head(), ofLog: logID) else {
            let message = "its checkpoint is not of the events before it, or not signed"
            return audit.report(.checkpointMismatch, Position(tree.size), message)
        }
        clock.mark(data.size)
        stamps.take(data.note, at: Position(data.size))
        take(note: data.note)
    }

    private mutating func checkVouched() {
        if vouched.isDue(at: tree.size) { note(vouched.compare(with: tree.head())) }
    }

    private mutating func note(_ fault: (position: UInt64, message: String)?) {
        if let fault { judge(fault.position, fault.message) }
    }
}

/// The note of a checkpoint, as the log has it, of its first `size` events.
struct JudgedNote: Recorded {
    let note: Bytes
    let size: UInt64

    init(note: Bytes, size: UInt64) { (self.note, self.size) = (note, size) }

    init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        note = try coder.field("note", value?.note)
        size = try coder.field("size", value?.size)
    }
}
