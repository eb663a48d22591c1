package import DaybookEncoding
package import DaybookDomain
package import DaybookLog

/// The rules of an audit, over a state that the caller keeps.
///
/// The caller checks each event against the state before it and the state after it.
package struct AuditRules {
    /// The first `Audit.mostViolations` violations, in the order of the events.
    package internal(set) var violations: [Violation] = []
    var violationCount = 0
    /// How many signatures of transactions were verified.
    var signatures = 0

    /// The last signatures that the caller has verified, which are not verified again.
    package var verified: VerifiedSignatures?

    /// The sessions that were not judged, because their engines are unknown.
    package internal(set) var unjudged = UnjudgedSessions()

    private let engines: Engines
    /// Whether the engine of the last event is known.
    private var isJudging = true
    private(set) var time: UInt64
    var isUnbalanced = false
    /// The facts about open requests that the rules need beside the state.
    var requests: [RequestID: RequestAudit] = [:]
    /// A prepared transaction whose signature must be the next event.
    var unsigned: (request: RequestID, position: Position)?
    /// Requests that ended with the outcomes of the last input.
    var ended: [RequestID] = []

    /// The rules for the events after one with this time.
    package init(after time: UInt64 = 0, by engines: Engines = .known) {
        self.time = time
        self.engines = engines
    }

    /// Whether events of a request were checked or remembered.
    package func remembers(_ request: RequestID) -> Bool { requests[request] != nil }

    /// Remembers a request's events before the first that is checked.
    package mutating func remember(_ events: [Event], of id: RequestID, in state: State) {
        guard let row = state.request(id) else { return }
        var request = RequestAudit()
        for event in events {
            _ = state.seen(in: event.session, by: engines) {
                request.recall(event, of: id, row, in: $0)
            }
        }
        requests[id] = request
    }

    /// Checks that time goes back only in events that set the clock.
    package mutating func checkTime(_ record: EventRecord) {
        let setsClock = record.setsClock
        if record.time < time, !setsClock {
            let message = "its time is before that of the event before it"
            report(.timeWentBack, record.id, message)
        }
        time = setsClock ? record.time : max(time, record.time)
    }

    /// Checks an event, which is nil if its type is unknown, against the state before it.
    package mutating func check(_ record: EventRecord, _ event: Event?, before state: State) {
        checkSession(record, event, state)
        // No rule is about events of unknown types.
        guard let event else { return }
        if event.payload.isInput {
            for id in ended { requests[id] = nil }
            ended = []
        }
        let engine = state.unknownEngine(of: event, engines)
        isJudging = engine == nil
        if let engine {
            reportUnsigned()
            unjudged.note(event, engine: engine)
            return checkSignatures(event, state)
        }
        checkSigned(event)
        _ = state.seen(in: event.session, by: engines) { check(event, $0) }
    }

    /// Verifies the signatures of a transaction that an unknown engine has prepared.
    private mutating func checkSignatures(_ event: Event, _ state: State) {
        guard case .transactionSigned(let data) = event.payload,
            let prepared = event.request.flatMap({ state.request($0) })?.prepared
        else { return }
        signatures += prepared.inputs.count
        for finding in SignedCheck(signed: data, prepared: prepared).check() {
            report(finding.rule, event.position, finding.message)
        }
    }

    /// Reports what is missing at the end of the log.
    package mutating func finish() { reportUnsigned() }

    /// Checks that a transaction and its signatures were recorded in one commit.
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

    /// Checks an event against the state after it.
    package mutating func check(_ event: Event, after state: State) {
        if let id = event.request, state.status(of: id)?.isTerminal == true {
            ended.append(id)
        }
        checkBalances(event, state)
    }

    mutating func report(_ rule: Violation.Rule, _ position: Position, _ message: String) {
        violationCount += 1
        guard violations.count < Audit.mostViolations else { return }
        violations.append(Violation(rule, at: position, message))
    }

    /// Checks that the event's session has begun, and that its engine is the newest one so far.
    ///
    /// After a session of a newer engine no program writes by the rules of an older one: else a
    /// writer could choose the rules that suit him.
    private mutating func checkSession(_ record: EventRecord, _ event: Event?, _ state: State) {
        let engine: UInt64
        if case .sessionStarted(let data) = event?.payload, record.session == record.position {
            // `session.started` belongs to the session that it begins.
            engine = data.engine
        } else if let begun = state.engine(of: record.sessionID) {
            engine = begun
        } else {
            return report(
                .outsideSession, record.id, "session \(record.session) never began")
        }
        guard engine < state.engine else { return }
        let message = "its session is of engine \(engine), after one of engine \(state.engine)"
        report(.engineFell, record.id, message)
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
            findings = request.take(event, of: id, row, in: state, verified)
            signatures += request.takeSignatures()
        } else {
            // Nothing is remembered of it, as it never ends and any number can be made up.
            return report(
                .unknownRequest, event.position, "no request was received at event \(id)")
        }
        requests[id] = request
        for finding in findings { report(finding.rule, event.position, finding.message) }
    }

    private mutating func checkBalances(_ event: Event, _ state: State) {
        guard isJudging, !isUnbalanced, event.payload.movesCoins else { return }
        guard let fault = state.damage.map({ "\($0)" }) ?? state.imbalance() else { return }
        // Once the balances are wrong they stay wrong: one report is enough.
        isUnbalanced = true
        report(.unbalanced, event.position, fault)
    }
}

extension Payload {
    /// Whether the event can change a balance.
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
