package import DaybookEncoding

/// The fields of the envelope, a CBOR map; their keys never change.
private enum EnvelopeKey: UInt8 {
    case format = 0, logID = 1, position = 2, stream = 3, revision = 4, type = 5, version = 6
    case time = 7, session = 8, request = 9, cause = 10, actor = 11, data = 12

    /// The error where a field is missing or not what it must be.
    var error: EventRecordError { .badField(self == .logID ? "log id" : "\(self)") }
}

extension EventRecord {
    /// The event that a draft becomes at a position.
    package init(
        _ draft: EventDraft, at position: UInt64, revision: UInt64, logID: Bytes
    ) {
        self.init(
            logID: logID, position: position, stream: draft.stream, revision: revision,
            type: draft.type, version: draft.version, time: draft.time,
            session: draft.session.position(own: position),
            request: draft.request?.position(own: position), cause: draft.cause,
            actor: draft.actor, data: draft.data)
    }

    /// An event with the given fields, encoded.
    package init(
        format: UInt64 = FormatNumber.event.current, logID: Bytes, position: UInt64, stream: String,
        revision: UInt64, type: String, version: UInt64, time: UInt64, session: UInt64,
        request: UInt64?, cause: UInt64?, actor: String, data: Bytes
    ) {
        let strings = logID.count + stream.utf8.count + type.utf8.count + actor.utf8.count
        let fields = 11 + (request == nil ? 0 : 1) + (cause == nil ? 0 : 1)
        var parts = Parts(logID: 0..<0, stream: 0..<0, type: 0..<0, actor: 0..<0, data: 0)
        bytes = Bytes(capacity: Self.mostNumbers + strings + data.count) { output in
            output.append(0xa0 | UInt8(fields))
            output.add(.format, format)
            parts.logID = output.add(.logID, .bytes, logID.span)
            output.add(.position, position)
            parts.stream = output.add(.stream, .text, stream.utf8.span)
            output.add(.revision, revision)
            parts.type = output.add(.type, .text, type.utf8.span)
            output.add(.version, version)
            output.add(.time, time)
            output.add(.session, session)
            if let request { output.add(.request, request) }
            if let cause { output.add(.cause, cause) }
            parts.actor = output.add(.actor, .text, actor.utf8.span)
            output.append(EnvelopeKey.data.rawValue)
            parts.data = output.count
            output.append(data.span)
        }
        self.format = format
        self.position = position
        self.revision = revision
        self.version = version
        self.time = time
        self.session = session
        self.request = request
        self.cause = cause
        self.parts = parts
    }

    /// The bytes of an event's keys, numbers and heads of strings at most.
    private static let mostNumbers = 1 + 13 + 12 * 9

    /// Decodes an event; refuses bytes that are not its canonical encoding.
    ///
    /// `read` may read the data, which nobody has checked, and return where it ends if it is
    /// canonical. Else the data is checked as a whole.
    package static func decode(
        _ bytes: Bytes, reading read: (EventRecord) -> Int? = { _ in nil }
    ) throws(EventRecordError) -> EventRecord {
        if bytes.count > LogLimits.eventBytes { throw .tooLarge(bytes: bytes.count) }
        do throws(EventRecordError) {
            let record = try EventRecord(reading: bytes)
            try record.checkReferences()
            let data = record.parts.data
            let end = read(record) ?? EncodedCBOR.end(checking: bytes, at: data, depth: 1)
            if end != bytes.count { throw .badField("envelope") }
            return record
        } catch {
            throw reason(error, of: bytes)
        }
    }

    /// The first reason why bytes are not an event: their form, an unknown field, a known one.
    private static func reason(_ error: EventRecordError, of bytes: Bytes) -> EventRecordError {
        do {
            let fields = try CBOR.decode(bytes).mapValue ?? []
            let last = UInt64(EnvelopeKey.data.rawValue)
            let areKnown = fields.allSatisfy { $0.key.uintValue ?? .max <= last }
            return areKnown ? error : .badField("envelope")
        } catch {
            return .notCanonical(error)
        }
    }

