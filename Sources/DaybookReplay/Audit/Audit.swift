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
            let event = try Recording.event(record)
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
