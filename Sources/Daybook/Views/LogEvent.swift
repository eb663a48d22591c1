public import DaybookEncoding

/// An event of the log.
public struct LogEvent: Codable, Hashable, Sendable, Identifiable {
    /// Its place in the log, from 0: its id.
    public let position: Position
    /// Its type, such as `request.received`.
    public let type: String
    /// When it was recorded.
    public let time: Timestamp
    /// The position of the session's first event.
    public let session: SessionID
    /// The position of the request's first event.
    public let request: RequestID?
    /// The input that this outcome follows from.
    public let cause: Position?
    /// The stream that it belongs to, such as `request/12`.
    public let stream: String
    /// Its place in the stream, from 0.
    public let revision: UInt64
    /// The source: a front end, `node`, `keystore`, or `daybook` for outcomes.
    public let actor: String
    /// The content as lossless JSON text, with bytes as `{"$hex":"…"}`.
    public let data: String
    /// The bytes of the whole event, as they are stored and hashed.
    public let bytes: [UInt8]

    /// The position.
    public var id: Position { position }

    /// An event for previews and tests of a front end.
    public init(
        position: Position, type: String, time: Timestamp = Timestamp(microseconds: 0),
        session: SessionID = 0, request: RequestID? = nil, cause: Position? = nil,
        stream: String = "", revision: UInt64 = 0, actor: String = "", data: String = "{}",
        bytes: [UInt8] = []
    ) {
        (self.position, self.type, self.time) = (position, type, time)
        (self.session, self.request, self.cause) = (session, request, cause)
        (self.stream, self.revision, self.actor) = (stream, revision, actor)
        (self.data, self.bytes) = (data, bytes)
    }
}

/// An event of the log, by its place from 0 on.
public typealias Position = DaybookEncoding.Position

/// A request, by the event that received it.
public typealias RequestID = DaybookEncoding.RequestID

/// A wallet, by the event that added it.
public typealias WalletID = DaybookEncoding.WalletID

/// A front end's session, by the event that began it.
public typealias SessionID = DaybookEncoding.SessionID

/// A moment in UTC, to the microsecond.
public typealias Timestamp = DaybookEncoding.Timestamp

/// An amount of an asset in its minor units.
public typealias MinorAmount = DaybookEncoding.MinorAmount
