import DaybookEncoding
import DaybookLog

/// A log's events up to a position, read a page at a time.
///
/// Events never change: each page is a snapshot of its own, so that a writer meanwhile can reuse
/// the space of what it replaces however long the reading takes.
struct LogPages {
    private let log: EventLog
    private let end: UInt64
    private var next: UInt64
    private var page: ArraySlice<Bytes> = []

    static let events = 1024
    static let bytes = 1 << 20

    /// The events from `start` to before `end`.
    init(_ log: EventLog, from start: UInt64 = 0, upTo end: UInt64) {
        self.log = log
        self.end = end
        next = start
    }

    /// The next event's bytes; nil after the last.
    mutating func read() throws -> Bytes? {
        if page.isEmpty {
            guard next < end else { return nil }
            let limit = Int(min(UInt64(Self.events), end - next))
            page = try log.read {
                try $0.bytes(from: next, limit: limit, byteLimit: Self.bytes)
            }[...]
            guard !page.isEmpty else {
                throw LogError.damaged(position: next, reason: "the event is missing")
            }
            next += UInt64(page.count)
        }
        return page.popFirst()
    }
}