    private init(reading bytes: Bytes) throws(EventRecordError) {
        var fields = try CBORReader(envelope: bytes)
        let format = try fields.number(.format)
        do {
            try FormatNumber.event.check(format)
        } catch {
            throw .unknownFormat(error)
        }
        let logID = try fields.content(.logID, .bytes, LogLimits.idBytes...LogLimits.idBytes)
        let position = try fields.number(.position)
        let stream = try fields.content(.stream, .text, 1...LogLimits.streamBytes)
        let revision = try fields.number(.revision)
        let type = try fields.content(.type, .text, 1...LogLimits.typeBytes)
        let version = try fields.number(.version)
        let time = try fields.number(.time)
        let session = try fields.number(.session)
        let request = try fields.optionalNumber(.request)
        let cause = try fields.optionalNumber(.cause)
        let actor = try fields.content(.actor, .text, 1...LogLimits.actorBytes)
        let data = try fields.data()
        // All at once, so that no half of it is copied.
        self.bytes = bytes
        self.format = format
        self.position = position
        self.revision = revision
        self.version = version
        self.time = time
        self.session = session
        self.request = request
        self.cause = cause
        parts = Parts(logID: logID, stream: stream, type: type, actor: actor, data: data)
    }

    /// Checks that the event has a position, and refers to no later one.
    private func checkReferences() throws(EventRecordError) {
        if Position(exactly: position) == nil { throw .badField("position") }
        if revision > position { throw .badField("revision") }
        if session > position { throw .badField("session") }
        if let request, request > position { throw .badField("request") }
        if let cause, cause >= position { throw .badField("cause") }
    }
}

extension OutputSpan<UInt8> {
    /// Appends a field with a number.
    fileprivate mutating func add(_ key: EnvelopeKey, _ number: UInt64) {
        append(key.rawValue)
        append(.unsigned, number)
    }

    /// Appends a field with a byte string or a text, and returns where its content is.
    fileprivate mutating func add(
        _ key: EnvelopeKey, _ type: MajorType, _ content: Span<UInt8>
    ) -> Range<Int> {
        append(key.rawValue)
        append(type, content)
        return (count - content.count)..<count
    }
}

/// Reads an envelope's fields in the order of their keys; an error names the field.
///
/// Of bytes that are not canonical, it may name any field.
extension CBORReader {
    fileprivate init(envelope bytes: Bytes) throws(EventRecordError) {
        self.init(bytes, at: 0)
        guard let count = try? count(.map) else { throw .badField("envelope") }
        left = count
    }

    fileprivate mutating func optionalNumber(
        _ key: EnvelopeKey
    ) throws(EventRecordError) -> UInt64? {
        guard take(key.rawValue) else { return nil }
        guard let number = try? argument(.unsigned) else { throw key.error }
        return number
    }

    fileprivate mutating func number(_ key: EnvelopeKey) throws(EventRecordError) -> UInt64 {
        guard let number = try optionalNumber(key) else { throw key.error }
        return number
    }

    /// The range of a byte string or a text.
    fileprivate mutating func content(
        _ key: EnvelopeKey, _ type: MajorType, _ size: ClosedRange<Int>
    ) throws(EventRecordError) -> Range<Int> {
        guard take(key.rawValue), let range = try? range(type), size.contains(range.count),
            type == .bytes || Text.isUTF8(bytes.span.extracting(range))
        else { throw key.error }
        return range
    }

    /// The offset of the data, a map, which is the last field.
    fileprivate mutating func data() throws(EventRecordError) -> Int {
        guard take(EnvelopeKey.data.rawValue), isNext(.map) else { throw EnvelopeKey.data.error }
        if left > 0 { throw .badField("envelope") }
        return next
    }
}

extension EventRecord {
    /// Decodes the event at a position of a log, and checks that it belongs there.
    package static func decode(
        _ bytes: Bytes, at position: UInt64, ofLog logID: Bytes,
        reading read: (EventRecord) -> Int? = { _ in nil }
    ) throws(LogError) -> EventRecord {
        let record: EventRecord
        do {
            record = try decode(bytes, reading: read)
        } catch {
            if case .unknownFormat(let error) = error { throw LogError.unknownFormat(error) }
            throw LogError.damaged(position: position, reason: "\(error)")
        }
        if record.position != position {
            throw LogError.damaged(position: position, reason: "it holds another position")
        }
        if !record.isOf(log: logID) {
            throw LogError.damaged(position: position, reason: "it belongs to another log")
        }
        return record
    }

    /// Decodes consecutive events from a position on, and checks that they belong there.
    package static func decode(
        _ events: [Bytes], from position: UInt64, ofLog logID: Bytes
    ) throws(LogError) -> [EventRecord] {
        var records: [EventRecord] = []
        records.reserveCapacity(events.count)
        for bytes in events {
            let next = position + UInt64(records.count)
            records.append(try decode(bytes, at: next, ofLog: logID))
        }
        return records
    }
}
