/// An id of an event, or of a thing that an event began: the event's position in the log.
///
/// It is a plain number in the log, in JSON and on the command line, and at most `greatest`, so
/// that no arithmetic on ids can overflow: not on one that a caller makes up either.
public protocol EventID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible,
    ExpressibleByIntegerLiteral
{
    /// The event's position in the log, from 0, without gaps.
    var number: UInt64 { get }

    /// The id for a position in the log; the event need not exist.
    ///
    /// A number above `greatest` is taken for it.
    init(_ number: UInt64)
}

/// The position of an event, which is its id.
public struct Position: EventID {
    /// The event's place in the log.
    public let number: UInt64

    /// The id for a position in the log.
    public init(_ number: UInt64) { self.number = min(number, Self.greatest) }

    /// The position of the next event.
    public var next: Position { Position(number + 1) }
}

/// The id of a request: the position of its first event.
public struct RequestID: EventID {
    /// The event's place in the log.
    public let number: UInt64

    /// The id for a position in the log.
    public init(_ number: UInt64) { self.number = min(number, Self.greatest) }
}

/// The id of a wallet: the position of its `wallet.added`.
public struct WalletID: EventID {
    /// The event's place in the log.
    public let number: UInt64

    /// The id for a position in the log.
    public init(_ number: UInt64) { self.number = min(number, Self.greatest) }
}

/// The id of a front end's session: the position of its `session.started`.
public struct SessionID: EventID {
    /// The event's place in the log.
    public let number: UInt64

    /// The id for a position in the log.
    public init(_ number: UInt64) { self.number = min(number, Self.greatest) }
}

extension EventID {
    /// The greatest number of an id, 2^53 - 1: no log has as many events.
    ///
    /// All programs that read JSON agree about whole numbers up to this one (RFC 7493, 2.2).
    public static var greatest: UInt64 { 1 << 53 - 1 }

    /// The id for a number from outside; nil for one above `greatest`.
    public init?(exactly number: UInt64) {
        guard number <= Self.greatest else { return nil }
        self.init(number)
    }

    /// Whether an event comes before another.
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// An id from an integer literal.
    public init(integerLiteral number: UInt64) { self.init(number) }

    /// Decodes the plain number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = Self(exactly: try container.decode(UInt64.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "an id is at most \(Self.greatest)")
        }
        self = id
    }

    /// Encodes the plain number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    /// The id of the thing that the event at a position began.
    public init(_ position: Position) { self.init(position.number) }

    /// The position of the event.
    public var position: Position { Position(number) }

    /// The plain number in decimal digits.
    public var description: String { String(number) }
}

extension JSON {
    /// The plain number of an id.
    package static func int(_ id: some EventID) -> JSON { .int(id.number) }
}
