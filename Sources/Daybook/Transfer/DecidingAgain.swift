import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

/// The rules that the events of an import are checked by.
struct ImportRules {
    /// The engines that `decide` knows.
    var engines = Engines.known
    /// Computes the outcomes of an input.
    let decide: @Sendable (State, Event) -> [Outcome]?
    /// The time when the import began, in microseconds.
    let now: UInt64
    /// The receiver of reports about the progress.
    let work: LongWork

    /// The latest credible time of an event: the clocks of two machines differ by at most a day.
    var latest: UInt64 { now > .max - Self.day ? .max : now + Self.day }

    private static let day: UInt64 = 86_400_000_000
}

extension LongWork {
    /// The two times that an import reads all events.
    enum ImportPass: UInt64 { case decide, append }

    /// Reports the number of events that a pass of an import has read.
    func report(_ pass: ImportPass, _ events: UInt64, of header: ExportHeader) throws {
        let all = header.head.size
        try report(pass.rawValue * all + events, of: 2 * all)
    }
}

/// Decides the events of an import again, as a continuation of a log.
///
/// An import trusts nothing: each outcome must follow from the inputs before it, byte for byte, and
/// no event may break a rule of the audit. The log itself does not change: changes of the state's
/// rows are kept on top of the log's rows, in memory or, for many events, in a temporary file.
struct DecidingAgain {
    private let scratch: [any Rows]
    private var replayer: Replayer
    private var audit: AuditRules
    private let engines: Engines
    /// The log that is continued.
    private let log: LogSnapshot

    /// Continues a log; `events` is about the number of events to come.
    init(_ rules: ImportRules, after log: LogSnapshot, events: UInt64) throws {
        let (changes, streams) = (
            try ScratchRows.forEvents(events), try ScratchRows.forEvents(events))
        scratch = [changes, streams]
        let start = Replayer.Start(
            count: log.count, time: log.lastTime,
            streams: StreamHeads(OverlayRows(log.streamRows, changes: streams)),
            frontEnd: { Self.frontEnd(ofSession: $0, in: log) })
        // The state of a short log is in memory as values, which need no encoding.
        let isShort = log.count == 0 && changes is MemoryRows
        replayer = Replayer(
            isShort ? State() : log.state.keeping(in: changes), after: start,
            decide: rules.decide)
        audit = AuditRules(after: log.lastTime, by: rules.engines)
        engines = rules.engines
        self.log = log
    }

    /// The number of events of unknown types or versions, which were not decided.
    var notChecked: UInt64 { replayer.notChecked }

    /// Takes the next event; throws if it does not follow.
    mutating func take(_ read: ReadRecord) throws {
        let record = read.record
        let event: Event?
        do {
            event = try read.event.get()
        } catch {
            // An invalid event of a known type can't be imported.
            throw DaybookError(
                "eventInvalid", .refused, "event \(record.position): \(error)",
                position: record.id)
        }
        if let event { try remember(requestOf: event) }
        if let verified = read.verified { audit.verified = verified }
        audit.checkTime(record)
        audit.check(record, event, before: replayer.state)
        replayer.take(read)
        if let unjudged = replayer.unjudged.all.first {
            throw DaybookError(
                "exportTooNew", .refused, unjudged.sentence(engines), position: record.id)
        }
        if let event { audit.check(event, after: replayer.state) }
        try check()
    }

    /// Throws if the last input lacks outcomes.
    mutating func finish() throws {
        replayer.finish()
        audit.finish()
        try check()
    }

    private func check() throws {
        guard let first = refusal else { return }
        // A failure to write the scratch rows would look like a divergence.
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
            Self.diverges(
                Position(replayer.events),
                "the events before it contradict each other: \(damage)")
        }
    }

    private static func diverges(_ position: Position, _ reason: String) -> DaybookError {
        DaybookError(
            "importDiverges", .refused, "event \(position) can't be taken in: \(reason)",
            position: position)
    }

    // MARK: - The log

    private static func frontEnd(ofSession session: SessionID, in log: LogSnapshot) -> String? {
        guard let record = try? log.record(at: session.number),
            let event = try? record.event(),
            case .sessionStarted(let data) = event.payload
        else { return nil }
        return data.frontEnd
    }

    // MARK: - Requests that began earlier

    /// Tells the audit the events of a request before the first decided event.
    private mutating func remember(requestOf event: Event) throws {
        guard let id = event.request, id.number < log.count, !audit.remembers(id) else { return }
        let events = try log.positions(ofRequest: id.number).compactMap { position in
            try log.record(at: position).flatMap { try $0.event() }
        }
        audit.remember(events, of: id, in: replayer.state)
    }
}
