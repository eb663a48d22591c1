package import DaybookEncoding
package import DaybookDomain
package import DaybookLog

/// The rules of an audit, over a state that somebody else keeps.
///
/// Each event is checked against the state before it and the state after it.
package struct AuditRules {
    /// What was found, in the order of the events; the first `Audit.mostViolations` of it.
    package private(set) var violations: [Violation] = []
    private(set) var violationCount = 0
    /// How many signatures of transactions were verified.
    private(set) var signatures = 0

    private var time: UInt64
    private var isUnbalanced = false
    /// What the state does not keep of the requests that have not ended.
    private var requests: [RequestID: RequestAudit] = [:]
    /// A prepared transaction whose signatures must be the next input.
    private var unsigned: (request: RequestID, position: Position)?
    /// Requests that ended with the outcomes of the last input.
    private var ended: [RequestID] = []

    /// The rules for what comes after an event of this time.
    package init(after time: UInt64 = 0) {
        self.time = time
    }

    /// Whether anything is remembered of a request beside the state.
    package func remembers(_ request: RequestID) -> Bool { requests[request] != nil }

    /// Takes in a request's events before the first that is checked, without checking them.
    package mutating func remember(_ events: [Event], of id: RequestID, in state: State) {
        guard let row = state.request(id) else { return }
        var request = RequestAudit()
        for event in events { request.recall(event, id, row, state) }
        requests[id] = request
    }

    /// Checks that time goes back only where the clock was set.
    package mutating func checkTime(_ record: EventRecord) {
        let setsClock = record.setsClock
        if record.time < time, !setsClock {
            let message = "its time is before that of the event before it"
            report(.timeWentBack, record.id, message)
        }
        time = setsClock ? record.time : max(time, record.time)
    }

    /// Checks an event, nil of a type that is unknown here, in the state as it is before it.
    package mutating func check(_ record: EventRecord, _ event: Event?, before state: State) {
        checkSession(record, event, state)
        // An event of a type that is not known here says nothing that a rule is about.
        guard let event else { return }
        if event.payload.isInput {
            for id in ended { requests[id] = nil }
            ended = []
        }
        checkSigned(event)
        check(event, state)
    }

    /// Says what is missing at the end of the log, or before an event that others check.
    package mutating func finish(before event: Event? = nil) {
        if let event { checkSigned(event) } else { reportUnsigned() }
    }

    /// A transaction and its signatures are recorded in one commit: no log of ours has one alone.
    private mutating func checkSigned(_ event: Event) {
        if case .signatureMade = event.payload, event.request == unsigned?.request {
            unsigned = nil
        }
        reportUnsigned()
        if case .transactionPrepared = event.payload, let id = event.request {
            unsigned = (id, event.position)
        }
    }

    private mutating func reportUnsigned() {
        guard let found = unsigned else { return }
        unsigned = nil
        report(
            .unsignedDecision, found.position,
            "the transaction was prepared without being signed in the same commit")
    }

    /// Checks the state as it is after an event.
    package mutating func check(_ event: Event, after state: State) {
        if let id = event.request, state.request(id)?.status.isTerminal == true {
            ended.append(id)
        }
        checkBalances(event, state)
    }

    mutating func report(_ rule: Violation.Rule, _ position: Position, _ message: String) {
        violationCount += 1
        guard violations.count < Audit.mostViolations else { return }
        violations.append(Violation(rule, at: position, message))
    }

    private mutating func checkSession(_ record: EventRecord, _ event: Event?, _ state: State) {
        // A session is its own; one that began elsewhere is another's event.
        if case .sessionStarted = event?.payload, record.session == record.position { return }
        if state.sessions.contains(record.sessionID) { return }
        report(.outsideSession, record.id, "session \(record.session) never began")
    }

    private mutating func check(_ event: Event, _ state: State) {
        if case .walletAdded(let data) = event.payload, !data.isConsistent {
            report(.keyMismatch, event.position, "the fingerprint is not that of the wallet's keys")
        }
        guard let id = event.request else {
            if let finding = RequestAudit.needsRequest(event.payload) {
                report(finding.rule, event.position, finding.message)
            }
            return
        }
        var request = requests[id] ?? RequestAudit()
        let findings: [Finding]
        if case .requestReceived(let data) = event.payload, id.position == event.position {
            request.text = data.text
            findings = []
        } else if case .remedyRequested = event.payload, id.position == event.position {
            findings = []
        } else if let row = state.request(id) {
            findings = request.take(event, id, row, state)
            signatures += request.takeSignatures()
        } else {
            // Nothing is kept of it: it never ends, and any number can be made up.
            return report(
                .unknownRequest, event.position, "no request was received at event \(id)")
        }
        requests[id] = request
        for finding in findings { report(finding.rule, event.position, finding.message) }
    }

    private mutating func checkBalances(_ event: Event, _ state: State) {
        guard !isUnbalanced, event.payload.movesCoins else { return }
        guard let fault = state.damage.map({ "\($0)" }) ?? state.imbalance() else { return }
        // Once the books are wrong they stay so; what follows adds nothing.
        isUnbalanced = true
        report(.unbalanced, event.position, fault)
    }
}

extension Payload {
    /// Whether it can change a balance.
    fileprivate var movesCoins: Bool {
        switch self {
        case .chainObserved, .paymentReceived, .paymentMade, .walletRemoved, .transactionPrepared,
            .transactionFailed, .transactionConfirmed, .transactionReorganised,
            .transactionDropped, .requestCancelled:
            true
        default: false
        }
    }
}
