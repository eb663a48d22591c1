internal import DaybookEncoding
internal import DaybookSystem

/// The last events of a log, and where those of each request, session and stream are.
///
/// The writer of a process adds what it appends before it is committed, and its readers share the
/// tail: each looks only at what is below the size of the log that it reads. A tail begins where
/// the derived tables end.
final class LogTail: Sendable {
    /// How many events there are before it.
    let start: UInt64
    private let content: Monitor<Content>

    fileprivate struct Content: Sendable {
        /// The last events, from `first` on.
        var records: [EventRecord] = []
        var first: UInt64
        var bytes = 0
        var lists: [PositionLists.List: [UInt64]] = [:]
        var streams: [Bytes: Stream] = [:]
    }

    /// The events of a stream.
    fileprivate struct Stream: Sendable {
        /// The stream before the tail.
        let before: StreamHead?
        var positions: [UInt64] = []
    }

    /// Of how many events, and of how many bytes of events, it holds the last ones at least.
    static let kept = (events: 1024, bytes: 4 << 20)

    init(from start: UInt64) {
        self.start = start
        content = Monitor(Content(first: start))
    }

    // MARK: - Adding

    /// Adds the next event, the extent of whose stream is known.
    func add(_ record: EventRecord, in name: Bytes, after head: StreamHead?) {
        content.change { content in
            content.records.append(record)
            content.bytes += record.bytes.count
            content.dropOldest()
            let position = record.position
            let list = record.request.map { PositionLists.List(.request, $0) }
                ?? PositionLists.List(.stream, head?.first ?? position)
            content.lists[list, default: []].append(position)
            content.lists[.init(.session, record.session), default: []].append(position)
            content.streams[name, default: Stream(before: head)].positions.append(position)
        }
    }

    /// Forgets the events from a position on, which were not committed.
    func truncate(to size: UInt64) {
        content.change { content in
            guard content.first + UInt64(content.records.count) > size else { return }
            content.records.removeAll { $0.position >= size }
            content.bytes = content.records.reduce(0) { $0 + $1.bytes.count }
            if content.records.isEmpty { content.first = size }
            for index in content.lists.values.indices {
                content.lists.values[index].removeAll { $0 >= size }
            }
            for index in content.streams.values.indices {
                content.streams.values[index].positions.removeAll { $0 >= size }
            }
        }
    }

    // MARK: - Looking, in a log of `size` events

    /// The event at a position; nil if it is not held any more.
    func record(at position: UInt64, below size: UInt64) -> EventRecord? {
        content.change { content in
            guard position < size, position >= content.first else { return nil }
            return content.records[Int(position - content.first)]
        }
    }

    /// The events in a range; nil if they are not all held any more.
    func records(_ range: Range<UInt64>) -> [EventRecord]? {
        content.change { content in
            guard range.lowerBound >= content.first else { return nil }
            let first = content.first
            return Array(
                content.records[Int(range.lowerBound - first)..<Int(range.upperBound - first)])
        }
    }

    /// The positions of a list's events in the tail.
    func positions(of list: PositionLists.List, below size: UInt64) -> [UInt64] {
        content.change { content in
            var found = content.lists[list] ?? []
            while let last = found.last, last >= size { found.removeLast() }
            return found
        }
    }

    /// The extent of a stream; `before` is asked for what was before the tail.
    func head(
        of name: Bytes, below size: UInt64, before: () -> StreamHead?
    ) -> StreamHead? {
        let known = content.change { $0.streams[name]?.head(below: size) }
        return known ?? before()
    }

    /// The extents of all streams with events in the tail.
    func heads(below size: UInt64) -> [(name: Bytes, head: StreamHead)] {
        content.change { content in
            content.streams.compactMap { name, stream in
                stream.head(below: size).map { (name, $0) }
            }
        }.sorted { ByteOrder.precedes($0.name, $1.name) }
    }

    /// Writes the positions of the events in the tail into rows that have those before it.
    func writePositions(into rows: inout any Rows, below size: UInt64) {
        let lists = content.change { $0.lists }
        let ordered = lists.sorted {
            ($0.key.kind.rawValue, $0.key.id) < ($1.key.kind.rawValue, $1.key.id)
        }
        for (list, positions) in ordered {
            PositionLists.append(positions.filter { $0 < size }, to: list, in: &rows)
        }
    }
}

extension LogTail.Content {
    /// Lets go of the oldest events if there are many; what is before them stays known.
    fileprivate mutating func dropOldest() {
        let (events, most) = LogTail.kept
        guard records.count >= 2 * events || bytes >= 2 * most else { return }
        var dropped = max(records.count - events, 0)
        bytes -= records.prefix(dropped).reduce(0) { $0 + $1.bytes.count }
        while bytes > most, dropped + 1 < records.count {
            bytes -= records[dropped].bytes.count
            dropped += 1
        }
        records.removeFirst(dropped)
        first += UInt64(dropped)
    }
}

extension LogTail.Stream {
    /// The extent of the stream in a log of a size; nil if the tail has none of its events.
    fileprivate func head(below size: UInt64) -> StreamHead? {
        guard let first = positions.first, first < size else { return nil }
        let count = positions.last.map { $0 < size } == true
            ? positions.count : positions.prefix { $0 < size }.count
        return StreamHead(
            first: before?.first ?? first, count: (before?.count ?? 0) &+ UInt64(count),
            last: positions[count - 1])
    }
}
