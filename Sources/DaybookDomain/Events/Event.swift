import DaybookChains
package import DaybookEncoding

/// An event: what happened, when, in which session, and for which request.
package struct Event: Equatable, Sendable {
    package let position: Position
    /// Microseconds since 1970; never before the previous event's, except in a `clock.set`.
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

/// An event that follows from an input, before it has a position.
package struct Outcome: Equatable, Sendable {
    package let request: RequestID?
    package let payload: Payload

    package init(_ payload: Payload, request: RequestID?) {
        self.payload = payload
        self.request = request
    }
}

/// The data of one type of event, with its name and version on disk and its encoding.
///
/// Names and keys are written by hand and never change their meaning.
package protocol EventData: Recorded, Equatable, Sendable {
    static var type: String { get }
    static var version: UInt64 { get }
}

extension EventData {
    package static var version: UInt64 { 1 }
}
