internal import DaybookCrypto
package import DaybookEncoding

/// An event as it lies in the log: its bytes, and what the envelope in them says.
package struct EventRecord: Sendable {
    /// What is stored, hashed and exported.
    package let bytes: Bytes
    /// The version of the envelope.
    package let format: UInt64
    /// The log in which it happened: 16 bytes, the same in every event of a log.
    package let logID: Bytes
    /// Its place in the log, from 0, without gaps. Positions are ids.
    package let position: UInt64
    /// The stream it belongs to.
    package let stream: String
    /// Its place in the stream, from 0, without gaps.
    package let revision: UInt64
    /// The name of its type on disk.
    package let type: String
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
    /// Who did it.
    package let actor: String
    /// What happened, as its type and version lay down, where it lies in the bytes.
    package let encodedData: EncodedCBOR

    /// What happened, as a tree of values.
    package var data: CBOR { encodedData.value }

    /// Whether events of a type set the clock: time may go back there, and nowhere else.
    package static func setsClock(_ type: String) -> Bool { Text.equal(type, clockSet) }

    /// The type of those events, as the domain has it.
    package static let clockSet = "clock.set"

    /// The hash of an event's bytes as a leaf of an RFC 6962 tree: SHA-256(0x00 ‖ bytes).
    package static func leafHash(_ bytes: Bytes) -> Bytes {
        SHA256.hash([0x00] + bytes)
    }
}

extension EventRecord: Equatable {
    /// Whether two events are the same; all that they say is in their bytes.
    package static func == (left: EventRecord, right: EventRecord) -> Bool {
        left.bytes == right.bytes
    }
}
