import DaybookCrypto
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay

@testable import DaybookDomain

extension Harness {
    /// A whole log from a stranger: any events in any order are taken in, decided again, audited.
    ///
    /// Of each event there are its type's number, its request, the seconds since the one before
    /// it, the length of its data in two bytes, and the data.
    static let history = Harness("history", longest: 2048) { bytes in
        let events = events(in: bytes)
        let logID = Bytes(repeating: 0xab, count: 16)
        let decider = Links.decider
        var replayer = Replayer { decider.decide($0, $1) }
        var audit = Audit(logID: logID)
        for record in records(events, logID) {
            let read = try EventRecord.decode(record.bytes)
            try law("what can be written can be read", read == record)
            replayer.feed(record)
            audit.feed(record.bytes)
        }
        replayer.finish()
        _ = StateDigest(replayer.state).whole
        _ = replayer.state.balanceLines()
        _ = replayer.state.bindingLines()
        try checkOwn(events, decider)
    }

    /// The outside inputs alone, with the outcomes of our own rules: such books are whole.
    private static func checkOwn(_ events: [HistoryEvent], _ decider: Decider) throws {
        var state = State()
        var position: Position = 0
        var session: SessionID = 0
        var time: UInt64 = 1_700_000_000_000_000
        for event in events where event.payload.isInput {
            time += event.seconds * 1_000_000
            if case .sessionStarted = event.payload { session = SessionID(position) }
            let request = event.request(at: position)
            let input = Event(
                position: position, time: time, session: session, request: request,
                payload: event.payload)
            state.evolve(input)
            position = position.next
            for outcome in decider.decide(state, input) ?? [] {
                let coded = try EncodedCBOR(outcome.payload.data.encoded())
                let type = Swift.type(of: outcome.payload.data).type
                let again = try Payload(type: type, version: 1, data: coded)
                try law("\(type) is recorded without loss", again == outcome.payload)
                state.evolve(
                    Event(
                        position: position, time: time, session: session,
                        request: outcome.request, payload: outcome.payload))
                position = position.next
            }
        }
        try law("no row is damaged: \(state.damage.map { "\($0)" } ?? "")", state.damage == nil)
    }

    private static func records(_ events: [HistoryEvent], _ logID: Bytes) -> [EventRecord] {
        var time: UInt64 = 1_700_000_000_000_000
        var revisions: [String: UInt64] = [:]
        var session: SessionID = 0
        var cause: Position?
        return events.enumerated().map { index, event in
            let position = Position(UInt64(index))
            time += event.seconds * 1_000_000
            if case .sessionStarted = event.payload { session = SessionID(position) }
            let request = event.request(at: position)
            let draft =
                event.payload.isInput
                ? EventDraft(
                    event.payload, position: position, time: time, session: session,
                    request: request,
                    actor: event.payload.actor(frontEnd: "front end"))
                : EventDraft(
                    Outcome(event.payload, request: request),
                    of: Event(
                        position: cause ?? 0, time: time, session: session, request: nil,
                        payload: event.payload),
                    position: position)
            if event.payload.isInput { cause = position }
            defer { revisions[draft.stream, default: 0] += 1 }
            return EventRecord(
                logID: logID, position: position.number, stream: draft.stream,
                revision: revisions[draft.stream, default: 0], type: draft.type,
                version: draft.version, time: time,
                session: draft.session.position(own: position.number),
                request: draft.request?.position(own: position.number),
                cause: draft.cause.flatMap { $0 < position.number ? $0 : nil }, actor: draft.actor,
                data: draft.data)
        }
    }

    /// The types of events by their names, so that a number means the same from day to day.
    static let eventTypes = Payload.types

    private static func events(in bytes: Bytes) -> [HistoryEvent] {
        let start = SessionStarted(
            frontEnd: "front end", engine: Engine.current, libraries: [], settings: Settings())
        var events = [HistoryEvent(payload: .sessionStarted(start), place: 0, seconds: 0)]
        var rest = bytes[...]
        while rest.count >= 5 {
            let head = Bytes(rest.prefix(5))
            let data = Bytes(rest.dropFirst(5).prefix(Int(head[3]) << 8 | Int(head[4])))
            rest = rest.dropFirst(5 + data.count)
            let type = eventTypes[Int(head[0]) % eventTypes.count]
            guard let coded = try? EncodedCBOR(data), coded.isMap,
                let payload = try? Payload(type: type, version: 1, data: coded)
            else { continue }
            events.append(
                HistoryEvent(payload: payload, place: UInt64(head[1]), seconds: UInt64(head[2])))
        }
        return events
    }
}

/// An event before it has a place in a log.
struct HistoryEvent {
    let payload: Payload
    /// 0 for no request; else the request's position, and one.
    let place: UInt64
    let seconds: UInt64

    /// A request that is received is its own, and no event belongs to a later one.
    func request(at position: Position) -> RequestID? {
        if case .requestReceived = payload { return RequestID(position) }
        return place == 0 ? nil : RequestID(min(place - 1, position.number))
    }
}
