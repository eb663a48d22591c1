package import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// Decides a recorded log again and compares every outcome with the recorded bytes.
///
/// Records go in one by one, in their order; memory holds the state, not the log. Neither keys nor
/// a network are needed: signatures are inputs, and deciding verifies them against the recorded
/// public keys. A part of a log is decided on the state that the recorded events before it add up
/// to: whether they say what they should is another part's question, see `Replay`.
package struct Replayer {
    /// Which events' divergences count; the state is always built from all.
    package enum Scope: Equatable, Sendable {
        case all
        case session(SessionID)
        case request(RequestID)
    }

    package private(set) var state: State
    package private(set) var divergences: [Divergence] = []
    package private(set) var inputs = 0
    package private(set) var outcomes = 0
    /// How many records are of types or versions that this program does not know.
    package private(set) var notChecked: UInt64 = 0

    private let decide: (State, Event) -> [Outcome]
    private let scope: Scope
    private let part: Range<UInt64>
    /// Whether every record that there is belongs to the part or is before it.
    private(set) var hasEnd = true
    /// Whether the part has begun.
    private var isDeciding: Bool
    /// How many records went in.
    private var fed: UInt64 = 0
    private var expected: [Outcome] = []
    private var cause: Event?
    /// The position of the last input, if its type is unknown: nobody knows what follows from it.
    private var unknownInput: UInt64?
    private var next: UInt64
    private var streams: StreamHeads
    /// The tree over the events so far.
    private var tree: TreeFold
    private var time: UInt64
    /// Who began each session.
    private var frontEnds: [SessionID: String] = [:]
    private let earlierFrontEnd: (SessionID) -> String?

    /// Decides a whole log again, or those of its records that a part of their numbers has.
    ///
    /// A part begins and ends with the first input that is not before the bound, so that each
    /// input is decided where its outcomes are compared.
    package init(
        _ state: State = State(), scope: Scope = .all, part: Range<UInt64> = 0..<(.max),
        after start: Start = Start(), decide: @escaping (State, Event) -> [Outcome]
    ) {
        self.state = state
        streams = start.streams
        tree = start.tree
        next = start.tree.size
        time = start.time
        earlierFrontEnd = start.frontEnd
        self.scope = scope
        self.part = part
        self.isDeciding = part.lowerBound == 0
        self.decide = decide
    }

    /// A log's beginning that was replayed before; what comes after it is decided.
    ///
    /// The replayer's state must be the one that the beginning adds up to.
    package struct Start {
        package let tree: TreeFold
        package let time: UInt64
        package let streams: StreamHeads
        /// Who began a session of the beginning; nil where none began at that position.
        package let frontEnd: (SessionID) -> String?

        /// The beginning with this tree, last time, streams and sessions; none unless given.
        package init(
            tree: TreeFold = TreeFold(), time: UInt64 = 0, streams: StreamHeads = StreamHeads(),
            frontEnd: @escaping (SessionID) -> String? = { _ in nil }
        ) {
            self.tree = tree
            self.time = time
            self.streams = streams
            self.frontEnd = frontEnd
        }
    }

    package var events: UInt64 { next }

    /// Takes the next record of the log; false says that the part has ended before it.
    @discardableResult
    package mutating func feed(_ record: EventRecord) throws(ReplayError) -> Bool {
        try feed(record, Result { () throws(FieldError) in try record.event() })
    }

    /// The same with a record whose event was read already.
    @discardableResult
    package mutating func feed(
        _ record: EventRecord, _ reading: Result<Event?, FieldError>
    ) throws(ReplayError) -> Bool {
        let event = try? reading.get()
        let isInput = Self.isInput(record, event)
        if isDeciding {
            checkOrder(record)
            if isInput { missing(before: record) }
        }
        let place = place(of: record, event)
        if place == .behind {
            hasEnd = false
            return false
        }
        isDeciding = place == .within
        if !isDeciding {
            follow(record, event)
        } else if isInput {
            count(record, isInput: true)
            if case .failure(let error) = reading {
                report(record, error.field, "malformed", error.expected)
            }
            if let event {
                try takeInput(event, record)
            } else {
                takeUnknownInput(record)
            }
        } else if case .success(nil) = reading, let unknownInput, record.cause == unknownInput {
            takeUnknown(record)
        } else {
            compare(record, event)
        }
        fed += 1
        next = record.position + 1
        time = record.time
        streams.take(record)
        tree.add(leaf: record.bytes)
        return true
    }

    /// Where the next record lies: before the part, within it or behind it.
    package enum Place { case before, within, behind }

    /// Where the record that comes next lies, whose event is nil where it is none that is known.
    package func place(of record: EventRecord, _ event: Event?) -> Place {
        guard Self.isInput(record, event) else { return isDeciding ? .within : .before }
        if fed >= part.upperBound { return .behind }
        return isDeciding || fed >= part.lowerBound ? .within : .before
    }

    /// What can't be read as an event is an outcome if it says what it follows from.
    private static func isInput(_ record: EventRecord, _ event: Event?) -> Bool {
        event?.payload.isInput ?? (record.cause == nil)
    }

    /// What follows from an input of an unknown type is not known here: outcomes of types that are
    /// unknown too belong to it, and no others.
    private mutating func takeUnknownInput(_ record: EventRecord) {
        cause = nil
        unknownInput = record.position
        takeUnknown(record)
    }

    /// Of an unknown event only its place is looked at.
    private mutating func takeUnknown(_ record: EventRecord) {
        notChecked += 1
        let revision = streams[record.stream]?.count ?? 0
        if record.revision != revision {
            report(record, "revision", String(record.revision), String(revision))
        }
        if record.time < time, !record.setsClock {
            report(record, "time", String(record.time), "\(time) or later")
        }
    }

    /// Takes in what another part looks at.
    private mutating func follow(_ record: EventRecord, _ event: Event?) {
        guard let event else { return }
        if case .sessionStarted(let data) = event.payload {
            frontEnds[event.session] = data.frontEnd
        }
        state.evolve(event)
    }

    private mutating func checkOrder(_ record: EventRecord) {
        guard record.position != next else { return }
        // Where records are missing, the divergence is where the first of them was.
        let place = min(record.position, next)
        report(
            Divergence(
                position: Position(place), field: "position", recorded: String(record.position),
                produced: String(next)), record.requestID, record.sessionID)
    }

    /// Ends the replay. A log that was cut on purpose (`isWhole` false) may end amid outcomes.
    package mutating func finish(isWhole: Bool = true) {
        guard isWhole else { return }
        for outcome in expected {
            let type = Swift.type(of: outcome.payload.data).type
            report(
                Divergence(
                    position: Position(next), field: "type", recorded: "the end of the log",
                    produced: type), outcome.request, cause?.session)
            next += 1
        }
        expected = []
    }

    private mutating func takeInput(
        _ event: Event, _ record: EventRecord
    ) throws(ReplayError) {
        if case .sessionStarted(let data) = event.payload, data.engine > Engine.current {
            throw .engineTooNew(position: event.position, engine: data.engine)
        }
        let draft = EventDraft(
            event.payload, position: event.position, time: event.time, session: event.session,
            request: event.request, actor: record.actor)
        check(record, against: draft)
        checkPlace(of: event, record)
        if case .checkpointMade(let data) = event.payload { checkState(data, record) }
        state.evolve(event)
        if case .decisionMade = event.payload { state.rememberPrompts() }
        expected = decide(state, event)
        cause = event
        unknownInput = nil
    }

    /// An input follows from nothing, but it must not contradict what came before it.
    private mutating func checkPlace(of event: Event, _ record: EventRecord) {
        if case .clockSet(let data) = event.payload {
            if data.from != time { report(record, "data.from", String(data.from), String(time)) }
            if record.time >= time {
                report(record, "time", String(record.time), "one before \(time)")
            }
        } else if record.time < time {
            report(record, "time", String(record.time), "\(time) or later")
        }
        if case .sessionStarted(let data) = event.payload {
            frontEnds[event.session] = data.frontEnd
        }
        guard let frontEnd = frontEnds[event.session] ?? earlierFrontEnd(event.session) else {
            return report(record, "session", event.session.description, "one that has begun")
        }
        let actor = event.payload.actor(frontEnd: frontEnd)
        if !Text.equal(record.actor, actor) { report(record, "actor", record.actor, actor) }
        if let id = event.request, id.position != event.position, !state.requests.contains(id) {
            report(record, "request", id.description, "one that was received")
        }
    }

    /// What the log once added up to, by its own word, it must add up to again.
    private mutating func checkState(_ data: CheckpointMade, _ record: EventRecord) {
        let head = TreeHead(size: tree.size, root: tree.root())
        let found = CheckpointMade.found(
            state, head: head, streams: streams.digest(), signedAs: data)
        for difference in data.differences(from: found) {
            report(record, difference.field, difference.recorded, difference.produced)
        }
        let claimed = TreeHash(data.root).map { TreeHead(size: data.size, root: $0) }
        if claimed.map({ !data.isSigned(of: $0, ofLog: record.logID) }) ?? true {
            report(record, "data.note", "another or no signature", "its size and root, signed")
        }
    }

    private mutating func compare(_ record: EventRecord, _ event: Event?) {
        count(record, isInput: false)
        if let cause, !expected.isEmpty {
            let outcome = expected.removeFirst()
            let draft = EventDraft(outcome, of: cause, position: record.id)
            check(record, against: draft)
        } else {
            report(record, "type", record.type, "nothing")
        }
        if let event { state.evolve(event) }
    }

    /// Compares the bytes; only if they differ are others made and the field looked for.
    private mutating func check(_ record: EventRecord, against draft: EventDraft) {
        let revision = streams[draft.stream]?.count ?? 0
        if record.isSpelling(of: draft, revision: revision) { return }
        let produced = EventRecord(
            logID: record.logID, position: record.position, stream: draft.stream,
            revision: revision, type: draft.type, version: draft.version,
            time: draft.time, session: draft.session.position(own: record.position),
            request: draft.request?.position(own: record.position), cause: draft.cause,
            actor: draft.actor, data: draft.data)
        let found = Difference.first(record, produced)
        let divergence = Divergence(
            position: record.id, field: found.field, recorded: found.recorded,
            produced: found.produced)
        // An altered envelope must not move its own divergence out of what is asked about.
        let isRecordsOwn = covers(record.requestID, record.sessionID)
        report(
            divergence, isRecordsOwn ? record.requestID : produced.requestID,
            isRecordsOwn ? record.sessionID : produced.sessionID)
    }

    private mutating func missing(before record: EventRecord) {
        for outcome in expected {
            report(
                Divergence(
                    position: record.id, field: "type", recorded: record.type,
                    produced: Swift.type(of: outcome.payload.data).type), outcome.request,
                cause?.session)
        }
        expected = []
    }

    private mutating func count(_ record: EventRecord, isInput: Bool) {
        guard covers(record.requestID, record.sessionID) else { return }
        if isInput { inputs += 1 } else { outcomes += 1 }
    }

    private mutating func report(
        _ record: EventRecord, _ field: String, _ recorded: String, _ produced: String
    ) {
        report(
            Divergence(
                position: record.id, field: field, recorded: recorded, produced: produced),
            record.requestID, record.sessionID)
    }

    private mutating func report(
        _ divergence: Divergence, _ request: RequestID?, _ session: SessionID?
    ) {
        if covers(request, session) { divergences.append(divergence) }
    }

    private func covers(_ request: RequestID?, _ session: SessionID?) -> Bool {
        switch scope {
        case .all: true
        case .session(let id): session == id
        case .request(let id): request == id
        }
    }
}
