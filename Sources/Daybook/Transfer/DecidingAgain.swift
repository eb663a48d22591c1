import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

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

extension ImportRules {
    /// Decides again what a log lacks of a proven export, on the log as it is.
    ///
    /// Returns how many events are of types that nobody knows here. Throws at the first event that
    /// does not follow from those before it. The cores share a log that comes as a whole. One that
    /// goes on from ours is decided on one core, since a snapshot belongs to its thread.
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

    /// Decides a part of a whole log again; returns how many of its events nobody knows here.
    private func notCheckedEvents(
        in part: Range<UInt64>, _ state: State, _ export: ProvenExport,
        _ batches: consuming ExportBatches
    ) throws -> UInt64 {
        var deciding = try DecidingAgain(self, part, in: state, events: export.header.head.size)
        var steps = export.steps[...]
        while let step = try ReadStep(batches.next(), of: export) {
            guard try deciding.take(step, &steps) else { return deciding.notChecked }
        }
        if !steps.isEmpty { throw ProvenExport.changed }
        try deciding.finish()
        return deciding.notChecked
    }
}

/// A step of an export, and what a log lacks of its events in their types, nil where unknown.
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
    /// Takes the events of a step, if it is the one that was proven.
    ///
    /// False says that the part has ended.
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
                // What is no event of its type could not be taken in.
                throw DaybookError(
                    "eventInvalid", .refused, "event \(record.position): \(error)",
                    position: record.id)
            }
            guard try take(record, event) else { return false }
        }
        return true
    }
}

/// Decides the events of an import again, as a continuation of what a log holds.
///
/// An import believes nothing: an outcome must be what our rules make of the inputs before it, to
/// the byte, and no event may break a rule of the audit. Neither the log nor anything outside
/// changes: the state's rows are those of the log, with changes on top that lie in memory, or of
/// many events in a file of their own.
struct DecidingAgain {
    private let scratch: [any Rows]
    private var replayer: Replayer
    private var audit: AuditRules
    /// The events of a request that lie before the first that is decided.
    private var earlier: EarlierEvents

    /// Where the events of a request are found that are not decided here.
    private enum EarlierEvents {
        /// In a log, which has all before a position.
        case log(LogSnapshot)
        /// Among those that were taken in, of requests that have not ended.
        case taken([RequestID: [Event]])
    }

    /// Goes on from a log as it is; `events` says how many there will be, more or less.
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

    /// Decides a part of a log of so many events, of which nothing has happened in the state.
    ///
    /// The events before the part have to be taken too; another part's deciding checks them.
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

    /// How many events are of types or versions that nobody knows here, and were not decided.
    var notChecked: UInt64 { replayer.notChecked }

    /// Takes the next event, nil of an unknown type; throws where it does not follow.
    ///
    /// False says that the part has ended before it.
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

    /// Throws where the last input lacks outcomes.
    mutating func finish() throws {
        replayer.finish()
        audit.finish()
        try check()
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

    // MARK: - What the log holds

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

    // MARK: - Requests that began before

    /// Tells the audit what has become of a request before the first event that is decided.
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
            // Changed where it lies: nobody else holds it meanwhile.
            earlier = .taken([:])
            let events = taken.removeValue(forKey: id)
            earlier = .taken(taken)
            if let events { audit.remember(events, of: id, in: replayer.state) }
        }
    }

    /// Keeps an event before the part for as long as its request goes on.
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
