package import DaybookEncoding
internal import DaybookLMDB

/// What follows from the events of a log: streams, positions, the tree and the state's rows.
///
/// It has the work of the log's first `size` events: that of the first `stored` lies in the tables
/// of `derived/`, the rest in memory.
final class Derived {
    let streams: LayeredRows
    let positions: PositionLists
    let hashes: LayeredRows
    /// What the events add up to; nil where nobody knows the rules.
    let fold: (any LogFold)?
    /// The rows below that.
    private var stateRows: StoredRows?
    private var tree: TreeAppender<LayeredRows>
    /// How many events' work it has.
    private(set) var size: UInt64 = 0
    /// How many events' work lies in the tables below.
    private(set) var stored: UInt64 = 0
    /// The mark of the tables below: as long as it is the same, so are they.
    private var mark: Bytes?
    private var lastTaken: Last?

    /// An event by its bytes, and what its envelope says.
    struct Last {
        let position: UInt64
        let time: UInt64
        let bytes: Bytes
    }

    /// The last event that was taken in; nil where it may not have been committed.
    var last: Last? { isTentative ? nil : lastTaken }
    /// Whether events were taken in that may not have been committed.
    private var isTentative = false

    /// No events' work yet; `rows` makes the empty rows of each table's upper layer.
    init(_ fold: (any LogFold)?, rows: () throws -> any Rows = { MemoryRows() }) throws {
        self.fold = fold
        streams = LayeredRows(changes: try rows())
        positions = PositionLists(rows: LayeredRows(changes: try rows()))
        hashes = LayeredRows(changes: try rows())
        tree = try Self.tree(hashes, 0)
    }

    private var all: [LayeredRows] { [streams, positions.rows, hashes] }

    /// Whether others can use what it stores: without the rules the state is unknown.
    var isOfUseToOthers: Bool { fold != nil }

    /// Why what was read does not count, if something failed.
    var failure: (any Error)? { all.lazy.compactMap(\.failure).first ?? stateRows?.failure }

    /// Why the tables below can't be read.
    var baseFailure: (any Error)? {
        all.lazy.compactMap(\.baseFailure).first ?? stateRows?.failure
    }

    /// What was wrong with tables that were given up.
    var fault: LogFault?

    // MARK: - Keeping up with the log

