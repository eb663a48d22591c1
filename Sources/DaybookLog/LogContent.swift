package import DaybookEncoding
internal import DaybookLMDB

/// What can be read of a log inside a transaction, be it a snapshot or a write.
package struct LogContent {
    let view: any StorageView
    let tables: LogTables
    /// The log's id.
    package let logID: Bytes

    init(_ view: any StorageView, _ tables: LogTables) throws {
        try LogMeta.checkVersions(view, tables.meta)
        self.view = view
        self.tables = tables
        logID = try LogMeta.id(view, tables.meta)
    }

    /// The last event, if there is one.
    func last() throws -> EventRecord? {
        guard let entry = try Cursor(view, tables.events).last() else { return nil }
        guard let position = BigEndian.exactly(entry.key) else {
            throw LogError.damaged(position: nil, reason: "an event's key is no position")
        }
        return try EventRecord.decode(entry.value, at: position, ofLog: logID)
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

    /// The positions that an index lists under an id, ascending.
    func positions(_ index: Table, _ id: UInt64, after: UInt64?, limit: Int) throws -> [UInt64] {
        let prefix = BigEndian.bytes(id)
        let cursor = try Cursor(view, index)
        var positions: [UInt64] = []
        var key = prefix
        if let after {
            let (next, overflow) = after.addingReportingOverflow(1)
            if overflow { return [] }
            key += BigEndian.bytes(next)
        }
        var entry = limit > 0 ? try cursor.seek(key) : nil
        while let found = entry, found.key.starts(with: prefix) {
            guard let position = BigEndian.exactly(found.key.dropFirst(8)) else {
                throw LogError.damaged(position: nil, reason: "a key of '\(index.name)' is wrong")
            }
            positions.append(position)
            entry = positions.count < limit ? try cursor.next() : nil
        }
        return positions
    }

    func head(of stream: String) throws -> StreamHead? {
        guard let bytes = try view.value(tables.streams, Bytes(stream.utf8)) else { return nil }
        guard let head = StreamHead(bytes) else {
            throw LogError.damaged(position: nil, reason: "the head of a stream is wrong")
        }
        return head
    }
}
