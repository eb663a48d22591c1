import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

/// The rules that the events of an import are checked by.
struct ImportRules {
    /// Computes the outcomes of an input.
    let decide: @Sendable (State, Event) -> [Outcome]
    /// The time when the import began, in microseconds.
    let now: UInt64
    /// What the progress is reported to.
    let work: LongWork

    /// The latest credible time of an event: the clocks of two machines differ by at most a day.
    var latest: UInt64 { now > .max - Self.day ? .max : now + Self.day }

    private static let day: UInt64 = 86_400_000_000
}

extension ImportRules {
    /// Decides again the events of a proven export that a log lacks.
    ///
    /// Returns the number of events of unknown types. Throws at the first event that does not
    /// follow from those before it. A whole log is shared among the cores; the continuation of a
    /// log is decided on one core, because a snapshot belongs to its thread.
    func decideAgain(
        _ export: ProvenExport, after log: LogSnapshot,
        _ open: @Sendable () throws -> sending ExportBatches
    ) throws -> UInt64 {
        if export.steps.isEmpty { return 0 }
        let missing = export.header.head.size - export.known
        var notChecked: UInt64 = 0
        if log.count > 0 {
            var deciding = try DecidingAgain(self, after: log, events: missing)
            var steps = export.steps[...]
            try Ahead.each(of: try open(), { try ReadStep($0.next(), of: export) }) { step in
                try work.report(.decide, step.head.size, of: export.header)
                try deciding.take(step, &steps)
            }
            if !steps.isEmpty { throw ProvenExport.changed }
            try deciding.finish()
            notChecked = deciding.notChecked
        } else {
            let parts = try Replay.inParts(events: missing, cores: Process.cores) { part, state in
                try notCheckedEvents(in: part, state, export, try open())
            }
            notChecked = parts.reduce(0, +)
        }
        guard let ahead = export.ahead else { return notChecked }
        throw DaybookError(
            "importFromFuture", .refused,
            "from event \(ahead) on the log's times are more than a day ahead of this machine's "
                + "clock", position: Position(ahead))
    }

    /// Decides a part of a whole log again; returns the number of events of unknown types.
    private func notCheckedEvents(
        in part: Range<UInt64>, _ state: State, _ export: ProvenExport,
        _ batches: consuming ExportBatches
    ) throws -> UInt64 {
        var deciding = try DecidingAgain(self, part, in: state, events: export.header.head.size)
        var steps = export.steps[...]
        let isLast = part.upperBound >= export.header.head.size
        while let step = try ReadStep(batches.next(), of: export) {
            try work.check()
            // The last part reads all events.
            if isLast { try work.report(.decide, step.head.size, of: export.header) }
            guard try deciding.take(step, &steps) else { return deciding.notChecked }
        }
        if !steps.isEmpty { throw ProvenExport.changed }
        try deciding.finish()
        return deciding.notChecked
    }
}

extension LongWork {
    /// The three times that an import reads all events.
    enum ImportPass: UInt64 { case prove, decide, append }

    /// Reports the number of events that a pass of an import has read.
    func report(_ pass: ImportPass, _ events: UInt64, of header: ExportHeader) throws {
        let all = header.head.size
        try report(pass.rawValue * all + events, of: 3 * all)
    }
}

/// A step of an export, with those of its events that the log lacks; nil for unknown types.
private struct ReadStep: Sendable {
    let events: [(record: EventRecord, reading: Result<Event?, FieldError>)]
    let head: TreeHead

    init?(_ batch: ExportBatches.Batch?, of export: ProvenExport) throws {
        guard let batch else { return nil }
        head = batch.head
        events = batch.items.compactMap { item in
            guard case .event(let record, _) = item, record.position >= export.known else {
                return nil
            }
            return (record, Result { () throws(FieldError) in try record.event() })
        }
    }
}

