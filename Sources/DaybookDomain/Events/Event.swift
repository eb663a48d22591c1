import DaybookChains
package import DaybookEncoding

/// An event as the domain sees it: what happened, when, in whose session, for which request.
package struct Event: Equatable, Sendable {
    package let position: Position
    /// Microseconds since 1970, going back only with a `clock.set`.
    package let time: UInt64
    /// The position of the `session.started` it belongs to.
    package let session: SessionID
    /// The position of the `request.received` it belongs to.
    package let request: RequestID?
    package let payload: Payload

    package init(
        position: Position, time: UInt64, session: SessionID, request: RequestID?, payload: Payload
    ) {
        self.position = position
        self.time = time
        self.session = session
        self.request = request
        self.payload = payload
    }
}

/// What follows from an input, before it has a position.
package struct Outcome: Equatable, Sendable {
    package let request: RequestID?
    package let payload: Payload

    package init(_ payload: Payload, request: RequestID?) {
        self.payload = payload
        self.request = request
    }
}

/// The content of one type of event: its name and version on disk, and its coding.
///
/// Names and keys are written here by hand and mean the same for ever.
package protocol EventData: Equatable, Sendable {
    static var type: String { get }
    static var version: UInt64 { get }
    var coded: CBOR { get }
    init(_ fields: Fields) throws(FieldError)
}

extension EventData {
    package static var version: UInt64 { 1 }
}
