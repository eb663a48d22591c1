package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// Translates between the log's records and the domain's events.
extension EventRecord {
    /// The domain's event in the record; nil for a type or version that is not among `types`.
    package func event(of types: EventTypes = .current) throws(FieldError) -> Event? {
        guard
            let payload = try Payload(
                type: bytes.span.extracting(typeRange), version: version, data: encodedData,
                of: types)
        else { return nil }
        return event(payload)
    }

    /// The record as it would be if its type's newest version had been written.
    ///
    /// It is for comparisons alone: what is stored, hashed and exported stays as it was written.
    package func newest(of types: EventTypes = .current) -> EventRecord {
        let type = bytes.span.extracting(typeRange)
        guard let (data, version) = types.newest(encodedData, of: type, from: version) else {
            return self
        }
        return EventRecord(
            format: format, logID: logID, position: position, stream: stream, revision: revision,
            type: self.type, version: version, time: time, session: session, request: request,
            cause: cause, actor: actor, data: data.bytes)
    }

    private func event(_ payload: Payload) -> Event {
        Event(position: id, time: time, session: sessionID, request: requestID, payload: payload)
    }

    /// Reads the event of data that nobody has checked, and returns where it ends.
    ///
    /// Nil where the data is not canonical, or not what this program expects.
    func readEvent(_ event: inout Event?) -> Int? {
        let type = bytes.span.extracting(typeRange)
        guard let (payload, end) = Payload.read(type: type, version: version, data: encodedData)
        else { return nil }
        event = self.event(payload)
        return end
    }

    /// Decodes a record and its event, in one pass where the data is what this program expects.
    package static func decodeEvent(_ bytes: Bytes) throws -> (record: EventRecord, event: Event?) {
        var event: Event?
        let record = try decode(bytes) { $0.readEvent(&event) }
        // Matched, because to compare it with nil would copy it.
        if case .none = event { event = try record.event() }
        return (record, event.take())
    }

    /// The event, if it can be read: another one changes no state, and `verify` reports it.
    var readableEvent: Event? { (try? event()) ?? nil }

    /// The record's position.
    package var id: Position { Position(position) }
    /// The session that the record belongs to.
    package var sessionID: SessionID { SessionID(session) }
    /// The request that the record belongs to.
    package var requestID: RequestID? { request.map { RequestID($0) } }
}

/// A record and the event in it.
package struct DecodedRecord: Sendable {
    package let record: EventRecord
    /// The event, which is nil if it is of an unknown type.
    package let event: Result<Event?, FieldError>

    /// A record whose event is read from bytes that were checked.
    package init(_ record: EventRecord) {
        self.record = record
        event = Self.event(in: record)
    }

    /// Decodes the event at a position of a log, and checks that it belongs there.
    ///
    /// It takes one pass where the data is what this program expects.
    init(_ bytes: Bytes, at position: UInt64, ofLog logID: Bytes) throws(LogError) {
        var event: Event?
        let record = try EventRecord.decode(bytes, at: position, ofLog: logID) {
            $0.readEvent(&event)
        }
        self.record = record
        // Matched, because to compare it with nil would copy it.
        if case .some = event {
            self.event = .success(event.take())
        } else {
            self.event = Self.event(in: record)
        }
    }

    private static func event(in record: EventRecord) -> Result<Event?, FieldError> {
        Result { () throws(FieldError) in try record.event() }
    }

    /// Decodes consecutive events from a position on.
    static func decode(
        _ events: [Bytes], from position: UInt64, ofLog logID: Bytes
    ) throws(LogError) -> [DecodedRecord] {
        var decoded: [DecodedRecord] = []
        decoded.reserveCapacity(events.count)
        for bytes in events {
            let next = position + UInt64(decoded.count)
            decoded.append(try DecodedRecord(bytes, at: next, ofLog: logID))
        }
        return decoded
    }
}

extension EventDraft {
    /// The draft of an input.
    package init(
        _ payload: Payload, position: Position, time: UInt64, session: SessionID,
        request: RequestID?, actor: String
    ) {
        let data = payload.data
        self.init(
            stream: StreamName.of(payload, at: position, session: session, request: request),
            type: Swift.type(of: data).type, version: Swift.type(of: data).version, time: time,
            session: .reference(to: session, from: position),
            request: request.map { .reference(to: $0, from: position) }, actor: actor,
            data: data.encoded())
    }

    /// The draft of an outcome of an input.
    package init(_ outcome: Outcome, of input: Event, position: Position) {
        self.init(
            outcome.payload, position: position, time: input.time, session: input.session,
            request: outcome.request, actor: Self.engineActor)
        cause = input.position.number
    }

    /// The actor of every outcome.
    private static let engineActor = "daybook"
}

extension EventDraft.Reference {
    fileprivate static func reference(to target: some EventID, from position: Position) -> Self {
        target.position == position ? .own : .at(target.number)
    }
}

extension Payload {
    /// The actor of an input: a node, the keystore, or the session's front end.
    package func actor(frontEnd: String) -> String {
        switch self {
        case .chainObserved, .chainUnavailable, .broadcastAnswered: "node"
        case .signatureMade, .signatureFailed: "keystore"
        default: frontEnd
        }
    }
}

/// The names of streams on disk.
package enum StreamName {
    /// The stream of all checkpoints.
    package static let checkpoints = "checkpoints"
    /// The stream of the witnesses' cosignatures.
    package static let cosignatures = "cosignatures"
    /// The stream of the time stamps.
    package static let timeStamps = "timeStamps"

    /// The stream of the nodes' answers about a chain and network.
    package static func chain(_ chain: Chain, _ network: Network) -> String {
        "chain/\(chain.rawValue)/\(network.rawValue)"
    }

    /// The stream of an event: its request's, wallet's or chain's, or else its session's.
    fileprivate static func of(
        _ payload: Payload, at position: Position, session: SessionID, request: RequestID?
    ) -> String {
        switch payload {
        case .checkpointMade: checkpoints
        case .checkpointCosigned: cosignatures
        case .checkpointStamped: timeStamps
        case .walletAdded: "wallet/\(position)"
        case .walletRenamed(let data): "wallet/\(data.wallet)"
        case .walletRemoved(let data): "wallet/\(data.wallet)"
        case .coinFrozen(let data): "wallet/\(data.wallet)"
        case .coinUnfrozen(let data): "wallet/\(data.wallet)"
        case .labelSet: "labels"
        case .priceSet, .priceWithdrawn: "prices"
        case .unlockFailed(let data): "wallet/\(data.wallet)"
        case .unlockLocked(let data): "wallet/\(data.wallet)"
        case .paymentReceived(let data): "wallet/\(data.wallet)"
        case .paymentMade(let data): "wallet/\(data.wallet)"
        case .chainObserved(let data): chain(data.chain, data.network)
        case .chainUnavailable(let data): chain(data.chain, data.network)
        case .transactionConfirmed(let data) where request == nil: "wallet/\(data.wallet)"
        case .transactionReorganised(let data) where request == nil: "wallet/\(data.wallet)"
        case .transactionLocked(let data) where request == nil: "wallet/\(data.wallet)"
        default: request.map { "request/\($0)" } ?? "session/\(session)"
        }
    }
}
