package import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// Verifies a whole log: its hashes, its tree, its checkpoints, its signatures and its rules.
package struct LogVerifier: ~Copyable {
    private let logID: Bytes
    private(set) var audit: Audit
    private(set) var tree: TreeVerifier
    private var checkpoints: CheckpointTally
    private var vouched: VouchedHeads
    private(set) var coverage: CoverageCheck
    private(set) var hasTreeMismatch = false
    /// The items that this audit judged by its keys and heads; a later one has its own.
    private(set) var trail: [JudgedItem] = []
    /// The violations that these keys and heads found.
    private var judgements: [Violation] = []
    /// The keys that the log's checkpoints name.
    package private(set) var keys = CheckpointKeys()

    /// A verifier of the log with this id, by what an auditor trusts.
    package init(
        logID: Bytes, trusting trust: AuditTrust = AuditTrust(), rows: any Rows = MemoryRows(),
        by engines: Engines = .known
    ) throws(TreeError) {
        self.logID = logID
        audit = Audit(logID: logID, rows: rows, by: engines)
        tree = try TreeVerifier()
        checkpoints = CheckpointTally(trust.keys)
        vouched = VouchedHeads(trust.heads)
        coverage = CoverageCheck(trust)
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
        coverage = CoverageCheck(AuditTrust())
    }

    /// Judges what an earlier audit has taken, by what the auditor trusts now.
    ///
    /// `latest` is the latest event of all that were taken; `isBeginning` says of a head of fewer
    /// events whether the audited log begins so.
    mutating func judge(
        _ trail: [JudgedItem], latest: LatestTime?, trusting trust: AuditTrust,
        where isBeginning: (TreeHead) throws -> Bool
    ) rethrows {
        checkpoints = CheckpointTally(trust.keys)
        coverage = CoverageCheck(trust)
        for item in trail { judge(item) }
        coverage.goOn(after: latest)
        vouched = VouchedHeads(trust.heads)
        let end = tree.size
        for size in trust.heads.map(\.head.size).sorted() where size < end {
            let found = try trust.heads.first { try $0.head.size == size && isBeginning($0.head) }
            let other = TreeHead(size: size, root: .ofEmptyTree)
            let (agreed, fault) = vouched.compare(with: found?.head ?? other)
            for head in agreed { judge(coverage.take(head, isEarlier: true)) }
            judge(fault)
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
        if let event = audit.feed(bytes) {
            if case .checkpointMade(let data) = event.payload { check(data) }
            if event.payload.vouches {
                judge(JudgedItem(event: bytes, size: tree.size, latest: coverage.latest))
            } else {
                judge(coverage.take(event))
            }
        }
        tree.add(bytes)
        checkVouched()
    }

    /// Takes the note of a checkpoint of the events so far, which an export has as an item.
    package mutating func take(note: Bytes) {
        judge(JudgedItem(note: note, of: tree.head(), latest: coverage.latest))
    }

    private mutating func judge(_ item: JudgedItem) {
        trail.append(item)
        coverage.goOn(after: item.latest)
        guard let head = item.head else {
            if let event = item.event { judge(coverage.take(event)) }
            return
        }
        if let note = try? SignedNote(item.bytes) { judge(coverage.take(note: note, of: head)) }
        if let fault = checkpoints.take(item.bytes, size: head.size) {
            judge(.checkpointMismatch, head.size, "the checkpoint before it: \(fault)")
        }
    }

    private mutating func judge(_ faults: [CoverageCheck.Fault]) {
        for fault in faults { judge(fault.rule, fault.position.number, fault.message) }
    }

    private mutating func judge(_ fault: (position: UInt64, message: String)?) {
        if let fault { judge(.checkpointMismatch, fault.position, fault.message) }
    }

    private mutating func judge(_ rule: Violation.Rule, _ position: UInt64, _ message: String) {
        judgements.append(Violation(rule, at: Position(position), message))
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
        for head in vouched.ahead { judge(.checkpointMismatch, tree.size, head.missing) }
        let violations = (audit.violations + judgements).enumerated().sorted {
            ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
        }
        let rest = tree.size - checkpoints.signedSize
        return Verification(
            head: tree.head(), events: tree.size, signatures: audit.signatures,
            checkpoints: checkpoints, stamps: coverage.stamps, coverage: coverage.coverage,
            violations: violations.prefix(Audit.mostViolations).map(\.element),
            violationCount: audit.violationCount + judgements.count,
            unjudged: audit.rules.unjudged,
            gaps: audit.rules.unjudged.gaps + checkpoints.gaps(eventsAfterSigned: rest)
                + coverage.gaps)
    }

    /// Checks that a recorded checkpoint is of the events before it, and signed.
    private mutating func check(_ data: CheckpointMade) {
        keys.note(data.key)
        guard data.isSigned(of: tree.head(), ofLog: logID) else {
            let message = "its checkpoint is not of the events before it, or not signed"
            return audit.report(.checkpointMismatch, Position(tree.size), message)
        }
        take(note: data.note)
    }

    private mutating func checkVouched() {
        guard vouched.isDue(at: tree.size) else { return }
        let (agreed, fault) = vouched.compare(with: tree.head())
        for head in agreed { judge(coverage.take(head)) }
        judge(fault)
    }
}

/// Something that each audit judges by its own keys.
///
/// It is the note of a checkpoint of the events before it, or an event by which somebody vouches
/// for one.
struct JudgedItem: Recorded {
    /// The note, or the event's record.
    let bytes: Bytes
    private let size: UInt64
    /// The root of the tree over the events before a note; nil for an event.
    private let root: Bytes?
    /// The latest event before it.
    let latest: LatestTime?

    init(note: Bytes, of head: TreeHead, latest: LatestTime?) {
        (bytes, size, root, self.latest) = (note, head.size, head.root.bytes, latest)
    }

    init(event: Bytes, size: UInt64, latest: LatestTime?) {
        (bytes, self.size, root, self.latest) = (event, size, nil, latest)
    }

    /// The head of the events before a note; nil for an event.
    var head: TreeHead? {
        root.flatMap { TreeHash($0) }.map { TreeHead(size: size, root: $0) }
    }

    /// The event; nil for a note.
    var event: Event? { root == nil ? try? EventRecord.decode(bytes).event() : nil }

    init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        root = try coder.optional("root", value?.root)
        size = try coder.field("size", value?.size)
        bytes = try coder.field("bytes", value?.bytes)
        latest = try coder.optionalMap("latest", value?.latest)
    }
}
