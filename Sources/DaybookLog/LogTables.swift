package import DaybookEncoding
internal import DaybookLMDB

/// The tables of a log, which the migrations make; their names never change.
struct LogTables {
    /// The versions and the id of the log; see `LogMeta`.
    let meta: Table
    /// position → the event's bytes.
    let events: Table

    init(_ view: any StorageView) throws {
        meta = try Self.open("meta", view)
        events = try Self.open("events", view)
    }

    private static func open(_ name: String, _ view: any StorageView) throws -> Table {
        guard let table = try view.table(name) else {
            throw LogError.damaged(position: nil, reason: "table '\(name)' is missing")
        }
        return table
    }
}

/// The content of a log inside a transaction, which may be a snapshot or a write.
package struct LogContent {
    let view: any StorageView
    let tables: LogTables
    let derived: DerivedData
    /// The log's id.
    package let logID: Bytes
    /// How many events there were when the transaction began.
    let count: UInt64
    /// The time of the last of them; 0 where there is none.
    let lastTime: UInt64

    init(_ view: any StorageView, _ tables: LogTables, _ derived: DerivedData) throws {
        try LogMeta.checkVersions(view, tables.meta)
        self.view = view
        self.tables = tables
        self.derived = derived
        logID = try LogMeta.id(view, tables.meta)
        let last = try Self.last(view, tables, ofLog: logID, derived)
        count = last.map { $0.position + 1 } ?? 0
        lastTime = last?.time ?? 0
    }

    /// The position and time of the last event, which is decoded only if it is new.
    private static func last(
        _ view: any StorageView, _ tables: LogTables, ofLog logID: Bytes, _ derived: DerivedData
    ) throws -> (position: UInt64, time: UInt64)? {
        guard let (position, bytes) = try lastEvent(in: view, tables) else { return nil }
        if let known = derived.last, known.position == position,
            ByteOrder.areSame(known.bytes.span, bytes.span)
        {
            return (position, known.time)
        }
        let record = try EventRecord.decode(bytes, at: position, ofLog: logID)
        return (position, record.time)
    }

    /// The position and the bytes of the last event; nil if there is none.
    static func lastEvent(
        in view: any StorageView, _ tables: LogTables
    ) throws -> (position: UInt64, bytes: Bytes)? {
        guard let entry = try Cursor(view, tables.events).last() else { return nil }
        guard let position = BigEndian.exactly(entry.key) else {
            throw LogError.damaged(position: nil, reason: "an event's key is no position")
        }
        return (position, entry.value)
    }

    func bytes(at position: UInt64) throws -> Bytes? {
        try view.value(tables.events, BigEndian.bytes(position))
    }

    /// The bytes of the events from a position on, at most `limit`, and no more once they have
    /// `byteLimit` bytes in all.
    func events(
        from position: UInt64, limit: Int, byteLimit: Int = .max
    ) throws -> [Bytes] {
        var events: [Bytes] = []
        var total = 0
        var isNext = true
        guard limit > 0 else { return events }
        let cursor = try Cursor(view, tables.events)
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
}

/// The limits of the log; exceeding one is an error, and nothing is half-written.
package enum LogLimits {
    /// An event's bytes: enough for a link of 64 KiB or a transaction of 100 kB.
    package static let eventBytes = 262_144
    /// A stream's name in UTF-8.
    package static let streamBytes = 200
    /// A type's name in UTF-8.
    package static let typeBytes = 64
    /// An actor's name in UTF-8.
    package static let actorBytes = 128
    /// The key of a row: the longest that LMDB allows.
    package static let rowKeyBytes = 511
    /// The log's id.
    package static let idBytes = 16
}

/// The versions on disk that this program writes, which are also the newest that it reads.
package enum LogVersions {
    /// The tables and their keys, as the migrations make them.
    package static let layout: UInt64 = 1
    /// The envelope of an event.
    package static let format: UInt64 = 1
    /// The derived tables: those of another version are dropped and rebuilt.
    package static let derived: UInt64 = 4
}
