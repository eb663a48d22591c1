import DaybookDomain
package import DaybookEncoding
package import DaybookLog

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
                event = try Recording.event(record)
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
