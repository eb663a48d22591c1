import DaybookCrypto
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

/// Takes the events of a log into a state by the rules of this program.
package final class StateFold: LogFold {
    /// What the events add up to.
    fileprivate(set) var state = State()

    package init() {}

    /// A change of what the rows are comes with a new `LogVersions.derived`.
    package static let rules = SHA256.hash(
        CBOR.record([
            "engine": .unsigned(Engine.current), "types": .array(Payload.types.map(CBOR.text)),
        ]).encoded())

    package var rules: Bytes { Self.rules }

    package func begin(above rows: (any Rows)?) {
        state = rows.map { State($0) } ?? State()
    }

    package func move(above rows: (any Rows)?) {
        state.move(above: rows)
        state.rememberPrompts()
    }

    package func take(_ records: [EventRecord]) throws {
        for record in records {
            // What is no event of its type happened to nobody: `verify` names it.
            if let event = (try? Recording.event(record)) ?? nil { state.evolve(event) }
        }
    }

    package var changes: [(key: Bytes, value: Bytes?)] { state.changes }

    package func forgetChanges() { state.forgetChanges() }
}

extension LogReading where Self: ~Copyable {
    /// What the events add up to; a log that was opened without rules has no state.
    package var state: State { _read { yield stateFold.state } }

    fileprivate var stateFold: StateFold {
        guard let fold = fold as? StateFold else {
            preconditionFailure("whoever asks for the state opened the log by the rules")
        }
        return fold
    }
}

extension LogTransaction {
    /// Takes an event that was appended into the state.
    package func evolve(_ event: Event) {
        stateFold.state.evolve(event)
        stateFold.state.rememberPrompts()
    }
}

/// The heads of a log's streams while it is replayed.
///
/// Those that changed of late are in memory, all others in rows: a log may have more streams than
/// memory should hold.
package struct StreamHeads {
    private var recent: [String: StreamHead] = [:]
    private var rows: any Rows

    /// So many heads are held in memory at most.
    private static let limit = 32_768

    /// The heads in rows whose keys are the streams' names.
    package init(_ rows: any Rows = MemoryRows()) {
        self.rows = rows
    }

    /// The head of a stream; nil for one without events.
    subscript(name: String) -> StreamHead? { recent[name] ?? saved(name) }

    /// Takes in the next event of a stream, whose revision is what the event says.
    mutating func take(_ record: EventRecord) {
        let name = record.stream
        recent[name] = StreamHead(
            first: self[name]?.first ?? record.position, count: record.revision &+ 1,
            last: record.position)
        if recent.count >= Self.limit { save() }
    }

    private func saved(_ name: String) -> StreamHead? {
        rows.value(Bytes(name.utf8)).flatMap { StreamHead($0) }
    }

    /// The digest over all of them, as a checkpoint has it.
    mutating func digest() -> Bytes {
        save()
        var digest = StreamsDigest()
        var after: Bytes?
        while true {
            let page = rows.scan(prefix: [], after: after, limit: 1024)
            for row in page {
                if let head = StreamHead(row.value) { digest.add(row.key, head) }
            }
            guard let last = page.last else { return digest.finish() }
            after = last.key
        }
    }

    private mutating func save() {
        let names = recent.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for name in names {
            if let head = recent[name] { rows.set(Bytes(name.utf8), head.bytes) }
        }
        recent.removeAll(keepingCapacity: true)
    }
}
