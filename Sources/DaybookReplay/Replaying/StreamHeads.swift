package import DaybookEncoding
import DaybookLog

/// The heads of a log's streams during a replay.
///
/// Those that changed recently are in memory, the others in rows: a log may have more streams than
/// memory should hold.
package struct StreamHeads {
    private var recent: [String: StreamHead] = [:]
    private var rows: any Rows

    /// How many heads are held in memory at most.
    private static let limit = 32_768

    /// The heads that are stored in rows, under the streams' names.
    package init(_ rows: any Rows = MemoryRows()) {
        self.rows = rows
    }

    /// The head of a stream; nil for one without events.
    subscript(name: String) -> StreamHead? { recent[name] ?? saved(name) }

    /// Applies the next event of a stream; its revision is taken from the event.
    mutating func take(_ record: EventRecord) {
        let name = record.stream
        recent[name] = StreamHead(
            first: self[name]?.first ?? record.position, count: record.revision &+ 1,
            last: record.position)
        if recent.count >= Self.limit { save() }
    }

    private func saved(_ name: String) -> StreamHead? {
        rows.value(Bytes(name.utf8)).flatMap { StreamHead($0) }
    }

    /// The digest over all heads, as checkpoints have it.
    mutating func digest() -> Bytes {
        save()
        var digest = StreamsDigest()
        rows.walk { name, value in
            if let head = StreamHead(value) { digest.add(name, head) }
        }
        return digest.finish()
    }

    /// All heads, under the streams' names.
    mutating func saved() -> any Rows {
        save()
        return rows
    }

    private mutating func save() {
        let names = recent.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for name in names {
            if let head = recent[name] { rows.set(Bytes(name.utf8), head.bytes) }
        }
        recent.removeAll(keepingCapacity: true)
    }
}
