package import DaybookEncoding

/// An event that has not been written yet: all but what its place in the log decides.
package struct EventDraft: Equatable, Sendable {
    /// The position of another event, or of the one that is being drafted.
    package enum Reference: Equatable, Sendable {
        /// The event's own position: `session.started` and `request.received` begin something.
        case own
        /// The position of an earlier event.
        case at(UInt64)
    }

    /// The stream, for example `request/12`; its revisions count from 0 without gaps.
    package var stream: String
    /// The type's name on disk, for example `request.received`.
    package var type: String
    /// The version of the type.
    package var version: UInt64
    /// Microseconds since 1970; never before the last event's.
    package var time: UInt64
    /// The session it belongs to: the position of its `session.started`.
    package var session: Reference
    /// The request it belongs to: the position of its `request.received`.
    package var request: Reference?
    /// An outcome's input.
    package var cause: UInt64?
    /// Who did it: a front end, a node, the engine.
    package var actor: String
    /// The content.
    package var data: CBOR

    /// A draft from all its parts.
    package init(
        stream: String, type: String, version: UInt64 = 1, time: UInt64, session: Reference,
        request: Reference? = nil, cause: UInt64? = nil, actor: String, data: CBOR
    ) {
        self.stream = stream
        self.type = type
        self.version = version
        self.time = time
        self.session = session
        self.request = request
        self.cause = cause
        self.actor = actor
        self.data = data
    }
}

extension EventDraft.Reference {
    package func position(own: UInt64) -> UInt64 {
        switch self {
        case .own: own
        case .at(let position): position
        }
    }
}
