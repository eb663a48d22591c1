internal import DaybookEncoding
internal import DaybookLMDB
internal import DaybookSystem

/// The data derived from a log's events: streams, positions, the tree and the state.
///
/// It covers the first `size` events of the log: the tables in `derived/` cover the first `stored`
/// of them, and memory holds the changes since.
final class DerivedData {
    let streams: LayeredRows
    let positions: PositionLists
    let hashes: LayeredRows
    /// The fold that keeps the state; nil where the log was opened without one.
    let fold: (any LogFold)?
    /// The stored rows of the state.
    private var stateRows: StoredRows?
    private var tree: TreeAppender<LayeredRows>
    /// The events that the tree lacks: the leaves are hashed when something needs the tree, which a
    /// reader rarely does before the tables have them (`tools/bench lifecycle`).
    private var leaves: [Bytes] = []
    private var leafBytes = 0
    /// How many events it covers.
    private(set) var size: UInt64 = 0
    /// How many events the stored tables cover.
    private(set) var stored: UInt64 = 0
    /// The mark of the stored tables, which changes whenever they do.
    private var mark: Bytes?
    private var lastAdded: Last?
    /// The last commit of the log that it was found to cover exactly.
    private(set) var commit: UInt64?
    /// What the tree was found to have in common with the store of the events.
    private var compared: (size: UInt64, root: Bytes)?

    /// The position, time and bytes of an event.
    struct Last {
        let position: UInt64
        let time: UInt64
        let bytes: Bytes
    }

    /// The last event that was added; nil if it may not have been committed.
    var last: Last? { isTentative ? nil : lastAdded }
    /// Whether events were added that may not have been committed.
    private var isTentative = false

    /// The derived data of no events; `rows` makes the empty upper layer of each table.
    init(_ fold: (any LogFold)?, rows: () throws -> any Rows = { MemoryRows() }) throws {
        self.fold = fold
        streams = LayeredRows(changes: try rows())
        positions = PositionLists(rows: LayeredRows(changes: try rows()))
        hashes = LayeredRows(changes: try rows())
        tree = try Self.tree(hashes, 0)
    }

    private var all: [LayeredRows] { [streams, positions.rows, hashes] }

    /// Whether other processes can use what it stores: without a fold the state is missing.
    var isOfUseToOthers: Bool { fold != nil }

    /// The first failure of a row, after which what was read does not count.
    var failure: (any Error)? {
        streams.failure ?? positions.rows.failure ?? hashes.failure ?? stateRows?.failure
    }

    /// Throws the first failure of a row, after which what was read or folded does not count.
    ///
    /// - Throws: `DerivedError.unusable` where a stored row can't be read or decoded.
    func checkRows() throws {
        if let failure = streams.baseFailure ?? positions.rows.baseFailure ?? hashes.baseFailure {
            throw DerivedError.unusable(LogFault(.unreadable, "tree", "\(failure)"))
        }
        if let failure = stateRows?.failure ?? fold?.undecodedRow {
            throw DerivedError.unusable(LogFault(.unreadable, "state", "\(failure)"))
        }
        if let failure { throw failure }
    }

    /// The fault of tables that were dropped.
    var fault: LogFault?

    // MARK: - Keeping up with the log

    /// Applies the events of the log that are not covered yet, above a snapshot of the tables.
    ///
    /// With `limit` it stops after so many events.
    ///
    /// - Throws: `DerivedError.behind` where memory can't hold the changes of all the events, or
    ///   `unusable`.
    func catchUp(
        with log: LogContent, above tables: DerivedTables?, limit: UInt64? = nil
    ) throws {
        let found = try tables?.mark
        if found != mark || isTentative || size > log.count {
            let described = try found.map { try read($0) }
            try check(described, log)
            mark = found
            stored = described?.size ?? 0
            stand(on: tables)
            try restart(at: stored)
        } else {
            stand(on: tables)
        }
        if limit == nil, log.count - size > Self.mostInMemory { throw DerivedError.behind }
        try take(from: log, upTo: size + min(log.count - size, limit ?? .max))
        commit = size == log.count ? log.view.commit : nil
        guard size == log.count, let root = log.view.root, try !hasRoot(root) else { return }
        if size > stored {
            // A fail-over may have lost events that were read, and others came in their place.
            try restart(at: stored)
            try take(from: log, upTo: log.count)
            if try hasRoot(root) { return }
        }
        let reason = "the events do not have the root that their store names"
        // Damaged tables are rebuilt first.
        if stored > 0 { throw DerivedError.unusable(LogFault(.wrong, "tree", reason)) }
        throw LogError.damaged(position: nil, reason: reason)
    }

    /// Whether the tree has the root that the store of the events keeps, computed once for each.
    private func hasRoot(_ root: Bytes) throws -> Bool {
        if let compared, compared == (size, root) { return true }
        guard try self.root() == root else { return false }
        compared = (size, root)
        return true
    }

