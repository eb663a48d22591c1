internal import DaybookEncoding
package import DaybookSystem

/// The events of a log, of which the oldest ones may lie in the segments of an archive.
///
/// A reader does not notice which of the two they come from.
package final class SegmentedEvents: EventStore {
    /// The store of the events that were not archived.
    package let stored: any EventStore
    private let segments: SegmentFiles

    /// The events of a store; the index of its segments is kept in a folder, if there is one.
    init(_ stored: any EventStore, indexIn folder: String?, isReadOnly: Bool) {
        self.stored = stored
        segments = SegmentFiles(indexIn: folder, isReadOnly: isReadOnly)
    }

    package var isIsolated: Bool { stored.isIsolated }
    package var newestCommit: UInt64? { stored.newestCommit }

    package func makeThread() -> ActorThread? { stored.makeThread() }

    package func snapshot<Value>(
        _ freshness: LogFreshness, _ body: (any EventView) throws -> Value
    ) throws -> Value {
        try stored.snapshot(freshness) { try body(whole($0)) }
    }

    package func turn<Value>(
        _ body: (any EventView) throws -> (Value, NewEvents)
    ) throws -> Value {
        try stored.turn { try body(whole($0)) }
    }

    package func append(
        _ new: NewEvents, expecting count: UInt64, epoch: UInt64
    ) throws -> AppendAnswer {
        try stored.append(new, expecting: count, epoch: epoch)
    }

    package func watch(_ grown: @escaping @Sendable (UInt64?) -> Void) -> any Sendable {
        stored.watch(grown)
    }

    package func drop(_ archived: ArchivedEvents) throws { try stored.drop(archived) }

    /// Reads the segments of events that are to be archived, and checks that they have their root.
    ///
    /// `cover` gives the hashes that the log's tree has of a range of events.
    ///
    /// - Throws: `LogError.segmentMissing`, `segmentChanged`.
    func verify(
        _ archived: ArchivedEvents, ofLog logID: Bytes,
        cover: (Range<UInt64>) throws -> [TreeHash], progress: (UInt64) throws -> Void
    ) throws {
        let before = try stored.snapshot { $0.archived }
        try segments.verify(
            archived, ofLog: logID, before: before, cover: cover, progress: progress)
    }

    private func whole(_ view: any EventView) -> any EventView {
        // Elsewhere another process may archive events while a view is read.
        view.archived == nil && isIsolated ? view : SegmentedView(view, segments)
    }
}

/// A view of a log's store and of its segments.
private final class SegmentedView: EventView {
    private let stored: any EventView
    private let segments: SegmentFiles
    private(set) var archived: ArchivedEvents?

    init(_ stored: any EventView, _ segments: SegmentFiles) {
        self.stored = stored
        self.segments = segments
        archived = stored.archived
    }

    var logID: Bytes { stored.logID }
    var count: UInt64 { stored.count }
    var commit: UInt64? { stored.commit }
    var epoch: UInt64 { stored.epoch }
    var root: Bytes? { stored.root }

    private var first: UInt64 { archived?.count ?? 0 }

    func bytes(at position: UInt64) throws -> Bytes? {
        try current {
            position < first
                ? try old(from: position, limit: 1, byteLimit: .max).first
                : try stored.bytes(at: position)
        }
    }

    func events(from position: UInt64, limit: Int, byteLimit: Int) throws -> [Bytes] {
        try current {
            guard position < first else {
                return try stored.events(from: position, limit: limit, byteLimit: byteLimit)
            }
            var events = try old(from: position, limit: limit, byteLimit: byteLimit)
            let left = byteLimit - events.reduce(0) { $0 + $1.count }
            if events.count < limit, left > 0 {
                events += try stored.events(
                    from: first, limit: limit - events.count, byteLimit: left)
            }
            return events
        }
    }

    func events(at positions: [UInt64]) throws -> [Bytes] {
        try current {
            var recent = try stored.events(at: positions.filter { $0 >= first }).makeIterator()
            return try positions.map { position in
                let bytes = position >= first
                    ? recent.next() : try old(from: position, limit: 1, byteLimit: .max).first
                guard let bytes else {
                    throw LogError.damaged(position: position, reason: "the event is missing")
                }
                return bytes
            }
        }
    }

    private func old(from position: UInt64, limit: Int, byteLimit: Int) throws -> [Bytes] {
        guard let archived else { return [] }
        return try segments.events(
            of: archived, ofLog: logID, from: position, limit: limit, byteLimit: byteLimit)
    }

    /// Runs `body` again if another process has archived the events that it misses.
    private func current<Value>(_ body: () throws -> Value) throws -> Value {
        while true {
            do {
                return try body()
            } catch LogError.damaged(let position?, let reason) {
                let now = try stored.archivedNow()
                guard now != archived, position < now?.count ?? 0 else {
                    throw LogError.damaged(position: position, reason: reason)
                }
                archived = now
            }
        }
    }

    func archivedNow() throws -> ArchivedEvents? { try stored.archivedNow() }

    func adopt(_ logID: Bytes) throws { try stored.adopt(logID) }

    func checkMeta(noting fault: (LogFault) -> Void) throws {
        try stored.checkMeta(noting: fault)
    }

    func checkEvents(
        noting fault: (LogFault) -> Void, each: (Bytes) throws -> Void
    ) throws {
        var tree = TreeFold()
        while tree.size < first {
            for bytes in try old(from: tree.size, limit: Self.page, byteLimit: Self.pageBytes) {
                tree.add(leaf: bytes)
                try each(bytes)
            }
        }
        if let archived, tree.root() != archived.root {
            fault(
                LogFault(
                    .wrong, "events", position: first - 1,
                    "the archived events do not have the root that the log names"))
        }
        try stored.checkEvents(noting: fault, each: each)
    }

    private static let page = 1024
    private static let pageBytes = 1 << 20
}
