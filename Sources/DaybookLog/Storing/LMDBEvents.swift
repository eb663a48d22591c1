package import DaybookEncoding
package import DaybookLMDB
internal import DaybookSystem

/// The events of a log in LMDB: its tables, as the migrations make them.
///
/// One machine has the file, so that its epoch is always 1.
package final class LMDBEvents: EventStore {
    /// The storage of the tables.
    package let storage: any Storage
    private let path: String
    private let tables: LogTables
    /// The last commit that was seen or made, and its head.
    private let last = Monitor<(commit: UInt64, head: LMDBHead)?>(nil)

    /// Opens the events in a storage; `path` is its folder, empty if it is in none.
    package init(_ storage: any Storage, at path: String = "") throws {
        self.storage = storage
        self.path = path
        tables = try storage.snapshot { view in
            try LogMeta.checkNumbers(view)
            return try LogTables(view)
        }
    }

    package var newestCommit: UInt64? { storage.newestCommit }

    package func snapshot<Value>(
        _ freshness: LogFreshness, _ body: (any EventView) throws -> Value
    ) throws -> Value {
        try storage.snapshot { try body(LMDBEventView($0, tables, head(of: $0))) }
    }

    /// The head of the log as a transaction finds it, which is read once for each commit.
    private func head(of rows: any StorageView) throws -> LMDBHead {
        guard let commit = rows.commit else { return try LMDBHead(rows, tables) }
        if let last = last.change({ $0 }), last.commit == commit { return last.head }
        let head = try LMDBHead(rows, tables)
        last.change { $0 = (commit, head) }
        return head
    }

    package func turn<Value>(
        _ body: (any EventView) throws -> (Value, NewEvents)
    ) throws -> Value {
        do {
            var made: (commit: UInt64, head: LMDBHead)?
            let value = try storage.update { rows in
                let view = try LMDBEventView(rows, tables, head(of: rows))
                let (value, new) = try body(view)
                try view.put(new.events)
                made = new.events.isEmpty ? nil : rows.commit.map { ($0 + 1, view.nextHead(new)) }
                return value
            }
            if let made { last.change { $0 = made } }
            return value
        } catch let error as LMDBError where error == .mapFull {
            throw LogError.mapFull(bytes: storage.mapBytes)
        }
    }

    package func drop(_ archived: ArchivedEvents) throws {
        try storage.update { rows in
            let known = try LMDBHead(rows, tables).archived
            if known != archived, known?.count ?? 0 <= archived.count {
                try LogMeta.setArchived(archived, rows, tables.meta)
            }
        }
        // In steps, so that other writers wait for none of them long.
        while try storage.update({ rows in
            try LMDBEventView(rows, tables, LMDBHead(rows, tables)).dropSome()
        }) {}
    }

    package func watch(_ grown: @escaping @Sendable (UInt64?) -> Void) -> any Sendable {
        FileWatch(of: "\(path)/data.mdb", orEvery: Self.pollMilliseconds) { grown(nil) }
    }

    private static let pollMilliseconds = 1000
}

/// The facts about a log as a whole, from its rows.
private struct LMDBHead {
    let logID: Bytes
    let archived: ArchivedEvents?
    let count: UInt64

    init(logID: Bytes, archived: ArchivedEvents?, count: UInt64) {
        (self.logID, self.archived, self.count) = (logID, archived, count)
    }

    init(_ rows: any StorageView, _ tables: LogTables) throws {
        try LogMeta.checkNumbers(rows, tables.meta)
        logID = try LogMeta.id(rows, tables.meta)
        archived = try LogMeta.archived(rows, tables.meta)
        count = try Cursor(rows, tables.events).last().map { last in
            guard let position = BigEndian.exactly(last.key).flatMap({ Position(exactly: $0) })
            else { throw LogError.damaged(position: nil, reason: "an event's key is no position") }
            return position.number + 1
        } ?? 0
        try checkEntries(rows, tables)
    }

    /// Compares the last event with the number of events that the file's newest page names.
    ///
    /// A copy that mixes pages of several commits has others.
    private func checkEntries(_ rows: any StorageView, _ tables: LogTables) throws {
        // A drop that a crash interrupted has left some of the archived events.
        let first = archived == nil ? 0
            : try Cursor(rows, tables.events).first().flatMap { BigEndian.exactly($0.key) } ?? 0
        let entries = try rows.count(tables.events)
        if first <= count, entries == count - first { return }
        var next = first
        try Cursor(rows, tables.events).each(from: BigEndian.bytes(first)) { key, _ in
            guard BigEndian.isNumber(key, next) else { return false }
            next += 1
            return true
        }
        throw next < count
            ? LogError.damaged(position: next, reason: "the event is missing")
            : LogError.damaged(
                position: nil,
                reason: "the file counts \(entries) events, and the last one is number \(count)")
    }
}

