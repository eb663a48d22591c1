package import DaybookEncoding
package import DaybookChains
package import DaybookDomain
package import DaybookLog

/// Where the two columns meet: domain events on one side, the log's records on the other.
///
/// The live store and every replay go through here, so that both mean the same bytes.
package enum Recording {
    /// The domain's event in a record; nil for a type that this program does not know.
    package static func event(_ record: EventRecord) throws(FieldError) -> Event? {
        guard
            let payload = try Payload(
                type: record.bytes.span.extracting(record.typeRange), version: record.version,
                data: record.encodedData)
        else { return nil }
        return Event(
            position: record.id, time: record.time, session: record.sessionID,
            request: record.requestID, payload: payload)
    }

    /// An input, ready to be appended.
    package static func draft(
        _ payload: Payload, position: Position, time: UInt64, session: SessionID,
        request: RequestID?, actor: String
    ) -> EventDraft {
        draft(payload, position, time, session, request, cause: nil, actor)
    }

    /// An outcome of an input, ready to be appended.
    package static func draft(
        _ outcome: Outcome, of input: Event, position: Position
    ) -> EventDraft {
        draft(
            outcome.payload, position, input.time, input.session, outcome.request,
            cause: input.position, engineActor)
    }

    /// Who brings an input: the session's front end, a node, or the keystore.
    package static func actor(of payload: Payload, frontEnd: String) -> String {
        switch payload {
        case .chainObserved, .chainUnavailable, .broadcastAnswered: "node"
        case .signatureMade, .signatureFailed: "keystore"
        default: frontEnd
        }
    }

    /// The stream of all checkpoints.
    package static let checkpoints = "checkpoints"

    /// The actor of every outcome.
    package static let engineActor = "daybook"

    private static func draft(
        _ payload: Payload, _ position: Position, _ time: UInt64, _ session: SessionID,
        _ request: RequestID?, cause: Position?, _ actor: String
    ) -> EventDraft {
        let data = payload.data
        return EventDraft(
            stream: stream(of: payload, position: position, session: session, request: request),
            type: type(of: data).type, version: type(of: data).version, time: time,
            session: .reference(session, own: position),
            request: request.map { .reference($0, own: position) }, cause: cause?.number,
            actor: actor, data: data.coded)
    }

    /// The stream of what nodes say of a chain and network.
    package static func stream(of chain: Chain, _ network: Network) -> String {
        "chain/\(chain.rawValue)/\(network.rawValue)"
    }

    /// What the event is about: a request, a wallet, a chain, or else the session.
    private static func stream(
        of payload: Payload, position: Position, session: SessionID, request: RequestID?
    ) -> String {
        switch payload {
        case .checkpointMade: checkpoints
        case .walletAdded: "wallet/\(position)"
        case .walletRemoved(let data): "wallet/\(data.wallet)"
        case .unlockFailed(let data): "wallet/\(data.wallet)"
        case .unlockLocked(let data): "wallet/\(data.wallet)"
        case .paymentReceived(let data): "wallet/\(data.wallet)"
        case .paymentMade(let data): "wallet/\(data.wallet)"
        case .chainObserved(let data): stream(of: data.chain, data.network)
        case .chainUnavailable(let data): stream(of: data.chain, data.network)
        case .transactionConfirmed(let data) where request == nil: "wallet/\(data.wallet)"
        case .transactionReorganised(let data) where request == nil: "wallet/\(data.wallet)"
        case .transactionLocked(let data) where request == nil: "wallet/\(data.wallet)"
        default: request.map { "request/\($0)" } ?? "session/\(session)"
        }
    }
}

extension EventDraft.Reference {
    fileprivate static func reference(_ target: some EventID, own position: Position) -> Self {
        target.position == position ? .own : .at(target.number)
    }
}

/// What the log counts, as the domain names it.
extension EventRecord {
    package var id: Position { Position(position) }
    package var sessionID: SessionID { SessionID(session) }
    package var requestID: RequestID? { request.map { RequestID($0) } }
}
