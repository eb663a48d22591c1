package import DaybookDomain
package import DaybookEncoding

/// A write transaction on the log, of which there is one at a time: it reads and appends.
///
/// An event that is appended is applied to the state as well; neither is possible alone.
package struct LogTransaction: LogReading, ~Copyable {
    let view: any EventView
    package private(set) var derived: DerivedData
    /// The events that were appended here, which are stored when the transaction ends.
    private var appended: [Bytes] = []
    /// The state with the events that were appended here.
    private var draft: Draft

    /// A state that is moved on, because a copy would retain every table.
    private struct Draft: ~Copyable {
        var state: State

        consuming func ended() -> State { state }
    }

    init(_ view: any EventView, _ derived: DerivedData) {
        self.view = view
        self.derived = derived
        // A write that failed may have added more.
        derived.tail.truncate(to: derived.size)
        draft = Draft(state: derived.state.draft)
    }

    package var state: State { draft.state }

    package func withEvents<Value>(_ body: (any EventView) throws -> Value) throws -> Value {
        try body(view)
    }

    package var point: LogPoint { LogPoint(tail: derived.tail, count: derived.size) }

    package var tree: TreeReader<OverlayRows> { derived.wholeTree }

    /// Why what was read here does not count, if something failed.
    var failure: (any Error)? {
        derived.failure ?? DerivedData.failure(ofRow: draft.state.base.undecodedRow)
    }

    /// The new events, and the log with them.
    ///
    /// A store that keeps the tree's root gets it.
    consuming func finished() throws -> (NewEvents, LogVersion, DerivedData) {
        derived.settle(draft.ended())
        let root = view.root == nil ? nil : try derived.root()
        let version = LogVersion(after: view, count: derived.size, root: root)
        return (NewEvents(appended) { root ?? [] }, version, derived)
    }

    /// Appends an event, applies it to the state, and returns it with its position.
    ///
    /// `event` is the one that the draft describes, if the caller has it.
    package mutating func append(
        _ draft: EventDraft, applying event: Event? = nil
    ) throws -> EventRecord {
        try check(draft)
        let head = derived.head(of: draft.stream)
        let record = EventRecord(
            draft, at: count, revision: head?.count ?? 0, logID: derived.logID)
        let bytes = record.bytes.count
        if bytes > LogLimits.eventBytes {
            throw LogError.eventTooLarge(bytes: bytes, limit: LogLimits.eventBytes)
        }
        write(record, after: head, applying: event)
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
            if case .unknownFormat(let error) = error { throw LogError.unknownFormat(error) }
            throw notNext("\(error)")
        }
        try append(verbatim: record)
        return record
    }

    /// Appends a decoded event of another copy of this log, byte for byte.
    package mutating func append(
        verbatim record: EventRecord, applying event: Event? = nil
    ) throws {
        if record.logID != logID { throw notNext("it belongs to another log") }
        if record.position != count { throw notNext("it holds position \(record.position)") }
        if record.time < lastTime, !EventRecord.setsClock(record.type) {
            throw notNext("its time lies before the last event's")
        }
        let head = derived.head(of: record.stream)
        if record.revision != head?.count ?? 0 {
            throw notNext("it is not the next one of its stream")
        }
        write(record, after: head, applying: event)
    }

    /// Gives an empty log another id, so that it can import that log.
    ///
    /// Does nothing where the log has events: it then has its id for good.
    package mutating func adopt(_ logID: Bytes) throws {
        guard count == 0, logID.count == LogLimits.idBytes, logID != self.logID else { return }
        try view.adopt(logID)
        derived = try DerivedData(view, above: nil, marked: nil)
    }

    /// Lends the state to `body`, which must not apply events; a copy would retain every table.
    package mutating func lendState<Value>(
        _ body: (inout State) throws -> Value
    ) rethrows -> Value {
        try body(&draft.state)
    }

    private func notNext(_ reason: String) -> LogError {
        .notNext(position: count, reason: reason)
    }

    private mutating func write(
        _ record: EventRecord, after head: StreamHead?, applying event: Event?
    ) {
        appended.append(record.bytes)
        derived.add(record, after: head)
        guard let event = event ?? record.readableEvent else { return }
        draft.state.evolve(event)
        draft.state.rememberPrompts()
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
