package import DaybookDomain
package import DaybookEncoding
import DaybookLog

/// Checks the rules that every honest log keeps, without deciding anything again.
///
/// The recorded outcomes are believed only as far as they agree with each other and with the
/// signatures: a log that another engine made, or a hand, is judged by the same rules. Events go
/// in one by one, in their order; memory holds the state, not the log.
package struct Audit {
    /// How many events were taken in.
    package private(set) var events: UInt64 = 0

    private let logID: Bytes
    private var state: State
    private var rules = AuditRules()

    /// A log that is wrong from one end to the other is not listed whole.
    package static let mostViolations = 1000

    /// An audit of the log with this id.
    package init(logID: Bytes, rows: any Rows = MemoryRows()) {
        self.logID = logID
        state = State(in: rows)
    }

    /// What was found, in the order of the events; the first `mostViolations` of it.
    package var violations: [Violation] { rules.violations }
    /// How often a rule was broken.
    package var violationCount: Int { rules.violationCount }
    /// How many signatures of transactions were verified.
    package var signatures: Int { rules.signatures }

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

    /// Reports what was found outside of the events' own rules.
    package mutating func report(
        _ rule: Violation.Rule, _ position: Position, _ message: String
    ) {
        rules.report(rule, position, message)
    }

    /// Says what is missing at the end of the log.
    package mutating func finish() {
        rules.finish()
    }
}

/// A place where a log breaks a rule that every honest log keeps.
package struct Violation: Equatable, Sendable {
    package let position: Position
    package let rule: Rule
    /// What was found, in one sentence for people.
    package let message: String

    package init(_ rule: Rule, at position: Position, _ message: String) {
        self.position = position
        self.rule = rule
        self.message = message
    }

    /// The rules; the raw value is the name that stays the same in every version.
    package enum Rule: String, CaseIterable, Sendable {
        /// The log's tree does not have this event's hash, or does not follow from its hashes.
        case treeMismatch
        /// The log is not the one that a checkpoint vouches for, or the note is not its key's.
        case checkpointMismatch
        /// An event can't be read, or is not the one that belongs at its place.
        case malformed
        /// An event's time is before that of the event before it.
        case timeWentBack
        /// An event belongs to a session that never began.
        case outsideSession
        /// A wallet's fingerprint is not that of its keys: one of them was changed.
        case keyMismatch
        /// An event names a request that was never received.
        case unknownRequest
        /// What was prepared or signed is not what a user approved.
        case notApproved
        /// A decision stands without the signatures that belong to the same commit.
        case unsignedDecision
        /// A prepared transaction does something else than the request asked and the prompt said.
        case paysSomethingElse
        /// Something was approved or signed for a request that had expired.
        case afterExpiry
        /// The signed bytes are not the prepared ones with signatures.
        case signedSomethingElse
        /// A transaction's signature does not verify.
        case badSignature
        /// A transaction counts as sent that was not signed here.
        case sentUnsigned
        /// A request ended twice, or went on after its end.
        case secondOutcome
        /// A request was answered twice.
        case secondCallback
        /// A caller was told something that no decision or refusal stands for.
        case givenWithoutDecision
        /// A callback is no URL that may ever be opened.
        case forbiddenCallback
        /// What the wallets hold is not what the world paid in less what it got.
        case unbalanced
    }
}

/// What a rule found, before it is known where.
struct Finding: Equatable {
    let rule: Violation.Rule
    let message: String

    init(_ rule: Violation.Rule, _ message: String) {
        self.rule = rule
        self.message = message
    }
}
