package import DaybookDomain
import DaybookEncoding
package import DaybookLog
import DaybookSystem
internal import Synchronization

/// What a log's events added up to after any of them.
///
/// The answer is that of a fold from the first event on. With a folder for a history it costs what
/// is read of it, however long the log is; see `docs/adr/0020`. Whatever is wrong with that folder
/// costs time, and a note, but no answer.
package struct StateHistory {
    private let log: EventLog
    private let folder: String?
    private let spacing: UInt64
    private let fewest: UInt64
    private let note: (String) -> Void

    /// The history of a log, kept under a folder, or nowhere.
    ///
    /// A fold of less than `fewest` events is done at once, and nothing is kept.
    package init(
        of log: EventLog, keptUnder folder: String?, spacing: UInt64 = 1024,
        fewest: UInt64 = 8192, note: @escaping (String) -> Void = { _ in }
    ) {
        self.log = log
        self.folder = folder
        self.spacing = spacing
        self.fewest = fewest
        self.note = note
    }

    /// What `body` makes of the state as it was after the event at a position.
    ///
    /// `body` may run twice, if a history turns out to be damaged.
    package func read<Answer>(
        through position: UInt64, _ body: (State) -> Answer
    ) throws -> Answer {
        let end = position + 1
        if let folder, end >= fewest, try log.read({ end <= $0.count }) {
            do {
                return try kept(folder, end, body)
            } catch {
                note("the history in \(folder) is not used: \(error)")
                if HistoryCache.isDamage(error) {
                    // Best effort: what is left over is found to be damaged again.
                    try? HistoryCache.remove(log, under: folder)
                }
            }
        }
        return try ScratchRows.withState(forEvents: end) { state in
            var state = state
            try log.fold(0..<end, into: &state)
            return body(state)
        }
    }

    private func kept<Answer>(
        _ folder: String, _ end: UInt64, _ body: (State) -> Answer
    ) throws -> Answer {
        let cache = try HistoryCache(of: log, under: folder, spacing: spacing)
        let start = end - end % spacing
        try cache.extend(to: start)
        return try cache.read(at: start) { past in
            var state = State(past)
            try log.fold(start..<end, into: &state)
            let answer = body(state)
            if state.damage != nil { throw HistoryError.damaged }
            return answer
        }
    }
}

extension EventLog {
    /// Takes the events in a range of positions into a state, as they were recorded.
    ///
    /// A page of the log is read at a time: a writer meanwhile waits for nobody, and reuses its
    /// space.
    func fold(_ range: Range<UInt64>, into state: inout State) throws {
        var next = range.lowerBound
        while next < range.upperBound {
            let limit = Int(min(Self.page, range.upperBound - next))
            let records = try read { try $0.records(from: next, limit: limit) }
            guard !records.isEmpty else {
                throw LogError.damaged(position: next, reason: "the event is missing")
            }
            for record in records {
                if let event = try record.event() { state.evolve(event) }
            }
            next += UInt64(records.count)
        }
    }

    private static let page: UInt64 = 1024
}

/// A log that several threads read, one at a time.
package final class SharedLog: Sendable {
    private let log: Mutex<EventLog>

    /// Opens a log for reading only; others may write to it meanwhile.
    package init(readingAt path: String) throws {
        log = Mutex(try EventLog(readingAt: path))
    }

    /// Runs `body` while no other thread reads.
    package func withLog<Value: Sendable>(
        _ body: (EventLog) throws -> Value
    ) throws -> Value {
        try log.withLock { try body($0) }
    }

    /// Runs `body` on the log as it is now.
    package func read<Value: Sendable>(
        _ body: (LogSnapshot) throws -> Value
    ) throws -> Value {
        try withLog { try $0.read(body) }
    }

    /// The events from a position on, at most `limit`, without gaps.
    ///
    /// They are decoded by the thread that asks: others may read meanwhile.
    package func records(from position: UInt64, limit: Int) throws -> [EventRecord] {
        let (logID, events) = try read { snapshot in
            (snapshot.logID, try snapshot.bytes(from: position, limit: limit))
        }
        return try EventRecord.decode(events, from: position, ofLog: logID)
    }
}

extension Replay {
    /// Decides the parts of a log of so many events at the same time, one for each core.
    ///
    /// `decide` reads the log by itself for each part, into a state of its own. What it came to is
    /// handed out in the order of the parts. Of the errors that it throws that of the first part is
    /// thrown, as deciding the whole would.
    package static func inParts<Decided: Sendable>(
        events: UInt64, cores: Int,
        _ decide: @Sendable (Range<UInt64>, State) throws -> Decided
    ) throws -> [Decided] {
        try Cores.map(parts(of: events, cores: cores)) { part in
            try ScratchRows.withState(forEvents: min(events, part.upperBound)) { state in
                try decide(part, state)
            }
        }
    }
}
