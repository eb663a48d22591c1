package import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// The weaker and faster replay: takes recorded events in, decides nothing.
package enum Fold {
    /// How many events are read at a time, so that memory stays flat.
    static let batch = 1024

    /// The state as it was after the event at a position.
    package static func state(
        of log: some LogReading, through position: UInt64, rows: any Rows = MemoryRows()
    ) throws -> State {
        var state = State(in: rows)
        try each(of: log, through: position) { record in
            if let event = try Recording.event(record) { state.evolve(event) }
        }
        return state
    }

    /// Calls `body` with every event up to a position, in order.
    package static func each(
        of log: some LogReading, through position: UInt64, _ body: (EventRecord) throws -> Void
    ) throws {
        var next: UInt64 = 0
        while next <= position {
            let records = try log.records(from: next, limit: batch)
            guard !records.isEmpty else { return }
            for record in records where record.position <= position { try body(record) }
            next += UInt64(records.count)
        }
    }
}
