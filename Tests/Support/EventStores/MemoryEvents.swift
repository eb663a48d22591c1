import DaybookEncoding
import DaybookLog
import DaybookSystem

/// The events of a log in memory: what LMDB and PostgreSQL do, in the fewest words.
package final class MemoryEvents: EventStore {
    fileprivate struct Content {
        var logID: Bytes
        /// Those that were not archived.
        var events: [Bytes] = []
        var archived: ArchivedEvents?
        var epoch: UInt64 = 1
        var root: Bytes = TreeHash.ofEmptyTree.bytes

        var count: UInt64 { (archived?.count ?? 0) + UInt64(events.count) }
    }

    private let content: Monitor<Content>
    private let epoch: UInt64
    private let watchers: Monitor<[ObjectIdentifier: @Sendable (UInt64?) -> Void]>

    /// A log without events.
    package init(log: Bytes) {
        content = Monitor(Content(logID: log))
        watchers = Monitor([:])
        epoch = 1
    }

    private init(_ other: MemoryEvents, epoch: UInt64) {
        (content, watchers) = (other.content, other.watchers)
        self.epoch = epoch
    }

    /// The log for a writer that takes it over.
    package func takenOver() -> MemoryEvents {
        let epoch = content.change { content in
            content.epoch += 1
            return content.epoch
        }
        return MemoryEvents(self, epoch: epoch)
    }

    package func snapshot<Value>(
        _ freshness: LogFreshness, _ body: (any EventView) throws -> Value
    ) throws -> Value {
        if freshness == .asWriter { try checkWriter() }
        return try body(MemoryEventView(content.change { $0 }))
    }

    package func turn<Value>(
        _ body: (any EventView) throws -> (Value, NewEvents)
    ) throws -> Value {
        while true {
            let view = MemoryEventView(content.change { $0 })
            if view.epoch != epoch { throw LogError.fenced(held: epoch, epoch: view.epoch) }
            let (value, new) = try body(view)
            if view.adopted == nil, new.events.isEmpty { return value }
            switch try append(new, expecting: view.count, epoch: epoch, adopting: view.adopted) {
            case .appended: return value
            case .fenced(let found): throw LogError.fenced(held: epoch, epoch: found)
            case .conflict: continue
            }
        }
    }

    package func append(
        _ new: NewEvents, expecting count: UInt64, epoch: UInt64
    ) throws -> AppendAnswer {
        try append(new, expecting: count, epoch: epoch, adopting: nil)
    }

    private func append(
        _ new: NewEvents, expecting count: UInt64, epoch: UInt64, adopting logID: Bytes?
    ) throws -> AppendAnswer {
        let root = try new.root()
        let answer: AppendAnswer = content.change { content in
            if content.epoch != epoch { return .fenced(epoch: content.epoch) }
            let found = content.count
            if found != count { return .conflict(count: found) }
            if let logID { content.logID = logID }
            content.events += new.events
            content.root = root
            return .appended(count: content.count)
        }
        if case .appended = answer {
            for grown in watchers.change({ Array($0.values) }) { grown(nil) }
        }
        return answer
    }

    private func checkWriter() throws {
        let found = content.change { $0.epoch }
        if found != epoch { throw LogError.fenced(held: epoch, epoch: found) }
    }

    package func drop(_ archived: ArchivedEvents) throws {
        try checkWriter()
        content.change { content in
            guard content.archived?.count ?? 0 <= archived.count else { return }
            let left = content.count - archived.count
            content.events = Array(content.events.suffix(Int(left)))
            content.archived = archived
        }
    }

    package func watch(_ grown: @escaping @Sendable (UInt64?) -> Void) -> any Sendable {
        let watch = MemoryWatch(watchers)
        watchers.change { $0[ObjectIdentifier(watch)] = grown }
        return watch
    }
}

private final class MemoryWatch: Sendable {
    private let watchers: Monitor<[ObjectIdentifier: @Sendable (UInt64?) -> Void]>

    init(_ watchers: Monitor<[ObjectIdentifier: @Sendable (UInt64?) -> Void]>) {
        self.watchers = watchers
    }

    deinit { watchers.change { $0[ObjectIdentifier(self)] = nil } }
}

/// A log in memory as of one commit.
private final class MemoryEventView: EventView {
    private let content: MemoryEvents.Content
    private(set) var adopted: Bytes?

    init(_ content: MemoryEvents.Content) {
        self.content = content
    }

    var logID: Bytes { adopted ?? content.logID }
    var count: UInt64 { content.count }
    var archived: ArchivedEvents? { content.archived }
    private var first: UInt64 { archived?.count ?? 0 }
    var epoch: UInt64 { content.epoch }
    var root: Bytes? { content.root }

    func bytes(at position: UInt64) -> Bytes? {
        (first..<count).contains(position) ? content.events[Int(position - first)] : nil
    }

    func events(from position: UInt64, limit: Int, byteLimit: Int) throws -> [Bytes] {
        guard position >= first else {
            throw LogError.damaged(position: position, reason: "the event is missing")
        }
        var events: [Bytes] = []
        var total = 0
        for bytes in content.events.dropFirst(Int(position - first)).prefix(limit)
        where total < byteLimit {
            events.append(bytes)
            total += bytes.count
        }
        return events
    }

    func adopt(_ logID: Bytes) { adopted = logID }

    func checkMeta(noting fault: (LogFault) -> Void) {}

    func checkEvents(noting fault: (LogFault) -> Void, each: (Bytes) throws -> Void) throws {
        for bytes in content.events { try each(bytes) }
    }
}
