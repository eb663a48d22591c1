import DaybookEncoding
import DaybookSystem

/// The log of a server for its operator, which a flood of events can't fill.
///
/// A message is written when it comes first; what comes again within a minute is counted, and the
/// count is written at the end of the minute. Each reason and each node is counted apart.
package final class OperatorLog: Sendable {
    /// How a line is spelled.
    package enum Form: Sendable {
        case text
        /// With the level as systemd's journal takes it, sd-daemon(3): `<4>`.
        case journal
        case json
    }

    private struct Key: Hashable {
        let message: OperatorMessage
        let about: String?
        let reason: String?
    }

    /// A minute in which a message is counted.
    private struct Minute {
        let end: UInt64
        var count: UInt64 = 0
    }

    /// The parts of a line about one message.
    private struct Line {
        let key: Key
        var request: RequestID?
        /// How many there were; nil for a single one.
        var count: UInt64?
        /// Whether they came after another line about them.
        var isMore = false
    }

    /// How long a message is counted after it was written, in microseconds.
    package static let interval: UInt64 = 60_000_000
    /// The number of different messages in a minute; further ones are lost.
    private static let limit = 256

    private let form: Form
    private let write: @Sendable (String) -> Void
    private let clock: @Sendable () -> UInt64
    private let minutes = Monitor<[Key: Minute]>([:])

    /// A log that gives its lines to `write`; `clock` is monotonic, in microseconds.
    package init(
        as form: Form, clock: @escaping @Sendable () -> UInt64 = Clock.monotonicMicroseconds,
        to write: @escaping @Sendable (String) -> Void
    ) {
        (self.form, self.clock, self.write) = (form, clock, write)
    }

    /// Writes or counts a message; `about` is what it is about, such as a node by its number.
    package func note(
        _ message: OperatorMessage, about: String? = nil, reason: String? = nil,
        request: RequestID? = nil, count: UInt64? = nil
    ) {
        let key = Key(message: message, about: about, reason: reason)
        let now = clock()
        let isFirst = minutes.change { minutes in
            if minutes[key] != nil {
                minutes[key]?.count += count ?? 1
                return false
            }
            guard minutes.count < Self.limit else { return false }
            minutes[key] = Minute(end: now + Self.interval)
            return true
        }
        if isFirst { write(text(Line(key: key, request: request, count: count))) }
    }

    /// Writes the counts of the minutes that are over; called every second.
    package func tick() { writeCounts(of: { [now = clock()] in $0.end <= now }) }

    /// Writes all counts, because the server ends.
    package func finish() { writeCounts(of: { _ in true }) }

    private func writeCounts(of isOver: (Minute) -> Bool) {
        let now = clock()
        let lines = minutes.change { minutes in
            let over = minutes.filter { isOver($0.value) }
            for (key, minute) in over {
                // One that goes on is counted for another minute.
                minutes[key] = minute.count > 0 ? Minute(end: now + Self.interval) : nil
            }
            return over.filter { $0.value.count > 0 }
                .map { Line(key: $0.key, count: $0.value.count, isMore: true) }
        }
        for line in lines.map(text).sorted() { write(line) }
    }

    private func text(_ line: Line) -> String {
        let message = line.key.message
        let details = [
            line.key.about, line.request.map { "request \($0)" },
            line.count.map { "\($0)\(line.isMore ? " more" : "")" }, line.key.reason,
        ].compactMap { $0 }
        let sentence = Text.escaped(
            message.text + (details.isEmpty ? "" : ": " + details.joined(separator: ", ")))
        switch form {
        case .text:
            let time = Timestamp.seconds(Clock.nowMicroseconds())
            return "\(time) \(message.level.name): \(sentence) (\(message.rawValue))"
        case .journal: return "<\(message.level.rawValue)>\(sentence) (\(message.rawValue))"
        case .json:
            return JSON.record([
                "time": .string(Timestamp.text(Clock.nowMicroseconds())),
                "level": .string(message.level.name), "message": .string(sentence),
                "code": .string(message.rawValue), "reason": line.key.reason.map(JSON.string),
                "request": line.request.map { .int($0) }, "count": line.count.map { .int($0) },
            ]).text(escapingHidden: true)
        }
    }
}