    private func read(_ mark: Bytes) throws -> DerivedMark {
        // Another version of the program wrote it.
        guard let mark = DerivedMark(mark) else { throw DerivedError.unusable(nil) }
        return mark
    }

    /// Checks that the tables were made from the events of this log, by the rules of its fold.
    private func check(_ mark: DerivedMark?, _ log: LogContent) throws {
        guard let mark else { return }
        guard mark.log == log.logID, mark.rules == fold?.rules ?? mark.rules else {
            throw DerivedError.unusable(nil)
        }
        guard mark.size > 0 else { return }
        // A log on this machine was durable before its tables. Another machine may lose events.
        if mark.size > log.count, log.view.root == nil {
            throw LogError.damaged(
                position: log.count,
                reason: "it has \(log.count) events, and derived/ was made from \(mark.size): "
                    + "events were lost, or an older log was put here; if that is meant, "
                    + "`doctor --rebuild` accepts it")
        }
        guard let last = try log.view.bytes(at: mark.size - 1),
            EventRecord.leafHash(last) == mark.last
        else {
            throw DerivedError.unusable(
                LogFault(
                    .wrong, "tree", position: mark.size - 1,
                    "the derived tables were made from other events"))
        }
    }

    /// Applies recorded events of the log.
    func take(from log: LogContent, upTo end: UInt64) throws {
        if size == end { return }
        let decode = decoding(log.logID, hashing: end - size > UInt64(Self.mostLeaves))
        var page = try decode(try self.page(of: log, from: size, upTo: end), size)
        while true {
            let next = size + UInt64(page.records.count)
            if next == end { return try take(page) }
            // On another core, the next page is decoded while this one is applied.
            let bytes = try self.page(of: log, from: next, upTo: end)
            page = try Ahead.atOnce({ try take(page) }, { try decode(bytes, next) })
        }
    }

    /// Some consecutive events, decoded.
    private struct Page: Sendable {
        let records: [EventRecord]
        /// Their leaves; nil where they are hashed only when something needs the tree.
        let leaves: [TreeHash]?
        /// What the fold has read of them.
        let read: (any Sendable)?
    }

    private func page(
        of log: LogContent, from position: UInt64, upTo end: UInt64
    ) throws -> [Bytes] {
        let limit = Int(min(Self.pageSize, end - position))
        let bytes = try log.view.events(from: position, limit: limit, byteLimit: .max)
        guard !bytes.isEmpty else {
            throw LogError.damaged(position: position, reason: "the event is missing")
        }
        return bytes
    }

    private func decoding(
        _ logID: Bytes, hashing: Bool
    ) -> @Sendable (_ bytes: [Bytes], _ position: UInt64) throws -> Page {
        let read = fold?.read
        return { bytes, position in
            let records = try EventRecord.decode(bytes, from: position, ofLog: logID)
            return Page(
                records: records, leaves: hashing ? bytes.map { TreeHash(leaf: $0.span) } : nil,
                read: read?(records))
        }
    }

    private func take(_ page: Page) throws {
        begin()
        for record in page.records {
            let name = record.streamName
            index(record, in: name, after: head(of: name))
        }
        if let leaves = page.leaves {
            hashLeaves()
            for leaf in leaves { tree.append(leaf: leaf) }
        } else {
            for record in page.records { addLeaf(record.bytes) }
        }
        if let read = page.read { try fold?.take(read) }
        try checkRows()
        settle()
    }

    /// Lets the rows be written until `settle`; without it, the next `catchUp` starts over.
    func begin() {
        isTentative = true
        for rows in all { rows.isWritable = true }
    }

    /// Confirms that what was written since `begin` has been committed.
    func settle() {
        for rows in all { rows.isWritable = false }
        isTentative = false
    }

    /// Applies an event to all data but the state.
    func add(_ record: EventRecord, _ bytes: Bytes, after head: StreamHead?) {
        index(record, in: record.streamName, after: head)
        addLeaf(bytes)
    }

    /// Applies an event to the streams and the lists of positions.
    private func index(_ record: EventRecord, in name: Bytes, after head: StreamHead?) {
        let position = record.position
        let stream = StreamHead.after(head, at: position)
        streams.set(name, stream.bytes)
        positions.append(
            position, to: .session, record.session, begins: record.session == position)
        if let request = record.request {
            positions.append(position, to: .request, request, begins: request == position)
        } else {
            positions.append(position, to: .stream, stream.first, begins: head == nil)
        }
        lastAdded = Last(position: position, time: record.time, bytes: record.bytes)
        size = position + 1
    }

    /// Adds an event that can't be decoded to the tree.
    func addUnread(_ bytes: Bytes) {
        addLeaf(bytes)
        size += 1
    }

    private func addLeaf(_ bytes: Bytes) {
        leaves.append(bytes)
        leafBytes += bytes.count
        if leaves.count == Self.mostLeaves || leafBytes > Self.mostLeafBytes { hashLeaves() }
    }

