package import DaybookDomain
package import DaybookEncoding
import DaybookLog

/// Checks the rules that every honest log keeps, without deciding anything again.
///
/// The recorded outcomes must agree with each other and with the signatures. A prompt is made again
/// by the rules of its session's engine. Where that is unknown, only signatures are judged.
/// Events are taken one by one, in order; memory holds the state, not the log.
package struct Audit {
    /// How many events were fed.
    package private(set) var events: UInt64

    private let logID: Bytes
    private(set) var state: State
    private(set) var rules: AuditRules

    /// How many violations are listed at most.
    package static let mostViolations = 1000

    /// An audit of the log with this id.
    package init(logID: Bytes, rows: any Rows = MemoryRows(), by engines: Engines = .known) {
        self.init(logID: logID, events: 0, State(in: rows), AuditRules(by: engines))
    }

    /// An audit that goes on after some events.
    init(logID: Bytes, events: UInt64, _ state: State, _ rules: AuditRules) {
        (self.logID, self.events, self.state, self.rules) = (logID, events, state, rules)
    }

    /// The first `mostViolations` violations, in the order of the events.
    package var violations: [Violation] { rules.violations }
    /// How many violations there are.
    package var violationCount: Int { rules.violationCount }
    /// How many signatures of transactions were verified.
    package var signatures: Int { rules.signatures }

    /// Takes the bytes of the next event; returns the event if it can be read.
    @discardableResult
    package mutating func feed(_ bytes: Bytes) -> Event? {
        let position = events
        events += 1
        do {
            let record = try EventRecord.decode(bytes)
            guard record.position == position, record.logID == logID else {
                report(.malformed, Position(position), "an event of another place or log")
                return nil
            }
            rules.checkTime(record)
            let event = try record.event()
            rules.check(record, event, before: state)
            if let event {
                state.evolve(event)
                rules.check(event, after: state)
            }
            return event
        } catch {
            report(.malformed, Position(position), "\(error)")
            return nil
        }
    }

    /// Reports a violation that the caller found.
    package mutating func report(
        _ rule: Violation.Rule, _ position: Position, _ message: String
    ) {
        rules.report(rule, position, message)
    }

    /// Reports what is missing at the end of the log.
    package mutating func finish() {
        rules.finish()
    }
}

/// A rule that a log breaks, and the event that breaks it.
package struct Violation: Equatable, Sendable {
    package let position: Position
    package let rule: Rule
    /// The fault, in one sentence.
    package let message: String

    package init(_ rule: Rule, at position: Position, _ message: String) {
        self.position = position
        self.rule = rule
        self.message = message
    }

    /// The rules; their raw values are stable.
    package enum Rule: String, CaseIterable, Sendable {
        /// The log's tree does not have this event's hash, or is inconsistent.
        case treeMismatch
        /// The log differs from the one of a checkpoint, or the checkpoint's signature is wrong.
        case checkpointMismatch
        /// An event can't be read, or does not belong at its position.
        case malformed
        /// A recorded time stamp is not of its checkpoint, or not validly signed.
        case stampInvalid
        /// An event's time and that of a witness or a time stamp contradict each other.
        case timeDisagrees
        /// An event's time is before that of the previous event.
        case timeWentBack
        /// An event belongs to a session that never began.
        case outsideSession
        /// An event belongs to a session of an older engine than an earlier session.
        case engineFell
        /// A wallet's fingerprint does not match its keys.
        case keyMismatch
        /// An event names a request that was never received.
        case unknownRequest
        /// Something was prepared or signed that no user approved.
        case notApproved
        /// A decision lacks the signatures that are recorded in the same commit.
        case unsignedDecision
        /// A prepared transaction differs from what the request asked for or the prompt showed.
        case paysSomethingElse
        /// Something was approved or signed for a request that had expired.
        case afterExpiry
        /// The signed bytes are not the prepared ones with signatures.
        case signedSomethingElse
        /// A transaction's signature does not verify.
        case badSignature
        /// A transaction is recorded as sent that was never signed.
        case sentUnsigned
        /// A request ended twice, or continued after its end.
        case secondOutcome
        /// A request was answered twice.
        case secondCallback
        /// A caller was answered without a decision or refusal that justifies the answer.
        case givenWithoutDecision
        /// A callback is not a URL that a front end may open.
        case forbiddenCallback
        /// The postings do not sum to zero.
        case unbalanced
    }
}

/// A violation without its position.
struct Finding: Equatable {
    let rule: Violation.Rule
    let message: String

    init(_ rule: Violation.Rule, _ message: String) {
        self.rule = rule
        self.message = message
    }
}