    /// Brings it to the events of a transaction of the log, above the tables of one of their own.
    ///
    /// With `limit` it stops after so many events; else it may lag behind by what memory holds.
    ///
    /// - Throws: `DerivedError`.
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
    }

    private func read(_ mark: Bytes) throws -> DerivedMark {
        // Another version wrote it.
        guard let mark = DerivedMark(mark) else { throw DerivedError.unusable(nil) }
        return mark
    }

    /// The tables belong to this very log, and were made by these rules.
    private func check(_ mark: DerivedMark?, _ log: LogContent) throws {
        guard let mark else { return }
        guard mark.log == log.logID, mark.rules == fold?.rules ?? mark.rules else {
            throw DerivedError.unusable(nil)
        }
        guard mark.size > 0 else { return }
        guard let last = try log.bytes(at: mark.size - 1),
            EventRecord.leafHash(last) == mark.last
        else {
            throw DerivedError.unusable(
                LogFault(
                    .wrong, "tree", position: mark.size - 1,
                    "the derived tables were made from other events"))
        }
    }

    /// Takes events of the log in that were recorded before.
    func take(from log: LogContent, upTo end: UInt64) throws {
        while size < end {
            let limit = Int(min(Self.page, end - size))
            let bytes = try log.events(from: size, limit: limit)
            guard !bytes.isEmpty else {
                throw LogError.damaged(position: size, reason: "the event is missing")
            }
            begin()
            let records = try EventRecord.decode(bytes, from: size, ofLog: log.logID)
            for record in records { add(record, record.bytes, after: head(of: record.stream)) }
            try fold?.take(records)
            if let failure { throw failure }
            settle()
        }
    }

    /// Lets the rows be written until `settle`. What fails before that is made again.
    func begin() {
        isTentative = true
        for rows in all { rows.isWritable = true }
    }

    /// What was written since `begin` holds.
    func settle() {
        for rows in all { rows.isWritable = false }
        isTentative = false
    }

    /// Takes an event in, but for the state's rows.
    func add(_ record: EventRecord, _ bytes: Bytes, after head: StreamHead?) {
        let position = record.position
        let stream = StreamHead.after(head, at: position)
        streams.set(Bytes(record.stream.utf8), stream.bytes)
        positions.append(
            position, to: .session, record.session, begins: record.session == position)
        if let request = record.request {
            positions.append(position, to: .request, request, begins: request == position)
        } else {
            positions.append(position, to: .stream, stream.first, begins: head == nil)
        }
        tree.append(bytes)
        lastTaken = Last(position: position, time: record.time, bytes: bytes)
        size = position + 1
    }

    /// Takes in that there is an event which can't be read.
    func addUnread(_ bytes: Bytes) {
        tree.append(bytes)
        size += 1
    }

    func head(of stream: String) -> StreamHead? {
        streams.value(Bytes(stream.utf8)).flatMap { StreamHead($0) }
    }

    /// The tree over all events that were taken in.
    func readTree<Value>(
        _ body: (TreeReader<LayeredRows>) throws(TreeError) -> Value
    ) throws -> Value {
        let wasWritable = hashes.isWritable
        hashes.isWritable = true
        tree.save()
        hashes.isWritable = wasWritable
        do throws(TreeError) {
            return try body(TreeReader(hashes, size: size))
        } catch {
            if let failure = hashes.failure { throw failure }
            throw LogError.damaged(position: nil, reason: "\(error)")
        }
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
        lastTaken = nil
        settle()
        tree = try Self.tree(hashes, size)
    }

    private func stand(on tables: DerivedTables?) {
        func rows(_ table: KeyPath<DerivedTables, Table>) -> StoredRows? {
            tables.map { StoredRows($0.view, $0[keyPath: table]) }
        }
        streams.stand(on: rows(\.streams))
        positions.rows.stand(on: rows(\.positions))
        hashes.stand(on: rows(\.tree))
        stateRows = rows(\.state)
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

    /// Whether enough events wait to be worth a transaction.
    var isWorthStoring: Bool { size - stored >= Self.worthStoring }

    /// Writes what later events changed into the tables that it stands on; nil if nothing did.
    func store(in tables: DerivedTables, ofLog logID: Bytes) throws -> DerivedMark? {
        guard size > stored else { return nil }
        let root = try readTree { tree throws(TreeError) in try tree.head(at: size) }.root
        try put(streams, tables.streams, tables.view)
        try put(positions.rows, tables.positions, tables.view)
        try put(hashes, tables.tree, tables.view)
        for (key, value) in fold?.changes ?? [] { try put(key, value, tables.state, tables.view) }
        let mark = DerivedMark(
            log: logID, rules: fold?.rules ?? [], size: size,
            last: EventRecord.leafHash(lastTaken?.bytes ?? []), root: root.bytes)
        try tables.put(mark)
        return mark
    }

    /// The tables have all of it now.
    func stored(_ mark: DerivedMark) {
        self.mark = mark.bytes
        stored = mark.size
        for rows in all { rows.forgetChanges() }
        positions.forget()
        fold?.forgetChanges()
    }

    private func put(_ rows: LayeredRows, _ table: Table, _ view: any StorageView) throws {
        for row in rows.changes {
            try put(row.key, row.value.isEmpty ? nil : row.value, table, view)
        }
    }

    private func put(
        _ key: Bytes, _ value: Bytes?, _ table: Table, _ view: any StorageView
    ) throws {
        if let value { try view.put(table, key, value) } else { try view.remove(table, key) }
    }

    /// So many events in memory are worth a transaction of the tables.
    private static let worthStoring: UInt64 = 512
    /// So many events' work is held in memory at most.
    static let mostInMemory: UInt64 = 8192
    /// So many events are read at a time.
    private static let page: UInt64 = 1024
}

/// Why derived tables can't be used as they are; none of it loses anything.
enum DerivedError: Error {
    /// They are damaged, of another version, or of other events; a fault where that is damage.
    case unusable(LogFault?)
    /// More events wait than are held in memory.
    case behind
}

/// What the events of a log add up to, which only the rules know.
///
/// It has what changed since some position in memory; below lie the rows as of that position.
package protocol LogFold: AnyObject {
    /// Names the rules: rows that other rules made are dropped and made again.
    var rules: Bytes { get }

    /// Begins above rows, or above none, as if no event had happened since.
    func begin(above rows: (any Rows)?)

    /// Goes on above the same rows in another transaction.
    func move(above rows: (any Rows)?)

    /// Takes events in that come next.
    func take(_ records: [EventRecord]) throws

    /// The rows that differ from those below, in the order of their keys; nil for a removed one.
    var changes: [(key: Bytes, value: Bytes?)] { get }

    /// Forgets what differs, because the rows below have it by now.
    func forgetChanges()
}
