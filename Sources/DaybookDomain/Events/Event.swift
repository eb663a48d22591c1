/// An event as the domain sees it: what happened, when, in whose session, for which request.
package struct Event: Equatable, Sendable {
    package let position: UInt64
    /// Microseconds since 1970, going back only with a `clock.set`.
    package let time: UInt64
    /// The position of the `session.started` it belongs to.
    package let session: UInt64
    /// The position of the `request.received` it belongs to.
    package let request: UInt64?
    package let payload: Payload

    package init(
        position: UInt64, time: UInt64, session: UInt64, request: UInt64?, payload: Payload
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
    package let request: UInt64?
    package let payload: Payload

    package init(_ payload: Payload, request: UInt64?) {
        self.payload = payload
        self.request = request
    }
}