/// The events of a log inside a transaction of LMDB.
package final class LMDBEventView: EventView {
    /// The transaction.
    package let rows: any StorageView
    package private(set) var logID: Bytes
    package let count: UInt64
    package let epoch: UInt64 = 1
    package let root: Bytes? = nil
    package let archived: ArchivedEvents?
    package var commit: UInt64? { rows.commit }
    private let tables: LogTables

    fileprivate init(_ rows: any StorageView, _ tables: LogTables, _ head: LMDBHead) {
        self.rows = rows
        self.tables = tables
        (logID, count, archived) = (head.logID, head.count, head.archived)
    }

    /// The head of the log with new events.
    fileprivate func nextHead(_ new: NewEvents) -> LMDBHead {
        LMDBHead(logID: logID, archived: archived, count: count + UInt64(new.events.count))
    }

    func put(_ events: [Bytes]) throws {
        for (position, bytes) in zip(count..., events) {
            try rows.put(tables.events, BigEndian.bytes(position), bytes, mode: .append)
        }
    }

    /// Removes some of the archived events; returns whether there are more.
    func dropSome() throws -> Bool {
        let end = BigEndian.bytes(archived?.count ?? 0)
        var keys: [Bytes] = []
        let cursor = try Cursor(rows, tables.events)
        var entry = try cursor.first()
        while let found = entry, found.key.lexicographicallyPrecedes(end) {
            keys.append(found.key)
            entry = keys.count < Self.droppedAtOnce ? try cursor.next() : nil
        }
        for key in keys { try rows.remove(tables.events, key) }
        return keys.count == Self.droppedAtOnce
    }

    private static let droppedAtOnce = 1024

    package func bytes(at position: UInt64) throws -> Bytes? {
        try rows.value(tables.events, BigEndian.bytes(position))
    }

    package func events(
        from position: UInt64, limit: Int, byteLimit: Int
    ) throws -> [Bytes] {
        var events: [Bytes] = []
        var total = 0
        var isNext = true
        guard limit > 0 else { return events }
        let cursor = try Cursor(rows, tables.events)
        try cursor.each(from: BigEndian.bytes(position)) { key, value in
            isNext = BigEndian.isNumber(key, position + UInt64(events.count))
            guard isNext else { return false }
            events.append(unsafe value.withUnsafeBytes { unsafe Bytes($0) })
            total += value.byteCount
            return events.count < limit && total < byteLimit
        }
        guard isNext else {
            let expected = position + UInt64(events.count)
            throw LogError.damaged(position: expected, reason: "the event is missing")
        }
        return events
    }

    package func adopt(_ logID: Bytes) throws {
        try LogMeta.setID(logID, rows, tables.meta)
        self.logID = logID
    }
}

// MARK: - Checking

extension LMDBEventView {
    package func checkMeta(noting note: (LogFault) -> Void) throws {
        let known: [String: Int] = ["layout": 8, "format": 8, "log": LogLimits.idBytes]
        let table = tables.meta
        var found = 0
        let fault = try TableWalk(view: rows, table: table).each { entry in
            let name = String(decoding: entry.key, as: UTF8.self)
            // It was read when the view began.
            if Text.equal(name, "archived") { return }
            guard known[name] == entry.value.count else {
                note(LogFault(.metaWrong, table.name, key: entry.key, "the entry is not known"))
                return
            }
            found += 1
            let format = FormatNumber.event.current
            if Text.equal(name, "format"), BigEndian.exactly(entry.value) != format {
                note(LogFault(.metaWrong, table.name, key: entry.key, "no event has this format"))
            }
        }
        if let fault { note(fault) }
        if found < known.count { note(LogFault(.metaWrong, table.name, "an entry is missing")) }
    }

    package func checkEvents(
        noting note: (LogFault) -> Void, each: (Bytes) throws -> Void
    ) throws {
        var position = archived?.count ?? 0
        let first = BigEndian.bytes(position)
        let fault = try TableWalk(view: rows, table: tables.events).each { entry in
            // A drop that a crash interrupted has left it.
            if entry.key.lexicographicallyPrecedes(first) { return }
            guard entry.key == BigEndian.bytes(position) else {
                throw LogError.damaged(position: position, reason: "the event is missing")
            }
            position += 1
            try each(entry.value)
        }
        if let fault { note(fault) }
    }
}
