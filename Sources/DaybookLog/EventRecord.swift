internal import DaybookCrypto
package import DaybookEncoding

/// An event as it lies in the log: its bytes, and what the envelope in them says.
package struct EventRecord: Sendable {
    /// What is stored, hashed and exported.
    package let bytes: Bytes
    /// The version of the envelope.
    package let format: UInt64
    /// Its place in the log, from 0, without gaps. Positions are ids.
    package let position: UInt64
    /// Its place in the stream, from 0, without gaps.
    package let revision: UInt64
    /// The version of its type.
    package let version: UInt64
    /// Microseconds since 1970-01-01 UTC, not before the event before unless it sets the clock.
    package let time: UInt64
    /// The position of the `session.started` it belongs to.
    package let session: UInt64
    /// The position of the `request.received` it belongs to.
    package let request: UInt64?
    /// The position of the input that this outcome follows from.
    package let cause: UInt64?
    /// Where the log's id, texts and data lie in the bytes: few readers ask for all of them.
    let parts: Parts
    /// What happened, as its type and version lay down, where it lies in the bytes.
    package let encodedData: EncodedCBOR

    /// The parts of an event that are read where they lie.
    struct Parts {
        let logID: Range<Int>
        let stream: Range<Int>
        let type: Range<Int>
        let actor: Range<Int>
    }

    /// The log in which it happened: 16 bytes, the same in every event of a log.
    package var logID: Bytes { Bytes(bytes[parts.logID]) }

    /// The stream it belongs to.
    package var stream: String { text(parts.stream) }

    /// The name of its type on disk.
    package var type: String { text(parts.type) }

    /// Where that name lies in the bytes.
    package var typeRange: Range<Int> { parts.type }

    /// Who did it.
    package var actor: String { text(parts.actor) }

    /// What happened, as a tree of values.
    package var data: CBOR { encodedData.value }

    private func text(_ range: Range<Int>) -> String {
        let text = bytes.span.extracting(range)
        return unsafe text.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Whether it happened in a log.
    func isOf(log id: Bytes) -> Bool { bytes[parts.logID] == id[...] }

    /// Whether it sets the clock: time may go back there, and nowhere else.
    package var setsClock: Bool { ByteOrder.areSame(bytes[parts.type], Self.clockSet) }

    /// Whether events of a type set the clock: time may go back there, and nowhere else.
    package static func setsClock(_ type: String) -> Bool { Text.equal(type, clockSet) }

    /// The type of those events, as the domain has it.
    package static let clockSet = "clock.set"

    /// The hash of an event's bytes as a leaf of an RFC 6962 tree: SHA-256(0x00 ‖ bytes).
    package static func leafHash(_ bytes: Bytes) -> Bytes {
        SHA256.hash([0x00] + bytes)
    }
}

extension EventRecord {
    /// Whether its bytes are those of a draft that becomes an event of its log at its place.
    ///
    /// Nothing is spelled for that: each value has one spelling, to which decoding held the bytes.
    package func isSpelling(of draft: EventDraft, revision: UInt64) -> Bool {
        format == LogVersions.format && self.revision == revision && version == draft.version
            && time == draft.time && session == draft.session.position(own: position)
            && request == draft.request?.position(own: position) && cause == draft.cause
            && isText(parts.type, draft.type) && isText(parts.stream, draft.stream)
            && isText(parts.actor, draft.actor) && encodedData.isSpelling(of: draft.data)
    }

    private func isText(_ range: Range<Int>, _ text: String) -> Bool {
        ByteOrder.areSame(bytes.span.extracting(range), text.utf8.span)
    }
}

extension EventRecord: Equatable {
    /// Whether two events are the same; all that they say is in their bytes.
    package static func == (left: EventRecord, right: EventRecord) -> Bool {
        left.bytes == right.bytes
    }
}

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

/// Why bytes are not an event.
package enum EventRecordError: Error, Equatable, Sendable {
    /// There are more bytes than an event may have.
    case tooLarge(bytes: Int)
    /// The bytes are not the one spelling of a value.
    case notCanonical(CBORError)
    /// A newer program wrote the envelope.
    case formatTooNew(found: UInt64)
    /// A field is missing, of a wrong type, or out of its range.
    case badField(String)
}

extension EventRecordError: CustomStringConvertible {
    /// One line in lower case, without anything of the event's content.
    package var description: String {
        switch self {
        case .tooLarge(let bytes): "the event has \(bytes) bytes"
        case .notCanonical(let error): "\(error)"
        case .formatTooNew(let found): "event format \(found) is not known"
        case .badField(let name): "the event's \(name) is not what it must be"
        }
    }
}
