package import DaybookDomain
package import DaybookEncoding
import DaybookLog

/// Checks the rules that every honest log keeps, without deciding anything again.
///
/// The recorded outcomes are believed only as far as they agree with each other and with the
/// signatures: a log that another engine made, or a hand, is judged by the same rules. Events go
/// in one by one, in their order; memory holds the state, not the log.
package struct Audit {
    /// What was found, in the order of the events; the first `mostViolations` of it.
    package private(set) var violations: [Violation] = []
    /// How often a rule was broken.
    package private(set) var violationCount = 0
    /// How many signatures of transactions were verified.
    package private(set) var signatures = 0
    /// How many events were taken in.
    package private(set) var events: UInt64 = 0

    private let logID: Bytes
    private var state: State
    private var time: UInt64 = 0
    private var isUnbalanced = false
    /// What the state does not keep of the requests that have not ended.
    private var requests: [UInt64: RequestAudit] = [:]
    /// A prepared transaction whose signatures must be the next input.
    private var unsigned: (request: UInt64, position: UInt64)?
    /// Requests that ended with the outcomes of the last input.
    private var ended: [UInt64] = []

    /// A log that is wrong from one end to the other is not listed whole.
    package static let mostViolations = 1000

    /// An audit of the log with this id.
    package init(logID: Bytes, rows: any Rows = MemoryRows()) {
        self.logID = logID
        state = State(rows)
    }

    /// Takes the next event of the log, in the bytes that the log has for it.
    ///
    /// Returns what it says, if it can be read and is of a type that is known here.
    @discardableResult
    package mutating func feed(_ bytes: Bytes) -> Event? {
        let position = events
        events += 1
        do {
            let record = try EventRecord.decode(bytes)
            guard record.position == position, record.logID == logID else {
                report(.malformed, position, "an event of another place or log")
                return nil
            }
            if record.time < time {
                report(.timeWentBack, position, "its time is before that of the event before it")
            }
            time = max(time, record.time)
            let event = try Recording.event(record)
            checkSession(record, event)
            // An event of a type that is not known here says nothing that a rule is about.
            if let event { take(event) }
            return event
        } catch {
            report(.malformed, position, "\(error)")
            return nil
        }
    }

    /// Reports what was found outside of the events' own rules.
    package mutating func report(
        _ rule: Violation.Rule, _ position: UInt64, _ message: String
    ) {
        violationCount += 1
        guard violations.count < Self.mostViolations else { return }
        violations.append(Violation(rule, at: position, message))
    }

    /// Says what is missing at the end of the log.
    package mutating func finish() { reportUnsigned() }

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

    private mutating func checkSession(_ record: EventRecord, _ event: Event?) {
        // A session is its own; one that began elsewhere is another's event.
        if case .sessionStarted = event?.payload, record.session == record.position { return }
        let session: SessionRow? = state.get(Key.session(record.session))
        guard session?.ended != false else { return }
        report(
            .outsideSession, record.position,
            "session \(record.session) " + (session == nil ? "never began" : "had ended"))
    }

    private mutating func take(_ event: Event) {
        if event.payload.isInput {
            for id in ended { requests[id] = nil }
            ended = []
        }
        checkSigned(event)
        check(event)
        state.evolve(event)
        if let id = event.request, state.request(id)?.status.isTerminal == true {
            ended.append(id)
        }
        checkBalances(event)
    }

    private mutating func check(_ event: Event) {
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
        if case .requestReceived(let data) = event.payload, id == event.position {
            request.text = data.text
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

    private mutating func checkBalances(_ event: Event) {
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
            .transactionDropped:
            true
        default: false
        }
    }
}
