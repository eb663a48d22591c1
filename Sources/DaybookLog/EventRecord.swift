internal import DaybookCrypto
package import DaybookEncoding

/// An event in the log: its bytes, and the decoded fields of its envelope.
package struct EventRecord: Sendable {
    /// The bytes that are stored, hashed and exported.
    package let bytes: Bytes
    /// The version of the envelope.
    package let format: UInt64
    /// Its position in the log, from 0, without gaps; it is the event's id.
    package let position: UInt64
    /// Its number in the stream, from 0, without gaps.
    package let revision: UInt64
    /// The version of its type.
    package let version: UInt64
    /// Microseconds since 1970-01-01 UTC; never decreasing, except in events that set the clock.
    package let time: UInt64
    /// The position of the `session.started` it belongs to.
    package let session: UInt64
    /// The position of the `request.received` it belongs to.
    package let request: UInt64?
    /// The position of the input that this outcome follows from.
    package let cause: UInt64?
    /// The ranges of the texts in the bytes, which few readers need.
    let parts: Parts

    /// The places of an event's fields that are decoded on demand.
    struct Parts {
        var logID: Range<Int>
        var stream: Range<Int>
        var type: Range<Int>
        var actor: Range<Int>
        var data: Int
    }

    /// The log's id: 16 bytes, the same in every event of a log.
    package var logID: Bytes { Bytes(bytes[parts.logID]) }

    /// The stream it belongs to.
    package var stream: String { text(parts.stream) }

    /// The same as bytes.
    var streamName: Bytes { Bytes(bytes[parts.stream]) }

    /// The name of its type on disk.
    package var type: String { text(parts.type) }

    /// The range of the type's name in the bytes.
    package var typeRange: Range<Int> { parts.type }

    /// The actor that caused it: a front end, a node, the keystore or the engine.
    package var actor: String { text(parts.actor) }

    /// The event's data, as its type and version define them, still encoded.
    package var encodedData: EncodedCBOR { EncodedCBOR(bytes, at: parts.data) }

    /// The event's data, decoded.
    package var data: CBOR { encodedData.value }

    private func text(_ range: Range<Int>) -> String { bytes.span.extracting(range).text }

    /// Whether it belongs to a log.
    func isOf(log id: Bytes) -> Bool { bytes[parts.logID] == id[...] }

    /// Whether it sets the clock; only such an event may have an earlier time than the last one.
    package var setsClock: Bool { ByteOrder.areSame(bytes[parts.type], Self.clockSet) }

    /// Whether it records a checkpoint of the log before it.
    package var isCheckpoint: Bool { ByteOrder.areSame(bytes[parts.type], Self.checkpointMade) }

    /// The type of the events that record a checkpoint.
    package static let checkpointMade = "checkpoint.made"

    /// Whether events of a type set the clock.
    package static func setsClock(_ type: String) -> Bool { Text.equal(type, clockSet) }

    /// The type of the events that set the clock.
    package static let clockSet = "clock.set"

    /// The hash of an event's bytes as a leaf of an RFC 6962 tree: SHA-256(0x00 ‖ bytes).
    package static func leafHash(_ bytes: Bytes) -> Bytes {
        SHA256.hash([0x00] + bytes)
    }
}

extension EventRecord {
    /// Whether its bytes are what appending a draft at its position would write.
    ///
    /// This compares the fields of the envelope and the bytes of the data: the encoding is
    /// canonical, so that equal fields have equal bytes. The envelope's format may be an older one.
    package func isSpelling(of draft: EventDraft, revision: UInt64) -> Bool {
        self.revision == revision && version == draft.version && time == draft.time
            && session == draft.session.position(own: position)
            && request == draft.request?.position(own: position) && cause == draft.cause
            && isText(parts.type, draft.type) && isText(parts.stream, draft.stream)
            && isText(parts.actor, draft.actor) && isRest(draft.data)
    }

    /// Whether bytes are the rest of the event from its data on.
    private func isRest(_ data: Bytes) -> Bool {
        ByteOrder.areSame(bytes.span.extracting(parts.data...), data.span)
    }

    private func isText(_ range: Range<Int>, _ text: String) -> Bool {
        ByteOrder.areSame(bytes.span.extracting(range), text.utf8.span)
    }
}

extension EventRecord: Equatable {
    /// Whether two events have the same bytes.
    package static func == (left: EventRecord, right: EventRecord) -> Bool {
        left.bytes == right.bytes
    }
}

/// An event before it is appended, without the fields that its position decides.
package struct EventDraft: Equatable, Sendable {
    /// A reference to an earlier event, or to the draft itself.
    package enum Reference: Equatable, Sendable {
        /// The event itself, which begins a session or a request.
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
    /// The position of the input that this outcome follows from; nil for an input.
    package var cause: UInt64?
    /// The actor that caused it: a front end, a node, the keystore or the engine.
    package var actor: String
    /// The event's data, encoded.
    package var data: Bytes

    /// A draft of an event.
    package init(
        stream: String, type: String, version: UInt64 = 1, time: UInt64, session: Reference,
        request: Reference? = nil, cause: UInt64? = nil, actor: String, data: Bytes
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
    /// The bytes are not canonical CBOR.
    case notCanonical(CBORError)
    /// The envelope has a format that this program does not know.
    case unknownFormat(FormatNumberError)
    /// A field is missing, of a wrong type, or out of its range.
    case badField(String)
}

extension EventRecordError: CustomStringConvertible {
    /// One line in lower case, without any of the event's content.
    package var description: String {
        switch self {
        case .tooLarge(let bytes): "the event has \(bytes) bytes"
        case .notCanonical(let error): "\(error)"
        case .unknownFormat(let error): error.description
        case .badField(let name): "the event's \(name) is not what it must be"
        }
    }
}
