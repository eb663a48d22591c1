internal import DaybookDomain
internal import DaybookEncoding
internal import DaybookLMDB
internal import DaybookSystem

/// The data derived from a log's events: streams, positions, the tree and the state.
///
/// It is a value that covers the first `size` events of the log: the tables in `derived/` cover the
/// first `stored` of them, and memory holds the changes since.
package struct DerivedData: Sendable {
    let logID: Bytes
    private(set) var state: LogState
    /// The tables below; nil where there are none.
    private(set) var base: DerivedBase?
    /// The mark of the tables, which changes whenever they do.
    private(set) var mark: Bytes?
    /// How many events the tables cover.
    private(set) var stored: UInt64
    /// How many events it covers.
    private(set) var size: UInt64
    /// The time of the last of them; 0 where there is none.
    private(set) var lastTime: UInt64
    /// The events that the tables lack.
    private(set) var tail: LogTail
    private var tree: TreeAppender<OverlayRows>
    /// The hash of the last event; nil where that is in the tables.
    private var lastLeaf: TreeHash?

    /// The data that the tables of a view have.
    ///
    /// - Throws: `DerivedError.unusable` unless they were made from the events of this log, by the
    ///   present rules.
    init(_ log: any EventView, above base: DerivedBase?, marked found: Bytes?) throws {
        // Another version of the program wrote it.
        let mark = try found.map { bytes in
            guard let mark = DerivedMark(bytes) else { throw DerivedError.unusable(nil) }
            return mark
        }
        if let mark { try Self.check(mark, log) }
        (logID, self.base, self.mark) = (log.logID, base, found)
        stored = mark?.size ?? 0
        size = stored
        state = LogState(above: base.map { $0.rows($0.tables.state) })
        tail = LogTail(from: stored)
        let last = size == 0 ? nil : try log.bytes(at: size - 1)
        let position = size &- 1
        lastTime = try last.map {
            try EventRecord.decode($0, at: position, ofLog: log.logID).time
        } ?? 0
        do throws(TreeError) {
            tree = try TreeAppender(OverlayRows(base.rows { $0.tree }), size: size)
        } catch {
            throw base?.failure
                ?? DerivedError.unusable(LogFault(.unreadable, "tree", "\(error)"))
        }
    }

    private static func check(_ mark: DerivedMark, _ log: any EventView) throws {
        guard mark.log == log.logID, mark.rules == LogVersions.rules else {
            throw DerivedError.unusable(nil)
        }
        guard mark.size > 0 else { return }
        // A log on this machine was durable before its tables. Another machine may lose events.
        if mark.size > log.count, log.root == nil {
            throw LogError.damaged(
                position: log.count,
                reason: "it has \(log.count) events, and derived/ was made from \(mark.size): "
                    + "events were lost, or an older log was put here; if that is meant, "
                    + "`doctor --rebuild` accepts it")
        }
        guard let last = try log.bytes(at: mark.size - 1),
            EventRecord.leafHash(last) == mark.last
        else {
            throw DerivedError.unusable(
                LogFault(
                    .wrong, "tree", position: mark.size - 1,
                    "the derived tables were made from other events"))
        }
    }

    /// Why what was read of it does not count.
    var failure: (any Error)? { base?.failure ?? Self.failure(ofRow: state.undecodedRow) }

    static func failure(ofRow error: FieldError?) -> (any Error)? {
        error.map { DerivedError.unusable(LogFault(.unreadable, "state", "\($0)")) }
    }

    // MARK: - Keeping up with the log

    /// Applies the events of the log that are not covered yet; with `limit`, at most so many.
    ///
    /// - Throws: `DerivedError.behind` where memory can't hold the changes of all the events, or
    ///   `unusable`.
    mutating func catchUp(with log: any EventView, limit: UInt64? = nil) throws {
        if size == log.count { return }
        if limit == nil, log.count - size > Self.mostInMemory { throw DerivedError.behind }
        let end = size + min(log.count - size, limit ?? .max)
        let decode = decoding
        var state = state.draft
        var page = try decode(try self.page(of: log, from: size, upTo: end), size)
        while size < end {
            let next = size + UInt64(page.records.count)
            if next == end {
                take(page, &state)
                break
            }
            // On another core, the next page is decoded while this one is applied.
            let bytes = try self.page(of: log, from: next, upTo: end)
            page = try Lookahead.atOnce({ take(page, &state) }, { try decode(bytes, next) })
        }
        settle(state)
        if let failure { throw failure }
    }

    /// Some consecutive events, decoded.
    private struct Page: Sendable {
        let records: [DecodedRecord]
        let leaves: [TreeHash]
    }

    private func page(
        of log: any EventView, from position: UInt64, upTo end: UInt64
    ) throws -> [Bytes] {
        let limit = Int(min(Self.pageSize, end - position))
        let bytes = try log.events(from: position, limit: limit, byteLimit: .max)
        guard !bytes.isEmpty else {
            throw LogError.damaged(position: position, reason: "the event is missing")
        }
        return bytes
    }

    private var decoding: @Sendable (_ bytes: [Bytes], _ position: UInt64) throws -> Page {
        { [logID] bytes, position in
            Page(
                records: try DecodedRecord.decode(bytes, from: position, ofLog: logID),
                leaves: bytes.map { TreeHash(leaf: $0.span) })
        }
    }

    private mutating func take(_ page: Page, _ state: inout State) {
        for (decoded, leaf) in zip(page.records, page.leaves) {
            let name = decoded.record.streamName
            add(decoded.record, leaf, in: name, after: head(of: name))
            // An event that can't be read changes no state; `verify` reports it.
            if case .success(let event?) = decoded.event { state.evolve(event) }
        }
    }

    /// Applies an event to all data but the state.
    mutating func add(_ record: EventRecord, after head: StreamHead?) {
        add(record, TreeHash(leaf: record.bytes.span), in: record.streamName, after: head)
    }

    private mutating func add(
        _ record: EventRecord, _ leaf: TreeHash, in name: Bytes, after head: StreamHead?
    ) {
        tail.add(record, in: name, after: head)
        tree.append(leaf: leaf)
        lastLeaf = leaf
        lastTime = record.time
        size = record.position + 1
    }

    /// Replaces the state by one that more events have led to.
    mutating func settle(_ state: consuming State) {
        state.rememberPrompts()
        self.state = LogState(state)
    }

    // MARK: - Streams and lists

    func head(of stream: String) -> StreamHead? { head(of: Bytes(stream.utf8)) }

    func head(of name: Bytes) -> StreamHead? {
        tail.head(of: name, below: size) {
            base.flatMap { $0.rows($0.tables.streams).value(name) }.flatMap { StreamHead($0) }
        }
    }

    /// The heads of all streams by name, encoded as `StreamHead.bytes`.
    var streams: OverlayRows {
        var changed = MemoryRows()
        for (name, head) in tail.heads(below: size) { changed.set(name, head.bytes) }
        return OverlayRows(base.rows { $0.streams }, changes: changed)
    }

    /// The positions of a list after `after`, at most `limit`.
    func positions(
        _ kind: PositionLists.Kind, _ id: UInt64, after: UInt64?, limit: Int
    ) throws -> [UInt64] {
        let list = PositionLists.List(kind, id)
        var found: [UInt64] = []
        if id < stored {
            found = try PositionLists.positions(
                of: list, in: base.rows { $0.positions }, after: after, limit: limit)
        }
        guard found.count < limit else { return found }
        let recent = tail.positions(of: list, below: size).drop { position in
            after.map { position <= $0 } ?? false
        }
        return found + recent.prefix(limit - found.count)
    }

    // MARK: - The tree

    /// The tree over all events.
    var wholeTree: TreeReader<OverlayRows> {
        var tree = tree
        tree.save()
        return TreeReader(tree.rows, size: size)
    }

    /// The root of the tree over all events.
    func root() throws -> Bytes {
        do throws(TreeError) {
            return try wholeTree.head(at: size).root.bytes
        } catch {
            throw base?.failure ?? LogError.damaged(position: nil, reason: "\(error)")
        }
    }

    /// Whether the tree has the root that the store of the events names, if it names one.
    func agrees(with log: any EventView) throws -> Bool {
        guard size == log.count, let named = log.root else { return true }
        return try root() == named
    }

    // MARK: - Bringing the tables forward

    /// Whether there are enough new events to be worth a transaction.
    var isWorthStoring: Bool { size - stored >= Self.worthStoring }

    /// Writes what the tables lack into them; returns their new mark, or nil if that is nothing.
    mutating func store(in below: DerivedView) throws -> DerivedMark? {
        guard size > stored else { return nil }
        tree.save()
        let changes = try Lookahead.atOnce({
            for (name, head) in tail.heads(below: size) {
                try below.view.put(below.tables.streams, name, head.bytes)
            }
            let positions = StoredRows(below.view, below.tables.positions)
            var rows: any Rows = positions
            tail.writePositions(into: &rows, below: size)
            if let failure = positions.failure { throw failure }
            for row in tree.rows.changes.scan(prefix: [], after: nil, limit: .max) {
                try below.view.put(below.tables.tree, row.key, row.value)
            }
        }, { [state] in state.lend { $0.changes } })
        for (key, value) in changes {
            if let value {
                try below.view.put(below.tables.state, key, value)
            } else {
                try below.view.remove(below.tables.state, key)
            }
        }
        let mark = DerivedMark(
            log: logID, rules: LogVersions.rules, size: size, last: lastLeaf?.bytes ?? [])
        try below.tables.put(mark, in: below.view)
        return mark
    }

    /// Forgets the changes in memory, which tables with a mark have.
    mutating func rebase(on base: DerivedBase, marked mark: DerivedMark) {
        let old = self.base
        state = state.rebased(above: base.rows(base.tables.state)) { old?.failure == nil }
        tree.rebase(on: OverlayRows(base.rows(base.tables.tree)))
        (self.base, self.mark, stored) = (base, mark.bytes, mark.size)
        tail = LogTail(from: stored)
    }

    /// How many new events are worth a transaction of the tables.
    private static let worthStoring: UInt64 = 512
    /// The changes of how many events memory holds at most.
    static let mostInMemory: UInt64 = 8192
    /// How many events one transaction of the tables brings them forward at most.
    ///
    /// Of many, each page and each row of a request is written fewer times (`rebuild`).
    static let mostAtOnce: UInt64 = 32_768
    /// How many events are read at a time.
    private static let pageSize: UInt64 = 1024
}

extension DerivedBase? {
    /// The rows of one of the tables; none where there are no tables.
    fileprivate func rows(_ table: (DerivedTables) -> Table) -> any Rows {
        map { $0.rows(table($0.tables)) } ?? MemoryRows()
    }
}
