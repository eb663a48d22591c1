package import DaybookDomain
package import DaybookEncoding
package import DaybookLog

extension LogVerifier {
    /// Adds all that the verifier needs to go on after the last event that it took to a cache.
    ///
    /// It must not have finished.
    package borrowing func carry(in cache: inout AuditCacheWriter) {
        cache.add(.carried, [], CarriedVerification(self).encoded())
        for (index, violation) in audit.violations.enumerated() {
            cache.add(.found, BigEndian.bytes(UInt64(index)), violation.encoded())
        }
        for (index, item) in trail.enumerated() {
            cache.add(.judged, BigEndian.bytes(UInt64(index)), item.encoded())
        }
        let requests = audit.rules.requests
        for id in requests.keys.sorted() {
            cache.add(.requests, BigEndian.bytes(id.number), requests[id]?.encoded() ?? [])
        }
        cache.add(.state, audit.state.rows)
    }

    /// A verifier that goes on where an audit ended, above the rows of its cache.
    ///
    /// `isBeginning` says of a vouched head of fewer events whether the audited log begins so.
    /// Throws if the cache was not made by `carry`.
    package static func continued(
        _ cache: AuditCache, logID: Bytes, trusting trust: AuditTrust, rows: any Rows,
        by engines: Engines = .known,
        where isBeginning: (TreeHead) throws -> Bool
    ) throws -> LogVerifier {
        let carried = try CarriedVerification(cache.rows(.carried).value([]) ?? [], path: "carried")
        guard let fold = TreeFold(size: carried.events, frontier: carried.frontier) else {
            throw FieldError(field: "carried", expected: "the hashes of a tree")
        }
        let state = State(cache.rows(.state)).keeping(in: rows)
        if let damage = carried.damage?.error { state.note(damage: damage) }
        var rules = carried.rules(by: engines)
        try cache.rows(.requests).each { key, value in
            guard let number = BigEndian.exactly(key) else { return }
            rules.requests[RequestID(number)] = try RequestAudit(value, path: "request")
        }
        try cache.rows(.found).each {
            rules.violations.append(try Violation($1, path: "violation"))
        }
        var trail: [JudgedItem] = []
        try cache.rows(.judged).each { trail.append(try JudgedItem($1, path: "judged")) }
        let open = carried.openRows.map { Row(key: $0.key, value: $0.value) }
        var verifier = LogVerifier(
            logID: logID, Audit(logID: logID, events: carried.events, state, rules),
            tree: try TreeVerifier(after: fold, openRows: open),
            keys: CheckpointKeys(carried.keys), hasTreeMismatch: carried.hasTreeMismatch)
        try verifier.judge(trail, latest: carried.latest, trusting: trust, where: isBeginning)
        return verifier
    }
}

extension CachedRows {
    /// Calls `body` with each row until it throws.
    fileprivate func each(_ body: (Bytes, Bytes) throws -> Void) throws {
        var failure: (any Error)?
        walk { key, value in
            if failure != nil { return }
            do { try body(key, value) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}

/// The values that a verifier needs to go on, apart from lists and rows.
private struct CarriedVerification: Recorded {
    let keys: [String]
    let time: UInt64
    let ended: [RequestID]
    let damage: CarriedDamage?
    let events: UInt64
    let latest: LatestTime?
    let frontier: Bytes
    let openRows: [CarriedRow]
    let unjudged: [UnjudgedSession]
    let signatures: UInt64
    let violations: UInt64
    let isUnbalanced: Bool
    let hasTreeMismatch: Bool
    let unsignedRequest: RequestID?
    let unsignedPosition: Position?

    init(_ verifier: borrowing LogVerifier) {
        let rules = verifier.audit.rules
        keys = verifier.keys.texts
        time = rules.time
        ended = rules.ended
        damage = verifier.audit.state.damage.map { CarriedDamage($0) }
        events = verifier.events
        latest = verifier.coverage.latest
        frontier = verifier.tree.fold.frontier.flatMap(\.bytes)
        openRows = verifier.tree.openRows.map { CarriedRow($0) }
        unjudged = rules.unjudged.all
        signatures = UInt64(rules.signatures)
        violations = UInt64(rules.violationCount)
        isUnbalanced = rules.isUnbalanced
        unsignedRequest = rules.unsigned?.request
        unsignedPosition = rules.unsigned?.position
        hasTreeMismatch = verifier.hasTreeMismatch
    }

    /// The rules, without what lists have.
    func rules(by engines: Engines) -> AuditRules {
        var rules = AuditRules(after: time, by: engines)
        rules.unjudged = UnjudgedSessions(unjudged)
        rules.violationCount = Int(clamping: violations)
        rules.signatures = Int(clamping: signatures)
        rules.isUnbalanced = isUnbalanced
        rules.ended = ended
        if let unsignedRequest, let unsignedPosition {
            rules.unsigned = (unsignedRequest, unsignedPosition)
        }
        return rules
    }

    init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        keys = try coder.values("keys", value?.keys)
        time = try coder.field("time", value?.time)
        ended = try coder.values("ended", value?.ended)
        damage = try coder.optionalMap("damage", value?.damage)
        events = try coder.field("events", value?.events)
        latest = try coder.optionalMap("latest", value?.latest)
        frontier = try coder.field("frontier", value?.frontier)
        openRows = try coder.list("openRows", value?.openRows)
        unjudged = try coder.list("unjudged", value?.unjudged)
        signatures = try coder.field("signatures", value?.signatures)
        violations = try coder.field("violations", value?.violations)
        isUnbalanced = try coder.flag("isUnbalanced", value?.isUnbalanced)
        hasTreeMismatch = try coder.flag("hasTreeMismatch", value?.hasTreeMismatch)
        unsignedRequest = try coder.optional("unsignedRequest", value?.unsignedRequest)
        unsignedPosition = try coder.optional("unsignedPosition", value?.unsignedPosition)
    }
}

/// A row of the tree that is not full.
private struct CarriedRow: Recorded {
    let key: Bytes
    let value: Bytes

    init(_ row: Row) { (key, value) = (row.key, row.value) }

    init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        key = try coder.field("key", value?.key)
        self.value = try coder.field("value", value?.value)
    }
}

extension Violation: Recorded {
    /// Reads or writes a violation in an audit's cache.
    package init<Coder: FieldCoder>(
        _ value: Self?, by coder: inout Coder
    ) throws(Coder.Failure) {
        let rule = try coder.field("rule", value?.rule)
        let message = try coder.field("message", value?.message)
        let position = try coder.field("position", value?.position)
        self.init(rule, at: position, message)
    }
}

extension Violation.Rule: RecordedName {}

extension Finding: Recorded {
    init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        let rule = try coder.field("rule", value?.rule)
        self.init(rule, try coder.field("message", value?.message))
    }
}
