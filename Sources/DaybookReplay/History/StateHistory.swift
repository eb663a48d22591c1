package import DaybookDomain
import DaybookEncoding
package import DaybookLog
import DaybookSystem

/// Answers queries about the state after any event of a log.
///
/// The answer is always that of a fold from the first event. With a folder for a history, a query
/// takes time only for what it reads, however long the log is; see `docs/adr/0017`. Damage in that
/// folder costs time, and a note, but does not change the answer.
package struct StateHistory {
    private let log: EventLog
    private let folder: String?
    private let spacing: UInt64
    private let fewest: UInt64
    private let note: (String) -> Void
    private let report: (_ done: UInt64, _ all: UInt64) throws -> Void

    /// The history of a log, stored under a folder, or not stored at all.
    ///
    /// Fewer than `fewest` events are folded at once, and nothing is stored. `report` gets how many
    /// events are folded, of how many; an error that it throws ends the query.
    package init(
        of log: EventLog, keptUnder folder: String?, spacing: UInt64 = 1024,
        fewest: UInt64 = 8192, note: @escaping (String) -> Void = { _ in },
        report: @escaping (_ done: UInt64, _ all: UInt64) throws -> Void = { _, _ in }
    ) {
        self.log = log
        self.folder = folder
        self.spacing = spacing
        self.fewest = fewest
        self.note = note
        self.report = report
    }

    /// Runs `body` on the state after the event at a position.
    ///
    /// `body` runs twice if the history turns out to be damaged.
    package func read<Answer>(
        through position: UInt64, _ body: (State) -> Answer
    ) throws -> Answer {
        let end = position + 1
        if let folder, end >= fewest, try log.read({ end <= $0.count }) {
            do {
                return try kept(folder, end, body)
            } catch let error as CancellationError {
                throw error
            } catch {
                note("the history in \(folder) is not used: \(error)")
                if HistoryCache.isDamage(error) {
                    // Best effort: if it stays, it is found to be damaged again.
                    try? HistoryCache.remove(log, under: folder)
                }
            }
        }
        return try Self.fold(log, upTo: end, reporting: report, body)
    }

    /// Runs `body` on the state after a log's first `end` events, which are folded for it.
    package static func fold<Answer>(
        _ log: EventLog, upTo end: UInt64,
        reporting report: (_ done: UInt64, _ all: UInt64) throws -> Void,
        _ body: (State) throws -> Answer
    ) throws -> Answer {
        try ScratchRows.withState(forEvents: end) { state in
            var state = state
            try log.fold(0..<end, into: &state) { try report($0, end) }
            return try body(state)
        }
    }

    private func kept<Answer>(
        _ folder: String, _ end: UInt64, _ body: (State) -> Answer
    ) throws -> Answer {
        let cache = try HistoryCache(of: log, under: folder, spacing: spacing)
        let start = end - end % spacing
        try cache.extend(to: start) { try report($0, end) }
        return try cache.read(at: start) { past in
            var state = State(past)
            try log.fold(start..<end, into: &state) { try report($0, end) }
            let answer = body(state)
            if state.damage != nil { throw HistoryError.damaged }
            return answer
        }
    }
}

extension EventLog {
    /// Applies the recorded events in a range of positions to a state.
    ///
    /// Each page of events is a read of its own, so that a writer can reuse freed space meanwhile.
    /// `report` gets the position after each page.
    func fold(
        _ range: Range<UInt64>, into state: inout State,
        reportingTo report: (_ next: UInt64) throws -> Void = { _ in }
    ) throws {
        var next = range.lowerBound
        while next < range.upperBound {
            let limit = Int(min(Self.page, range.upperBound - next))
            let records = try decodedRecords(from: next, limit: limit)
            guard !records.isEmpty else {
                throw LogError.damaged(position: next, reason: "the event is missing")
            }
            for decoded in records {
                if let event = try decoded.event.get() { state.evolve(event) }
            }
            next += UInt64(records.count)
            try report(next)
        }
    }

    private static let page: UInt64 = 1024

    /// The events from a position on, at most `limit`, without gaps.
    package func records(from position: UInt64, limit: Int) throws -> [EventRecord] {
        try read { try $0.records(from: position, limit: limit) }
    }

    /// The same with the events in them.
    package func decodedRecords(from position: UInt64, limit: Int) throws -> [DecodedRecord] {
        try read { try $0.decodedRecords(from: position, limit: limit) }
    }
}

extension Replay {
    /// Decides the events of a log again; `next` reads its next records, and nil after the last.
    ///
    /// `report` gets the position after each batch. A log that was cut on purpose (`isWhole` false)
    /// may lack outcomes.
    package init(
        events: UInt64, isWhole: Bool = true, scope: Replayer.Scope = .all,
        decide: @escaping (State, Event) -> [Outcome]?,
        reporting report: (_ next: UInt64) throws -> Void = { _ in },
        reading next: sending @escaping () throws -> [DecodedRecord]?
    ) throws {
        let rows = try ScratchRows.forEvents(events)
        var replayer = Replayer(
            rows is MemoryRows ? State() : State(in: rows), scope: scope, decide: decide)
        try replayer.take(from: RecordReader(), reporting: report, reading: next)
        replayer.finish(isWhole: isWhole)
        self.init(replayer)
        try ScratchRows.check(rows)
    }
}

extension Replayer {
    /// Takes the records that `next` reads; returns the tree over all events so far.
    ///
    /// This thread decides some records while another one reads those after them (ADR 62).
    @discardableResult
    package mutating func take(
        from reader: RecordReader, reporting report: (_ next: UInt64) throws -> Void,
        reading next: sending @escaping () throws -> [DecodedRecord]?
    ) throws -> TreeFold {
        var tree = reader.tree
        let records = (next, reader)
        try Lookahead.each(of: records, { records in
            try records.0().map { batch in
                (batch.map { records.1.read($0) }, records.1.tree)
            }
        }) { batch in
            for read in batch.0 { take(read) }
            tree = batch.1
            try report(events)
        }
        return tree
    }
}