    private func hashLeaves() {
        for bytes in leaves { tree.append(bytes) }
        leaves.removeAll(keepingCapacity: true)
        leafBytes = 0
    }

    func head(of stream: String) -> StreamHead? { head(of: Bytes(stream.utf8)) }

    private func head(of name: Bytes) -> StreamHead? {
        streams.value(name).flatMap { StreamHead($0) }
    }

    /// Runs `body` on the tree over all events that were added.
    func readTree<Value>(
        _ body: (TreeReader<LayeredRows>) throws(TreeError) -> Value
    ) throws -> Value {
        let wasWritable = hashes.isWritable
        hashes.isWritable = true
        hashLeaves()
        tree.save()
        hashes.isWritable = wasWritable
        do throws(TreeError) {
            return try body(TreeReader(hashes, size: size))
        } catch {
            if let failure = hashes.failure { throw failure }
            throw LogError.damaged(position: nil, reason: "\(error)")
        }
    }

    /// The root of the tree over all events that were added.
    func root() throws -> Bytes {
        try readTree { tree throws(TreeError) in try tree.head(at: tree.size).root.bytes }
    }

    /// The rows of the tree.
    func treeRows() throws -> LayeredRows {
        try readTree { _ in }
        return hashes
    }

    private func restart(at size: UInt64) throws {
        for rows in all { rows.forgetChanges() }
        positions.forget()
        fold?.begin(above: stateRows)
        self.size = size
        compared = nil
        lastAdded = nil
        settle()
        tree = try Self.tree(hashes, size)
        leaves = []
        leafBytes = 0
    }

    private func stand(on tables: DerivedTables?) {
        streams.stand(on: tables.map { StoredRows($0.view, $0.streams) })
        positions.rows.stand(on: tables.map { StoredRows($0.view, $0.positions) })
        hashes.stand(on: tables.map { StoredRows($0.view, $0.tree) })
        stateRows = tables.map { StoredRows($0.view, $0.state) }
        fold?.move(above: stateRows)
    }

    private static func tree(
        _ rows: LayeredRows, _ size: UInt64
    ) throws -> TreeAppender<LayeredRows> {
        do throws(TreeError) {
            return try TreeAppender(rows, size: size)
        } catch {
            throw DerivedError.unusable(LogFault(.unreadable, "tree", "\(error)"))
        }
    }

    // MARK: - Bringing the tables forward

    /// Whether there are enough new events to be worth a transaction.
    var isWorthStoring: Bool { size - stored >= Self.worthStoring }

    /// Writes the changes into the tables; returns their new mark, or nil if nothing changed.
    func store(in tables: DerivedTables, ofLog logID: Bytes) throws -> DerivedMark? {
        guard size > stored else { return nil }
        let encode = fold?.encodingChanges
        let changes = try Ahead.atOnce({
            try put(streams, tables.streams, tables.view)
            try put(positions.rows, tables.positions, tables.view)
            try put(treeRows(), tables.tree, tables.view)
        }, { encode?() ?? [] })
        for (key, value) in changes { try put(key, value, into: tables.state, tables.view) }
        let mark = DerivedMark(
            log: logID, rules: fold?.rules ?? [], size: size,
            last: EventRecord.leafHash(lastAdded?.bytes ?? []))
        try tables.put(mark)
        return mark
    }

    /// Forgets the changes in memory, which the tables with this mark have.
    func stored(_ mark: DerivedMark) {
        self.mark = mark.bytes
        stored = mark.size
        for rows in all { rows.forgetChanges() }
        positions.forget()
        fold?.forgetChanges()
    }

    private func put(_ rows: LayeredRows, _ table: Table, _ view: any StorageView) throws {
        for row in rows.changes {
            try put(row.key, row.value.isEmpty ? nil : row.value, into: table, view)
        }
    }

    private func put(
        _ key: Bytes, _ value: Bytes?, into table: Table, _ view: any StorageView
    ) throws {
        if let value { try view.put(table, key, value) } else { try view.remove(table, key) }
    }

    /// How many new events are worth a transaction of the tables.
    private static let worthStoring: UInt64 = 512
    /// The changes of how many events memory holds at most.
    static let mostInMemory: UInt64 = 8192
    /// How many events one transaction of the tables brings them forward at most.
    ///
    /// Of many, each page and each row of a request is written fewer times (`rebuild`).
    static let mostAtOnce: UInt64 = 32_768
    /// How many events the tree may lack: a few more than one transaction of the tables stores.
    private static let mostLeaves = 768
    private static let mostLeafBytes = 1 << 20
    /// How many events are read at a time.
    private static let pageSize: UInt64 = 1024
}

/// Why the derived tables can't be used as they are; nothing is lost, as they can be rebuilt.
enum DerivedError: Error {
    /// They are damaged, of another version, or of other events; with a fault if damaged.
    case unusable(LogFault?)
    /// There are more new events than memory should hold.
    case behind
}
