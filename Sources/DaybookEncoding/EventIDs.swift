/// What names an event, or something that an event began: that event's place in the log.
///
/// It is a plain number in the log, in JSON and on the command line.
public protocol EventID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible,
    ExpressibleByIntegerLiteral
{
    /// The event's place in the log, from 0, without gaps.
    var number: UInt64 { get }

    /// The event at a place in the log, which need not exist.
    init(_ number: UInt64)
}

/// An event.
public struct Position: EventID {
    /// The event's place in the log.
    public let number: UInt64

    /// The event at a place in the log.
    public init(_ number: UInt64) { self.number = number }

    /// The place of the event after it.
    public var next: Position { Position(number + 1) }
}

/// A request: the position of its `request.received`.
public struct RequestID: EventID {
    /// The event's place in the log.
    public let number: UInt64

    /// The event at a place in the log.
    public init(_ number: UInt64) { self.number = number }
}

/// A wallet: the position of its `wallet.added`.
public struct WalletID: EventID {
    /// The event's place in the log.
    public let number: UInt64

    /// The event at a place in the log.
    public init(_ number: UInt64) { self.number = number }
}

/// A front end's session: the position of its `session.started`.
public struct SessionID: EventID {
    /// The event's place in the log.
    public let number: UInt64

    /// The event at a place in the log.
    public init(_ number: UInt64) { self.number = number }
}

extension EventID {
    /// Whether an event comes before another.
    public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// The event at a place that the code names.
    public init(integerLiteral number: UInt64) { self.init(number) }

    /// Reads the plain number.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(UInt64.self))
    }

    /// Writes the plain number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(number)
    }

    /// What the event at a position began.
    public init(_ position: Position) { self.init(position.number) }

    /// The event that it is named by.
    public var position: Position { Position(number) }

    /// The plain number in decimal digits.
    public var description: String { String(number) }
}

extension JSON {
    /// The plain number of an id.
    package static func int(_ id: some EventID) -> JSON { .int(id.number) }
}
