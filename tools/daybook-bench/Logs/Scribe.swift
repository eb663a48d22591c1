import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLMDB
import DaybookLinks
import DaybookLog
import DaybookReplay
import TestSupport

/// Writes inputs and their outcomes as a store's journal does, but many in one commit.
struct Scribe {
    private let session: SessionID
    let frontEnd: String
    private static let decider = Links.decider

    init(session: SessionID, frontEnd: String) {
        self.session = session
        self.frontEnd = frontEnd
    }

    /// The request that an input belongs to.
    enum Request {
        case none
        /// The input is its first event.
        case own
        case at(RequestID)
    }

    /// Starts the session.
    mutating func begin(at time: UInt64, _ transaction: inout LogTransaction) throws {
        let start = SessionStarted(
            frontEnd: frontEnd, engine: Engine.current,
            libraries: [
                .init(name: "lmdb", version: LMDBVersion.text),
                .init(name: "openssl", version: LibraryVersions.openSSL),
                .init(name: "secp256k1", version: LibraryVersions.secp256k1),
            ],
            settings: Settings())
        try write(.sessionStarted(start), at: time, to: &transaction)
    }

    /// Writes an input and its outcomes; returns all of them in order.
    @discardableResult
    mutating func write(
        _ payload: Payload, _ request: Request = .none, at time: UInt64,
        to transaction: inout LogTransaction
    ) throws -> [Event] {
        let position = Position(transaction.count)
        let id: RequestID? =
            switch request {
            case .none: nil
            case .own: RequestID(position)
            case .at(let id): id
            }
        let actor = payload.actor(frontEnd: frontEnd)
        let draft = EventDraft(
            payload, position: position, time: time, session: session, request: id, actor: actor)
        let input = Event(
            position: position, time: time, session: session, request: id, payload: payload)
        _ = try transaction.append(draft, applying: input)
        var events = [input]
        for outcome in Self.decider.decide(transaction.state, input) ?? [] {
            let position = Position(transaction.count)
            let event = Event(
                position: position, time: time, session: session, request: outcome.request,
                payload: outcome.payload)
            let draft = EventDraft(outcome, of: input, position: position)
            _ = try transaction.append(draft, applying: event)
            events.append(event)
        }
        return events
    }
}

extension Seeded {
    /// A number below `bound`; its small bias does not matter here.
    mutating func below(_ bound: UInt64) -> UInt64 { next() % bound }

    mutating func among(_ range: ClosedRange<UInt64>) -> UInt64 {
        range.lowerBound + below(range.upperBound - range.lowerBound + 1)
    }

    mutating func one<Element>(of elements: [Element]) -> Element {
        elements[Int(below(UInt64(elements.count)))]
    }

    mutating func bytes(_ count: Int) -> Bytes {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
    }
}
