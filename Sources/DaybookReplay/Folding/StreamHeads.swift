package import DaybookEncoding
package import DaybookLog

/// The heads of a log's streams while it is replayed.
///
/// Those that changed of late are in memory, all others in rows: a log may have more streams than
/// memory should hold.
package struct StreamHeads {
    private var recent: [String: StreamHead] = [:]
    private var rows: any Rows

    /// So many heads are held in memory at most.
    private static let limit = 32_768

    /// The heads in rows whose keys are the streams' names.
    package init(_ rows: any Rows = MemoryRows()) {
        self.rows = rows
    }

    /// The head of a stream; nil for one without events.
    subscript(name: String) -> StreamHead? { recent[name] ?? saved(name) }

    /// Takes in the next event of a stream, whose revision is what the event says.
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

    /// The digest over all of them, as a checkpoint has it.
    mutating func digest() -> Bytes {
        save()
        var digest = StreamsDigest()
        var after: Bytes?
        while true {
            let page = rows.scan(prefix: [], after: after, limit: 1024)
            for row in page {
                if let head = StreamHead(row.value) { digest.add(row.key, head) }
            }
            guard let last = page.last else { return digest.finish() }
            after = last.key
        }
    }

    private mutating func save() {
        let names = recent.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for name in names {
            if let head = recent[name] { rows.set(Bytes(name.utf8), head.bytes) }
        }
        recent.removeAll(keepingCapacity: true)
    }
}
