internal import DaybookCrypto
package import DaybookEncoding

/// An event as it lies in the log: the envelope and the data.
package struct EventRecord: Equatable, Sendable {
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
    /// Microseconds since 1970-01-01 UTC, never before the event before.
    package let time: UInt64
    /// The position of the `session.started` it belongs to.
    package let session: UInt64
    /// The position of the `request.received` it belongs to.
    package let request: UInt64?
    /// The position of the input that this outcome follows from.
    package let cause: UInt64?
    /// Who did it.
    package let actor: String
    /// What happened, as its type and version lay down.
    package let data: CBOR

    /// An event from all its parts.
    package init(
        format: UInt64 = LogVersions.format, logID: Bytes, position: UInt64, stream: String,
        revision: UInt64, type: String, version: UInt64, time: UInt64, session: UInt64,
        request: UInt64?, cause: UInt64?, actor: String, data: CBOR
    ) {
        self.format = format
        self.logID = logID
        self.position = position
        self.stream = stream
        self.revision = revision
        self.type = type
        self.version = version
        self.time = time
        self.session = session
        self.request = request
        self.cause = cause
        self.actor = actor
        self.data = data
    }

    /// The hash of an event's bytes as a leaf of an RFC 6962 tree: SHA-256(0x00 ‖ bytes).
    package static func leafHash(_ bytes: Bytes) -> Bytes {
        SHA256.hash([0x00] + bytes)
    }
}
