internal import DaybookEncoding
internal import DaybookLMDB
internal import DaybookTree

/// The one write to the log at a time: reads, appends and sets rows, all of it or nothing.
package struct LogTransaction: LogReading, ~Copyable {
    package let content: LogContent
    /// How many events there are, those appended here included.
    package private(set) var count: UInt64
    /// The last event's time; 0 if there is none.
    package private(set) var lastTime: UInt64
    /// The state's rows, written with the events.
    package var rows: StoredRows
    /// The tree over the events.
    private var tree: TreeAppender<StoredRows>

    init(_ view: TransactionView, _ tables: LogTables) throws {
        let content = try LogContent(view, tables)
        let last = try content.last()
        let count = last.map { $0.position + 1 } ?? 0
        tree = try Self.openTree(view, tables, size: count)
        self.content = content
        self.count = count
        lastTime = last?.time ?? 0
        rows = StoredRows(view, tables.state)
    }

    private static func openTree(
        _ view: TransactionView, _ tables: LogTables, size: UInt64
    ) throws -> TreeAppender<StoredRows> {
        guard let table = tables.tree else {
            throw LogError.damaged(position: nil, reason: "table 'tree' is missing")
        }
        do throws(TreeError) {
            return try TreeAppender(StoredRows(view, table), size: size)
        } catch {
            throw LogError.damaged(position: nil, reason: "\(error)")
        }
    }

    /// Writes an event at the log's end and returns it with its place.
    package mutating func append(_ draft: EventDraft) throws -> EventRecord {
        try check(draft)
        let head = try content.head(of: draft.stream)
        let record = EventRecord(
            logID: content.logID, position: count, stream: draft.stream,
            revision: head?.count ?? 0, type: draft.type, version: draft.version,
            time: draft.time, session: draft.session.position(own: count),
            request: draft.request?.position(own: count), cause: draft.cause,
            actor: draft.actor, data: draft.data)
        try write(record, StreamHead(first: head?.first ?? count, count: record.revision + 1))
        count += 1
        lastTime = record.time
        return record
    }

    /// Completes what is written once a transaction, and refuses to commit what a row could not
    /// keep.
    mutating func finish() throws {
        tree.save()
        if let failure = rows.failure ?? tree.rows.failure { throw failure }
    }

    private mutating func write(_ record: EventRecord, _ head: StreamHead) throws {
        let bytes = record.encoded()
        if bytes.count > LogLimits.eventBytes {
            throw LogError.eventTooLarge(bytes: bytes.count, limit: LogLimits.eventBytes)
        }
        let view = content.view
        let tables = content.tables
        let position = BigEndian.bytes(record.position)
        try view.put(tables.events, position, bytes, .append)
        tree.append(bytes)
        try view.put(tables.streams, Bytes(record.stream.utf8), head.bytes)
        try view.put(tables.byStream, BigEndian.bytes(head.first) + position, [], .insert)
        try view.put(tables.bySession, BigEndian.bytes(record.session) + position, [], .insert)
        if let request = record.request {
            try view.put(tables.byRequest, BigEndian.bytes(request) + position, [], .insert)
        }
    }

    private func check(_ draft: EventDraft) throws {
        try checkLength("stream", draft.stream, LogLimits.streamBytes)
        try checkLength("type", draft.type, LogLimits.typeBytes)
        try checkLength("actor", draft.actor, LogLimits.actorBytes)
        if draft.time < lastTime {
            throw LogError.timeWentBack(last: lastTime, given: draft.time)
        }
        try checkReference("session", draft.session)
        if let request = draft.request { try checkReference("request", request) }
        if let cause = draft.cause { try checkReference("cause", .at(cause)) }
    }

    private func checkLength(_ field: String, _ text: String, _ limit: Int) throws {
        let length = text.utf8.count
        if !(1...limit).contains(length) {
            throw LogError.badLength(field: field, bytes: length, limit: limit)
        }
    }

    private func checkReference(_ field: String, _ reference: EventDraft.Reference) throws {
        if case .at(let position) = reference, position >= count {
            throw LogError.badReference(field: field, position: position, next: count)
        }
    }
}
