package import DaybookEncoding
internal import DaybookLMDB

/// What can be read of a log inside a transaction, be it a snapshot or a write.
package struct LogContent {
    let view: any StorageView
    let tables: LogTables
    let derived: Derived
    /// The log's id.
    package let logID: Bytes
    /// How many events there were when the transaction began.
    let count: UInt64
    /// The time of the last of them; 0 where there is none.
    let lastTime: UInt64

    init(_ view: any StorageView, _ tables: LogTables, _ derived: Derived) throws {
        try LogMeta.checkVersions(view, tables.meta)
        self.view = view
        self.tables = tables
        self.derived = derived
        logID = try LogMeta.id(view, tables.meta)
        let last = try Self.last(view, tables, logID, derived)
        count = last.map { $0.position + 1 } ?? 0
        lastTime = last?.time ?? 0
    }

    /// The position and time of the last event; it is decoded only where it was not before.
    private static func last(
        _ view: any StorageView, _ tables: LogTables, _ logID: Bytes, _ derived: Derived
    ) throws -> (position: UInt64, time: UInt64)? {
        guard let entry = try Cursor(view, tables.events).last() else { return nil }
        guard let position = BigEndian.exactly(entry.key) else {
            throw LogError.damaged(position: nil, reason: "an event's key is no position")
        }
        if let known = derived.last, known.position == position, known.bytes == entry.value {
            return (position, known.time)
        }
        let record = try EventRecord.decode(entry.value, at: position, ofLog: logID)
        return (position, record.time)
    }

    func bytes(at position: UInt64) throws -> Bytes? {
        try view.value(tables.events, BigEndian.bytes(position))
    }

    /// The bytes of the events from a position on, at most `limit`, and no more once there are
    /// `byteLimit` of them.
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
