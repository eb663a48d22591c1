package import DaybookEncoding
package import DaybookLog

/// Finds the position from which two logs differ.
package enum LogDiff {
    /// The length of the common prefix of two logs, found by the heads of their trees.
    ///
    /// Calls `heads` about log₂ of the smaller size times.
    package static func commonPrefix(
        _ sizes: (UInt64, UInt64), _ heads: (UInt64) throws -> (TreeHead, TreeHead)
    ) rethrows -> UInt64 {
        var (low, high) = (UInt64(0), min(sizes.0, sizes.1))
        // The logs are equal up to `low`, and differ beyond `high`.
        while low < high {
            let middle = low + (high - low + 1) / 2
            let (one, other) = try heads(middle)
            if one == other { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The first field in which two events differ; nil if they are the same.
    ///
    /// `recorded` is the value in the left one. The logs' ids are not compared.
    package static func firstDifference(
        _ left: EventRecord, _ right: EventRecord
    ) -> Divergence? {
        let other = EventRecord(
            format: right.format, logID: left.logID, position: right.position,
            stream: right.stream, revision: right.revision, type: right.type,
            version: right.version, time: right.time, session: right.session,
            request: right.request, cause: right.cause, actor: right.actor,
            data: right.encodedData.bytes)
        guard left != other else { return nil }
        let found = Difference.first(left, other)
        return Divergence(
            position: left.id, field: found.field, recorded: found.recorded,
            produced: found.produced)
    }
}

/// Finds the first field in which two events differ.
enum Difference {
    /// A field's name and its two values, shortened.
    struct Found {
        let field: String
        let recorded: String
        let produced: String
    }

    static func first(_ recorded: EventRecord, _ produced: EventRecord) -> Found {
        func text(_ value: UInt64?) -> String { value.map { String($0) } ?? "none" }
        let envelope: [(String, String, String)] = [
            ("position", text(recorded.position), text(produced.position)),
            ("type", recorded.type, produced.type),
            ("version", text(recorded.version), text(produced.version)),
            ("stream", recorded.stream, produced.stream),
            ("revision", text(recorded.revision), text(produced.revision)),
            ("time", text(recorded.time), text(produced.time)),
            ("session", text(recorded.session), text(produced.session)),
            ("request", text(recorded.request), text(produced.request)),
            ("cause", text(recorded.cause), text(produced.cause)),
            ("actor", recorded.actor, produced.actor),
            ("format", text(recorded.format), text(produced.format)),
            ("logID", Hex.encode(recorded.logID), Hex.encode(produced.logID)),
        ]
        for (field, left, right) in envelope where !Text.equal(left, right) {
            return Found(field: field, recorded: shortened(left), produced: shortened(right))
        }
        return first(recorded.data, produced.data, "data")
            ?? Found(field: "data", recorded: "other bytes", produced: "these bytes")
    }

    private static func value(_ key: CBOR, _ entries: [CBOR.Entry]) -> CBOR? {
        entries.first { $0.key == key }?.value
    }

    /// `nil` stands for an absent value, which differs from a recorded null.
    private static func first(_ left: CBOR?, _ right: CBOR?, _ path: String) -> Found? {
        switch (left, right) {
        case (.map(let ours), .map(let theirs)):
            for entry in ours + theirs {
                let (mine, other) = (value(entry.key, ours), value(entry.key, theirs))
                let name = entry.key.textValue.map { Text.escaped($0) } ?? text(entry.key)
                if let found = first(mine, other, "\(path).\(shortened(name))") { return found }
            }
            return nil
        case (.array(let ours), .array(let theirs)):
            for index in 0..<max(ours.count, theirs.count) {
                let found = first(
                    index < ours.count ? ours[index] : nil,
                    index < theirs.count ? theirs[index] : nil, "\(path)[\(index)]")
                if let found { return found }
            }
            return nil
        default:
            if left == right { return nil }
            return Found(field: path, recorded: text(left), produced: text(right))
        }
    }

    private static func text(_ value: CBOR?) -> String {
        switch value {
        case nil: "none"
        case .unsigned(let number): String(number)
        case .negative(let number): "-\(number)-1"
        case .bytes(let bytes): shortened(Hex.encode(bytes))
        case .text(let text): shortened(Text.escaped(text))
        case .bool(let value): String(value)
        case .null: "null"
        case .array(let items): "\(items.count) items"
        case .map(let entries): "\(entries.count) fields"
        }
    }

    /// Shortens a value, as reports must not contain whole payloads.
    private static func shortened(_ text: String) -> String {
        text.count <= 64 ? text : text.prefix(63) + "…"
    }
}

/// A difference between a recorded event and the one that deciding again produces.
package struct Divergence: Equatable, Sendable {
    package let position: Position
    /// The first field that differs, such as `type` or `data.url`.
    package let field: String
    package let recorded: String
    package let produced: String

    package init(position: Position, field: String, recorded: String, produced: String) {
        self.position = position
        self.field = field
        self.recorded = recorded
        self.produced = produced
    }
}
