import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// What verifying a log, or a part of one, has shown.
package struct Verification: Sendable {
    /// The head of the log's tree, by the hashes of its events and of what stands for others.
    package let head: TreeHead
    /// How many events were read: all of the tree's, or a part of them.
    package let events: UInt64
    /// How many signatures of transactions were verified.
    package let signatures: Int
    /// The checkpoints that were found.
    package let checkpoints: CheckpointTally
    /// What was found, by position; the first thousand of it.
    package let violations: [Violation]
    /// How often a rule was broken.
    package let violationCount: Int
    /// What could not be checked.
    package let gaps: [Gap]

    /// Something that could not be checked, and why.
    package struct Gap: Sendable {
        /// The checks; the raw value is the name that stays the same in every version.
        package enum Check: String, Sendable {
            /// That every outcome follows from its input.
            case replay
            /// The rules that need the state, and so every event.
            case rules
            /// That all events that were asked for are there.
            case completeness
            /// That signed transactions are the prepared ones, signed by their keys.
            case transactionSignatures
            /// That a key that is trusted has signed the checkpoints.
            case checkpointSignatures
            /// That events are among those that a trusted key has signed.
            case eventsAfterCheckpoint
        }

        package let check: Check
        /// One sentence for people.
        package let why: String

        init(_ check: Check, _ why: String) {
            self.check = check
            self.why = why
        }
    }
}

/// What rereading a whole log has shown: its events, its tables, its checkpoints and its state.
package struct LogVerification: Sendable {
    /// How many events there are.
    package let events: UInt64
    /// The root over them, made from their bytes.
    package let root: Bytes
    /// The first fault of each kind; none of a log that is as it was written.
    package let faults: [LogFault]

    /// Rereads a log; what follows from the events is made again in what `rows` gives, empty rows.
    package init(
        _ log: LogSnapshot, rows: () throws -> any Rows,
        progress: @escaping (_ table: String, _ entries: UInt64) -> Void
    ) throws {
        var check = try LogCheck(log, rows: rows, progress: progress)
        var state = State(in: try rows())
        check.run { record, head, faults in
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
        }
        let folded = state
        check.attempt("state") { (check) throws in
            if let damage = folded.damage {
                check.faults.note(
                    LogFault(.wrong, "state", "the events contradict each other: \(damage)"))
            }
            try check.compare(log.state.rows, folded.rows, "state")
        }
        events = check.events
        root = check.tree.root().bytes
        faults = check.faults.first
    }
}
