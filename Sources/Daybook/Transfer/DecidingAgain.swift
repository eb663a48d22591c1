import DaybookDomain
import DaybookEncoding
import DaybookHistory
import DaybookLog
import DaybookReplay
import DaybookTree

/// What the events of an import are held against.
struct ImportRules {
    /// What follows from an input.
    let decide: @Sendable (State, Event) -> [Outcome]
    /// The time when the import began, in microseconds.
    let now: UInt64

    /// Clocks of two machines differ, but not by more than a day.
    var latest: UInt64 { now > .max - Self.day ? .max : now + Self.day }

    private static let day: UInt64 = 86_400_000_000
}

/// Decides the events of an import again, as a continuation of what a log holds.
///
/// An import believes nothing: an outcome must be what our rules make of the inputs before it, to
/// the byte, and no event may break a rule of the audit. Neither the log nor anything outside
/// changes: the state's rows are those of the log, with changes on top that lie in memory, or of
/// many events in a file of their own.
struct DecidingAgain {
    private let log: LogSnapshot
    private let latest: UInt64
    /// The first event that is too far ahead, unless the clock was set back after it.
    private var ahead: UInt64?
    private let scratch: [any Rows]
    private var replayer: Replayer
    private var audit: AuditRules

    /// Goes on from a log as it is; `events` says how many there will be, more or less.
    init(
        _ rules: ImportRules, after log: LogSnapshot, ofLog logID: Bytes, events: UInt64
    ) throws {
        self.log = log
        latest = rules.latest
        let (changes, streams) = (
            try ScratchRows.forEvents(events), try ScratchRows.forEvents(events))
        scratch = [changes, streams]
        let isEmpty = log.count == 0
        let start = Replayer.Start(
            tree: try Self.tree(of: log), time: log.lastTime,
            streams: StreamHeads(
                isEmpty ? streams : OverlayRows(log.streamRows, changes: streams)),
            frontEnd: { Self.frontEnd(ofSession: $0, in: log) })
        replayer = Replayer(
            log.state.keeping(in: changes), after: start, decide: rules.decide)
        audit = AuditRules(after: log.lastTime)
    }

    /// How many events are of types or versions that nobody knows here, and were not decided.
    var notChecked: UInt64 { replayer.notChecked }

    /// Takes the next event, nil of an unknown type; throws where it does not follow.
    mutating func take(_ record: EventRecord, _ event: Event?) throws {
        if record.time <= latest {
            ahead = nil
        } else if ahead == nil {
            ahead = record.position
        }
        if let id = event?.request, id < log.count, !audit.remembers(id) {
            audit.remember(try events(ofRequest: id), of: id, in: replayer.state)
        }
        audit.checkTime(record)
        audit.check(record, event, before: replayer.state)
        do {
            try replayer.feed(record, .success(event))
        } catch {
            throw DaybookError(
                "exportTooNew", .refused, error.description, position: record.position)
        }
        if let event { audit.check(event, after: replayer.state) }
        try check()
    }

    /// Throws where the last input lacks outcomes.
    mutating func finish() throws {
        replayer.finish()
        audit.finish()
        try check()
        guard let ahead else { return }
        throw DaybookError(
            "importFromFuture", .refused,
            "from event \(ahead) on the log's times are more than a day ahead of this machine's "
                + "clock", position: ahead)
    }

    private func check() throws {
        guard let first = refusal else { return }
        // What could not be kept looks as if it had never happened.
        for rows in scratch { try ScratchRows.check(rows) }
        throw first
    }

    private var refusal: DaybookError? {
        if let violation = audit.violations.first {
            return Self.diverges(violation.position, violation.message)
        }
        if let divergence = replayer.divergences.first {
            let field = Text.escaped(String(divergence.field.prefix(64)))
            return Self.diverges(
                divergence.position, "its \(field) is not what follows from the events before it")
        }
        return replayer.state.damage.map { damage in
            Self.diverges(replayer.events, "the events before it contradict each other: \(damage)")
        }
    }

    private static func diverges(_ position: UInt64, _ reason: String) -> DaybookError {
        DaybookError(
            "importDiverges", .refused, "event \(position) can't be taken in: \(reason)",
            position: position)
    }

    // MARK: - What the log holds

    private static func tree(of log: LogSnapshot) throws -> TreeFold {
        var tree = TreeFold()
        let range = 0..<log.count
        for (height, hash) in zip(TreeFold.cover(range), try log.cover(range)) {
            tree.add(hash, height: height)
        }
        return tree
    }

    private static func frontEnd(ofSession session: UInt64, in log: LogSnapshot) -> String? {
        guard let record = try? log.record(at: session), let event = try? Recording.event(record),
            case .sessionStarted(let data) = event.payload
        else { return nil }
        return data.frontEnd
    }

    private func events(ofRequest id: UInt64) throws -> [Event] {
        try log.positions(ofRequest: id).compactMap { position in
            try log.record(at: position).flatMap { try Recording.event($0) }
        }
    }
}