extension DecidingAgain {
    /// Decides the events of a step, after checking that it is the one that was proven.
    ///
    /// Returns false if the part has ended.
    @discardableResult
    fileprivate mutating func take(
        _ step: ReadStep, _ proven: inout ArraySlice<TreeHead>
    ) throws -> Bool {
        if step.events.isEmpty { return true }
        guard proven.popFirst() == step.head else { throw ProvenExport.changed }
        for (record, reading) in step.events {
            let event: Event?
            do {
                event = try reading.get()
            } catch {
                // An invalid event of a known type can't be imported.
                throw DaybookError(
                    "eventInvalid", .refused, "event \(record.position): \(error)",
                    position: record.id)
            }
            guard try take(record, event) else { return false }
        }
        return true
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
    /// Finds a request's events before the first decided event.
    private var earlier: EarlierEvents

    /// The source of events that are not decided here.
    private enum EarlierEvents {
        /// The log that is continued.
        case log(LogSnapshot)
        /// The events before the part, of requests that have not ended.
        case taken([RequestID: [Event]])
    }

    /// Continues a log; `events` is about the number of events to come.
    init(_ rules: ImportRules, after log: LogSnapshot, events: UInt64) throws {
        let (changes, streams) = (
            try ScratchRows.forEvents(events), try ScratchRows.forEvents(events))
        scratch = [changes, streams]
        let start = Replayer.Start(
            tree: try Self.tree(of: log), time: log.lastTime,
            streams: StreamHeads(OverlayRows(log.streamRows, changes: streams)),
            frontEnd: { Self.frontEnd(ofSession: $0, in: log) })
        replayer = Replayer(
            log.state.keeping(in: changes), after: start, decide: rules.decide)
        audit = AuditRules(after: log.lastTime)
        earlier = .log(log)
    }

    /// Decides a part of a log of `events` events, from an empty state.
    ///
    /// The events before the part must be taken as well; they are checked with their own part.
    init(
        _ rules: ImportRules, _ part: Range<UInt64>, in state: State, events: UInt64
    ) throws {
        let streams = try ScratchRows.forEvents(events)
        scratch = [streams]
        replayer = Replayer(
            state, part: part, after: Replayer.Start(streams: StreamHeads(streams)),
            decide: rules.decide)
        audit = AuditRules()
        earlier = .taken([:])
    }

    /// The number of events of unknown types or versions, which were not decided.
    var notChecked: UInt64 { replayer.notChecked }

    /// Takes the next event, nil for an unknown type; throws if it does not follow.
    ///
    /// Returns false if the part has ended before it.
    mutating func take(_ record: EventRecord, _ event: Event?) throws -> Bool {
        let location = replayer.location(of: record, event)
        switch location {
        case .before: audit.checkTime(record)
        case .within:
            if let event { try remember(requestOf: event) }
            audit.checkTime(record)
            audit.check(record, event, before: replayer.state)
        case .after: audit.finish(before: event)
        }
        do {
            try replayer.feed(record, .success(event))
        } catch {
            throw DaybookError(
                "exportTooNew", .refused, error.description, position: record.id)
        }
        if let event {
            switch location {
            case .before: keep(event)
            case .within: audit.check(event, after: replayer.state)
            case .after: break
            }
        }
        try check()
        return location != .after
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

    private static func tree(of log: LogSnapshot) throws -> TreeFold {
        var tree = TreeFold()
        let range = 0..<log.count
        for (height, hash) in zip(TreeFold.cover(range), try log.cover(range)) {
            tree.add(hash, height: height)
        }
        return tree
    }

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
        guard let id = event.request, !audit.remembers(id) else { return }
        switch earlier {
        case .log(let log):
            guard id.number < log.count else { return }
            let events = try log.positions(ofRequest: id.number).compactMap { position in
                try log.record(at: position).flatMap { try $0.event() }
            }
            audit.remember(events, of: id, in: replayer.state)
        case .taken(var taken):
            // Releases the dictionary first, so that it is changed in place and not copied.
            earlier = .taken([:])
            let events = taken.removeValue(forKey: id)
            earlier = .taken(taken)
            if let events { audit.remember(events, of: id, in: replayer.state) }
        }
    }

    /// Keeps an event before the part until its request has ended.
    private mutating func keep(_ event: Event) {
        guard let id = event.request, case .taken(var taken) = earlier else { return }
        earlier = .taken([:])
        if replayer.state.request(id)?.status.isTerminal == true {
            taken[id] = nil
        } else {
            taken[id, default: []].append(event)
        }
        earlier = .taken(taken)
    }
}
