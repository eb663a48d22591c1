import DaybookDomain
package import DaybookEncoding

/// The positions of a log that parties outside of the store have vouched for, and when.
///
/// For example, a witness that cosigned the first 7715 events on a day covers 0 to 7714, and what
/// an insider changes there afterwards is seen. Only verified cosignatures and stamps may be added.
package struct Coverage: Equatable, Sendable {
    /// Someone who vouches. Two keys or certificates are two, also if they have one name.
    package struct Voucher: Hashable, Sendable {
        /// How it vouches.
        package enum Kind: Sendable {
            /// By a cosignature: it has seen no other log of this name.
            case witness
            /// By a time stamp.
            case authority
        }

        package let kind: Kind
        /// The name for people.
        package let name: String
        /// The key or certificate, or its digest.
        package let identity: Bytes

        package init(_ kind: Kind, name: String, identity: Bytes) {
            (self.kind, self.name, self.identity) = (kind, name, identity)
        }
    }

    /// A range of positions, both ends included; `by` is nil for what nobody covers.
    package struct Span: Equatable, Sendable {
        package let from: Position
        package let to: Position
        package let by: Voucher?
        /// When it was covered, in microseconds since 1970; nil for what nobody covers.
        package let time: UInt64?
    }

    /// The most events that each voucher covers, and when; by the first time it was added.
    private var covered: [(by: Voucher, size: UInt64, time: UInt64)] = []

    package init() {}

    package static func == (left: Coverage, right: Coverage) -> Bool {
        left.covered.elementsEqual(right.covered, by: ==)
    }

    /// Whether nobody covers anything.
    package var isEmpty: Bool { covered.isEmpty }

    /// Whether a voucher covers anything.
    package func has(_ voucher: Voucher) -> Bool { covered.contains { $0.by == voucher } }

    /// How many events are covered by anybody.
    package var size: UInt64 { covered.lazy.map(\.size).max() ?? 0 }

    /// Adds that someone vouched for the first `size` events at a time, in microseconds since 1970.
    ///
    /// Of several times for one size the first counts: they were there by then.
    package mutating func add(_ voucher: Voucher, size: UInt64, at time: UInt64) {
        // A checkpoint of the empty log covers no event.
        guard size > 0 else { return }
        guard let index = covered.firstIndex(where: { $0.by == voucher }) else {
            return covered.append((voucher, size, time))
        }
        let known = covered[index]
        if size > known.size || (size == known.size && time < known.time) {
            covered[index] = (voucher, size, time)
        }
    }

    /// One span a voucher, from the first event on, and then the rest of a log of `count` events.
    package func spans(of count: UInt64) -> [Span] {
        var spans = covered.map { entry in
            Span(from: 0, to: Position(entry.size - 1), by: entry.by, time: entry.time)
        }
        if size < count {
            spans.append(
                Span(from: Position(size), to: Position(count - 1), by: nil, time: nil))
        }
        return spans
    }

    /// The spans as `[{"from","to","by","at"?}]`; `by` is null for what nobody covers.
    package func json(of count: UInt64) -> JSON {
        .array(
            spans(of: count).map { span in
                .record([
                    "from": .int(span.from.number), "to": .int(span.to.number),
                    "by": span.by.map { .string($0.name) } ?? .null,
                    "at": span.time.map { .string(Timestamp.text($0)) },
                ])
            })
    }

    /// The spans of a statement's JSON in one line, without how they are covered.
    static func text(of json: JSON) -> String {
        let spans = (json.arrayValue ?? []).map { span -> String in
            let range = [span["from"], span["to"]].map { $0?.numberLiteral ?? "?" }
            let by = span["by"]?.stringValue.map(Text.escaped) ?? "nobody"
            let time = span["at"]?.stringValue.flatMap(Timestamp.parse)
            let places = Text.equal(range[0], range[1]) ? range[0] : range.joined(separator: " to ")
            return "\(places) by \(by)" + (time.map { " on \(Timestamp.readable($0))" } ?? "")
        }
        return "events " + spans.joined(separator: "; ")
    }

    /// The spans in one line: `events 0 to 7714 witnessed by W on …; 7715 to 7720 by nobody`.
    ///
    /// Nil for a log without events.
    package func line(of count: UInt64) -> String? {
        let parts = spans(of: count).map { span -> String in
            let range = span.from == span.to ? "\(span.from)" : "\(span.from) to \(span.to)"
            guard let by = span.by, let time = span.time else { return "\(range) by nobody" }
            let verb =
                switch by.kind {
                case .witness: "witnessed"
                case .authority: "stamped"
                }
            return "\(range) \(verb) by \(Text.escaped(by.name)) on \(Timestamp.readable(time))"
        }
        return parts.isEmpty ? nil : "events " + parts.joined(separator: "; ")
    }
}

/// The event of several with the latest time, in microseconds since 1970.
struct LatestTime: Recorded, Sendable {
    let position: Position
    let time: UInt64

    init(position: Position, time: UInt64) { (self.position, self.time) = (position, time) }

    init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        time = try coder.field("time", value?.time)
        position = try coder.field("position", value?.position)
    }
}

/// Compares the times of a log's events with those of witnesses and time-stamping authorities.
///
/// It takes the events in order. Memory grows with the checkpoints, not with the events.
package struct ClockCheck: Sendable {
    /// Clocks that agree differ by less, in microseconds: five minutes.
    package static let tolerance: UInt64 = 5 * 60 * 1_000_000

    /// The event with the latest time of the first events of the log.
    var latest: LatestTime?
    /// The same, for the first `size` events, by the size.
    private var marks: [UInt64: LatestTime] = [:]

    package init() {}

    /// Takes the time of the next event.
    package mutating func take(_ time: UInt64, at position: Position) {
        if latest.map({ time > $0.time }) ?? true {
            latest = LatestTime(position: position, time: time)
        }
    }

    /// Remembers the latest time of the events so far, of which there are `size`.
    package mutating func mark(_ size: UInt64) {
        marks[size] = latest
    }

    /// The fault if an event records at a time what an authority made at another one.
    package static func disagreement(
        recorded: UInt64, with time: UInt64, of voucher: Coverage.Voucher
    ) -> String? {
        let difference = recorded > time ? recorded - time : time - recorded
        if difference <= tolerance { return nil }
        return "it was recorded at \(Timestamp.readable(recorded)), and "
            + "\(Text.escaped(voucher.name)) says \(Timestamp.readable(time)): the store's clock "
            + "and theirs disagree"
    }

    /// The fault if one of the first events claims to be later than the time that covers them.
    ///
    /// The position is that of the latest of the first `size` events.
    package func later(
        than time: UInt64, size: UInt64, of voucher: Coverage.Voucher
    ) -> (position: Position, message: String)? {
        guard let mark = marks[size], mark.time > time, mark.time - time > Self.tolerance else {
            return nil
        }
        return (
            mark.position,
            "it claims to be of \(Timestamp.readable(mark.time)), and "
                + "\(Text.escaped(voucher.name)) covered it at \(Timestamp.readable(time)) already"
        )
    }
}
