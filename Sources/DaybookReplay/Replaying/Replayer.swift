package import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// Decides the inputs of a recorded log again, and compares each outcome with the recorded bytes.
///
/// It takes records one by one, in order; memory holds the state, not the log. It needs neither
/// keys nor a network: signatures are inputs, and deciding verifies them against the recorded
/// public keys. Another core does ahead the work that needs no state; see `RecordReader`.
///
/// Where `decide` gives nil, the engine of the session is unknown: the recorded outcomes are
/// applied without being compared, and the session is listed in `unjudged`.
package struct Replayer {
    /// The events whose divergences are reported; the state is always built from all events.
    package enum Scope: Equatable, Sendable {
        case all
        case session(SessionID)
        case request(RequestID)
    }

    package private(set) var state: State
    package internal(set) var divergences: [Divergence] = []
    package internal(set) var inputs = 0
    package internal(set) var outcomes = 0
    /// How many records have types or versions that this program does not know.
    package internal(set) var notChecked: UInt64 = 0
    /// The sessions that were not judged, because their engines are unknown.
    package internal(set) var unjudged = UnjudgedSessions()
    /// The keys that the log's checkpoints name.
    package internal(set) var keys = CheckpointKeys()

    private let decide: (State, Event) -> [Outcome]?
    private let scope: Scope
    var expected: [Outcome] = []
    var cause: Event?
    /// The position of the last input, if its type and so its outcomes are unknown.
    var unknownInput: UInt64?
    /// The position of the last input, if the engine of its session is unknown.
    var unjudgedInput: UInt64?
    private var next: UInt64
    var streams: StreamHeads
    /// Reads the records that nobody has read before.
    private var reader = RecordReader()
    private(set) var time: UInt64
    /// The front end of each session.
    private(set) var frontEnds: [SessionID: String] = [:]
    private let earlierFrontEnd: (SessionID) -> String?

    /// A replayer of a log, or of its continuation after a prefix.
    package init(
        _ state: State = State(), scope: Scope = .all, after start: Start = Start(),
        decide: @escaping (State, Event) -> [Outcome]?
    ) {
        self.state = state
        streams = start.streams
        next = start.count
        time = start.time
        earlierFrontEnd = start.frontEnd
        self.scope = scope
        self.decide = decide
    }

    /// The end of a prefix of the log that was replayed before; the replay continues from there.
    ///
    /// The replayer's state must be the state after that prefix.
    package struct Start {
        package let count: UInt64
        package let time: UInt64
        package let streams: StreamHeads
        /// The front end of a session of the prefix; nil where no session began there.
        package let frontEnd: (SessionID) -> String?

        /// The end of a prefix with these figures; by default that of an empty prefix.
        package init(
            count: UInt64 = 0, time: UInt64 = 0, streams: StreamHeads = StreamHeads(),
            frontEnd: @escaping (SessionID) -> String? = { _ in nil }
        ) {
            self.count = count
            self.time = time
            self.streams = streams
            self.frontEnd = frontEnd
        }
    }

    package var events: UInt64 { next }

    /// Takes the next record of the log.
    package mutating func feed(_ record: EventRecord) {
        take(reader.read(DecodedRecord(record)))
    }

    /// Takes the next record of the log, which a reader of its own has read.
    package mutating func take(_ read: ReadRecord) {
        let (record, event) = (read.record, try? read.event.get())
        let isInput = Self.isInput(record, event)
        checkOrder(record)
        if isInput {
            missing(before: record)
            count(record, isInput: true)
            if case .failure(let error) = read.event {
                report(record, error.field, "malformed", produced: error.expected)
            }
            unjudgedInput = nil
            if let event {
                takeInput(event, read)
            } else {
                takeUnknownInput(record)
            }
        } else if case .success(nil) = read.event, let unknownInput, record.cause == unknownInput {
            takeUnknown(record)
        } else if let unjudgedInput, record.cause == unjudgedInput {
            takeUnjudged(record, event)
        } else {
            compare(record, event)
        }
        next = record.position + 1
        time = record.time
        streams.take(record)
    }

    /// A record that can't be read as an event is an outcome if it names a cause.
    private static func isInput(_ record: EventRecord, _ event: Event?) -> Bool {
        event?.payload.isInput ?? (record.cause == nil)
    }

    /// Takes an input of an unknown type, whose outcomes can only be of unknown types, too.
    private mutating func takeUnknownInput(_ record: EventRecord) {
        cause = nil
        unknownInput = record.position
        takeUnknown(record)
    }

    /// Takes an event of an unknown type.
    private mutating func takeUnknown(_ record: EventRecord) {
        notChecked += 1
        checkPlace(record)
    }

    /// Takes an outcome of a session whose engine is unknown: it has happened.
    private mutating func takeUnjudged(_ record: EventRecord, _ event: Event?) {
        count(record, isInput: false)
        checkPlace(record)
        note(unjudged: record, isInput: false)
        if event == nil { notChecked += 1 }
        if let event { state.evolve(event) }
    }

    private mutating func note(unjudged record: EventRecord, isInput: Bool) {
        guard covers(record.requestID, record.sessionID),
            let engine = state.engine(of: record.sessionID)
        else { return }
        unjudged.note(record.id, of: record.sessionID, engine, isInput: isInput)
    }

    /// Checks only the revision and the time of a record.
    private mutating func checkPlace(_ record: EventRecord) {
        let revision = streams[record.stream]?.count ?? 0
        if record.revision != revision {
            report(record, "revision", String(record.revision), produced: String(revision))
        }
        if record.time < time, !record.setsClock {
            report(record, "time", String(record.time), produced: "\(time) or later")
        }
    }

    private mutating func checkOrder(_ record: EventRecord) {
        guard record.position != next else { return }
        // Where records are missing, the divergence is at the first of them.
        let position = min(record.position, next)
        report(
            Divergence(
                position: Position(position), field: "position", recorded: String(record.position),
                produced: String(next)), record.requestID, record.sessionID)
    }

    /// Ends the replay; a log that was cut on purpose (`isWhole` false) may lack outcomes.
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

    private mutating func takeInput(_ event: Event, _ read: ReadRecord) {
        let record = read.record
        let draft = EventDraft(
            event.payload, position: event.position, time: event.time, session: event.session,
            request: event.request, actor: record.actor)
        check(record, against: draft)
        checkInput(event, record)
        state.evolve(event)
        // The wallet that is offered, the outcome and its audit have the same prompt.
        if event.request != nil { state.rememberPrompts() }
        state.verified = read.verified
        let outcomes = decide(state, event)
        state.verified = nil
        // No row changes by a checkpoint, so that the state is still the one that it states.
        if case .checkpointMade(let data) = event.payload, let head = read.head {
            keys.note(data.key)
            checkState(data, head, record, isJudged: outcomes != nil)
        }
        if outcomes == nil {
            unjudgedInput = record.position
            note(unjudged: record, isInput: true)
        }
        expected = outcomes ?? []
        cause = event
        unknownInput = nil
    }

    /// Checks that an input does not contradict the events before it.
    private mutating func checkInput(_ event: Event, _ record: EventRecord) {
        if case .clockSet(let data) = event.payload {
            if data.from != time {
                report(record, "data.from", String(data.from), produced: String(time))
            }
            if record.time >= time {
                report(record, "time", String(record.time), produced: "one before \(time)")
            }
        } else if record.time < time {
            report(record, "time", String(record.time), produced: "\(time) or later")
        }
        if case .sessionStarted(let data) = event.payload {
            frontEnds[event.session] = data.frontEnd
        }
        guard let frontEnd = frontEnds[event.session] ?? earlierFrontEnd(event.session) else {
            return report(
                record, "session", event.session.description, produced: "one that has begun")
        }
        let actor = event.payload.actor(frontEnd: frontEnd)
        if !Text.equal(record.actor, actor) {
            report(record, "actor", record.actor, produced: actor)
        }
        if let id = event.request, id.position != event.position, state.status(of: id) == nil {
            report(record, "request", id.description, produced: "one that was received")
        }
    }

    /// Checks that the replayed state is the one that a recorded checkpoint states.
    ///
    /// The rows of an unknown engine are not judged, but its tree, streams and signature are.
    private mutating func checkState(
        _ data: CheckpointMade, _ head: TreeHead, _ record: EventRecord, isJudged: Bool
    ) {
        let streams = streams.digest()
        let found = isJudged
            ? CheckpointMade.found(state, head: head, streams: streams, signedAs: data)
            : data.found(head: head, streams: streams)
        for difference in data.differences(from: found) {
            report(record, difference.field, difference.recorded, produced: difference.produced)
        }
        let claimed = TreeHash(data.root).map { TreeHead(size: data.size, root: $0) }
        if claimed.map({ !data.isSigned(of: $0, ofLog: record.logID) }) ?? true {
            report(
                record, "data.note", "another or no signature",
                produced: "its size and root, signed")
        }
    }

    private mutating func compare(_ record: EventRecord, _ event: Event?) {
        count(record, isInput: false)
        if let cause, !expected.isEmpty {
            let outcome = expected.removeFirst()
            let draft = EventDraft(outcome, of: cause, position: record.id)
            check(record, against: draft)
        } else {
            report(record, "type", record.type, produced: "nothing")
        }
        if let event { state.evolve(event) }
    }

    /// Compares the record with a draft; encodes the draft and finds the field only if they differ.
    private mutating func check(_ record: EventRecord, against draft: EventDraft) {
        let revision = streams[draft.stream]?.count ?? 0
        // An older version of a type is compared in the form of the newest one.
        let record = record.version < draft.version ? record.newest() : record
        if record.isSpelling(of: draft, revision: revision) { return }
        let produced = EventRecord(
            draft, at: record.position, revision: revision, logID: record.logID)
        let found = Difference.first(record, produced)
        let divergence = Divergence(
            position: record.id, field: found.field, recorded: found.recorded,
            produced: found.produced)
        // An altered envelope must not move its own divergence out of the scope.
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
        _ record: EventRecord, _ field: String, _ recorded: String, produced: String
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
