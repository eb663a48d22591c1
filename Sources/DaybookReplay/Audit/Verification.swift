import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// The result of verifying a log or a part of one.
package struct Verification: Sendable {
    /// The head of the log's tree, computed from events and from the hashes of left-out ones.
    package let head: TreeHead
    /// How many events were read: all events of the tree, or a part.
    package let events: UInt64
    /// How many signatures of transactions were verified.
    package let signatures: Int
    /// The checkpoints.
    package let checkpoints: CheckpointTally
    /// The time stamps.
    package let stamps: StampTally
    /// The positions that witnesses and time-stamping authorities cover.
    package let coverage: Coverage
    /// The first thousand violations, by position.
    package let violations: [Violation]
    /// How many violations there are.
    package let violationCount: Int
    /// The sessions that were not judged, because their engines are unknown; `gaps` says so too.
    package let unjudged: UnjudgedSessions
    /// The checks that could not be made.
    package let gaps: [Gap]

    /// A check that could not be made, and why.
    package struct Gap: Sendable {
        /// The checks; their raw values are stable.
        package enum Check: String, Sendable {
            /// That every outcome follows from its input.
            case replay
            /// The rules that need the state, and so every event and each event's engine.
            case rules
            /// That no event of the selection is missing.
            case completeness
            /// That signed transactions are the prepared ones, signed by their keys.
            case transactionSignatures
            /// That a trusted key has signed the checkpoints.
            case checkpointSignatures
            /// That the events are covered by a checkpoint that a trusted key has signed.
            case eventsAfterCheckpoint
            /// That the time stamps are of an authority that is trusted.
            case timeStamps
            /// That somebody outside of the store has seen the checkpoints.
            case witnesses
        }

        package let check: Check
        /// The reason, in one sentence.
        package let why: String

        init(_ check: Check, _ why: String) {
            self.check = check
            self.why = why
        }
    }
}

extension UnjudgedSessions {
    /// How many sessions are named as gaps.
    private static let mostNamed = 100

    /// The gaps that they leave, in sentences.
    package var gaps: [Verification.Gap] {
        let named = all.prefix(Self.mostNamed).map { Verification.Gap(.rules, $0.sentence()) }
        let rest = all.count - named.count
        return rest == 0
            ? named : named + [.init(.rules, "\(rest) more sessions are of unknown engines")]
    }
}

/// The result of verifying a stored log: its events, tables, checkpoints and state.
package struct LogVerification: Sendable {
    /// How many events there are.
    package let events: UInt64
    /// The root of the tree over the events, computed from their bytes.
    package let root: Bytes
    /// The first fault of each kind; empty for an undamaged log.
    package let faults: [LogFault]

    /// Verifies a log; `rows` makes the empty rows in which the derived data is rebuilt.
    package init(
        of log: EventLog, rows: () throws -> any Rows,
        progress: @escaping (_ table: String, _ entries: UInt64) throws -> Void
    ) throws {
        var check = try LogCheck(of: log, rows: rows, progress: progress)
        var state = State(in: try rows())
        state.keepsSearchIndex = true
        try check.run(
            each: { record, head, faults in
                let event: Event?
                do throws(FieldError) {
                    event = try record.event()
                } catch {
                    faults.note(
                        LogFault(
                            .eventWrong, "events", position: record.position,
                            "\(error)"))
                    return
                }
                guard let event else { return }
                if case .checkpointMade(let data) = event.payload,
                    !data.isSigned(of: head(), ofLog: record.logID)
                {
                    faults.note(
                        LogFault(
                            .checkpointWrong, "events", position: record.position,
                            "the checkpoint is not of the events before it, or not signed"))
                }
                state.evolve(event)
            }, state: { state.rows })
        if let damage = state.damage {
            check.faults.note(
                LogFault(.wrong, "state", "the events contradict each other: \(damage)"))
        }
        events = check.events
        root = check.tree.root().bytes
        faults = check.faults.first
    }
}
