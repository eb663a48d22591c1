package import DaybookEncoding

/// A write transaction on the log, of which there is one at a time: it reads and appends.
package struct LogTransaction: LogReading, ~Copyable {
    package private(set) var content: LogContent
    /// How many events there are, those appended here included.
    package private(set) var count: UInt64
    /// The last event's time; 0 if there is none.
    package private(set) var lastTime: UInt64
    /// The events that were appended here, which are stored when the transaction ends.
    package private(set) var appended: [Bytes] = []

    init(_ content: LogContent) {
        self.content = content
        count = content.count
        lastTime = content.lastTime
    }

    /// Appends an event and returns it with its position.
    package mutating func append(_ draft: EventDraft) throws -> EventRecord {
        try check(draft)
        let head = content.derived.head(of: draft.stream)
        let record = EventRecord(
            logID: content.logID, position: count, stream: draft.stream,
            revision: head?.count ?? 0, type: draft.type, version: draft.version,
            time: draft.time, session: draft.session.position(own: count),
            request: draft.request?.position(own: count), cause: draft.cause,
            actor: draft.actor, data: draft.data)
        let bytes = record.bytes
        if bytes.count > LogLimits.eventBytes {
            throw LogError.eventTooLarge(bytes: bytes.count, limit: LogLimits.eventBytes)
        }
        write(record, bytes, after: head)
        return record
    }

    /// Appends an event of another copy of this log, byte for byte.
    ///
    /// Throws `notNext` unless the bytes are the canonical encoding of an event with this log's id,
    /// the next position, its stream's next revision, and a time that is not before the last
    /// event's, unless it sets the clock. Decoding checks what it refers to.
    @discardableResult
    package mutating func append(verbatim bytes: Bytes) throws -> EventRecord {
        let record: EventRecord
        do throws(EventRecordError) {
            record = try EventRecord.decode(bytes)
        } catch {
            if case .formatTooNew(let found) = error {
                throw LogError.tooNew(.event, found: found, known: LogVersions.format)
            }
            throw notNext("\(error)")
        }
        try append(verbatim: record)
        return record
    }

    /// Appends a decoded event of another copy of this log, byte for byte.
    package mutating func append(verbatim record: EventRecord) throws {
        if record.logID != logID { throw notNext("it belongs to another log") }
        if record.position != count { throw notNext("it holds position \(record.position)") }
        if record.time < lastTime, !EventRecord.setsClock(record.type) {
            throw notNext("its time lies before the last event's")
        }
        let head = content.derived.head(of: record.stream)
        if record.revision != head?.count ?? 0 {
            throw notNext("it is not the next one of its stream")
        }
        write(record, record.bytes, after: head)
    }

    /// Gives an empty log another id, so that it can import that log.
    ///
    /// Does nothing where the log has events: it then has its id for good.
    package mutating func adopt(_ logID: Bytes) throws {
        guard count == 0, logID.count == LogLimits.idBytes, logID != content.logID else { return }
        try content.view.adopt(logID)
        content = try LogContent(content.view, content.derived)
    }

    private func notNext(_ reason: String) -> LogError {
        .notNext(position: count, reason: reason)
    }

    private mutating func write(
        _ record: EventRecord, _ bytes: Bytes, after head: StreamHead?
    ) {
        appended.append(bytes)
        content.derived.add(record, bytes, after: head)
        count += 1
        lastTime = record.time
    }

    private func check(_ draft: EventDraft) throws {
        try checkLength("stream", draft.stream, LogLimits.streamBytes)
        try checkLength("type", draft.type, LogLimits.typeBytes)
        try checkLength("actor", draft.actor, LogLimits.actorBytes)
        if draft.time < lastTime, !EventRecord.setsClock(draft.type) {
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
