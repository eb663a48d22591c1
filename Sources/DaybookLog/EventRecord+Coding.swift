package import DaybookEncoding

/// The keys of the envelope, a CBOR map; they never change.
private enum EnvelopeKey {
    static let format: UInt8 = 0
    static let logID: UInt8 = 1
    static let position: UInt8 = 2
    static let stream: UInt8 = 3
    static let revision: UInt8 = 4
    static let type: UInt8 = 5
    static let version: UInt8 = 6
    static let time: UInt8 = 7
    static let session: UInt8 = 8
    static let request: UInt8 = 9
    static let cause: UInt8 = 10
    static let actor: UInt8 = 11
    static let data: UInt8 = 12
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
        format: UInt64 = LogVersions.format, logID: Bytes, position: UInt64, stream: String,
        revision: UInt64, type: String, version: UInt64, time: UInt64, session: UInt64,
        request: UInt64?, cause: UInt64?, actor: String, data: Bytes
    ) {
        let strings = logID.count + stream.utf8.count + type.utf8.count + actor.utf8.count
        let fields = 11 + (request == nil ? 0 : 1) + (cause == nil ? 0 : 1)
        var parts = Parts(logID: 0..<0, stream: 0..<0, type: 0..<0, actor: 0..<0, data: 0)
        bytes = Bytes(capacity: Self.mostNumbers + strings + data.count) { output in
            output.append(0xa0 | UInt8(fields))
            output.add(EnvelopeKey.format, format)
            parts.logID = output.add(EnvelopeKey.logID, 0x40, logID.span)
            output.add(EnvelopeKey.position, position)
            parts.stream = output.add(EnvelopeKey.stream, 0x60, stream.utf8.span)
            output.add(EnvelopeKey.revision, revision)
            parts.type = output.add(EnvelopeKey.type, 0x60, type.utf8.span)
            output.add(EnvelopeKey.version, version)
            output.add(EnvelopeKey.time, time)
            output.add(EnvelopeKey.session, session)
            if let request { output.add(EnvelopeKey.request, request) }
            if let cause { output.add(EnvelopeKey.cause, cause) }
            parts.actor = output.add(EnvelopeKey.actor, 0x60, actor.utf8.span)
            output.append(EnvelopeKey.data)
            parts.data = output.count
            CBOR.append(data.span, to: &output)
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
    package static func decode(_ bytes: Bytes) throws(EventRecordError) -> EventRecord {
        if bytes.count > LogLimits.eventBytes { throw .tooLarge(bytes: bytes.count) }
        do {
            let record = try EventRecord(reading: bytes)
            try record.checkReferences()
            return record
        } catch {
            throw reason(error, of: bytes)
        }
    }

    /// The first reason why bytes are not an event: their form, an unknown field, a known one.
    private static func reason(_ error: EventRecordError, of bytes: Bytes) -> EventRecordError {
        do {
            let fields = try CBOR.decode(bytes).mapValue ?? []
            let areKnown = fields.allSatisfy { $0.key.uintValue ?? .max <= EnvelopeKey.data }
            return areKnown ? error : .badField("envelope")
        } catch {
            return .notCanonical(error)
        }
    }

    private init(reading bytes: Bytes) throws(EventRecordError) {
        var fields = try EnvelopeReader(bytes)
        let format = try fields.number(EnvelopeKey.format, "format")
        if format > LogVersions.format { throw .formatTooNew(found: format) }
        let logID = try fields.logID()
        let position = try fields.number(EnvelopeKey.position, "position")
        let stream = try fields.text(EnvelopeKey.stream, "stream", limit: LogLimits.streamBytes)
        let revision = try fields.number(EnvelopeKey.revision, "revision")
        let type = try fields.text(EnvelopeKey.type, "type", limit: LogLimits.typeBytes)
        let version = try fields.number(EnvelopeKey.version, "version")
        let time = try fields.number(EnvelopeKey.time, "time")
        let session = try fields.number(EnvelopeKey.session, "session")
        let request = try fields.optionalNumber(EnvelopeKey.request, "request")
        let cause = try fields.optionalNumber(EnvelopeKey.cause, "cause")
        let actor = try fields.text(EnvelopeKey.actor, "actor", limit: LogLimits.actorBytes)
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
        if format == 0 { throw .badField("format") }
        if Position(exactly: position) == nil { throw .badField("position") }
        if revision > position { throw .badField("revision") }
        if session > position { throw .badField("session") }
        if let request, request > position { throw .badField("request") }
        if let cause, cause >= position { throw .badField("cause") }
    }
}

extension OutputSpan<UInt8> {
    /// Appends a field with a number.
    fileprivate mutating func add(_ key: UInt8, _ number: UInt64) {
        append(key)
        addHead(0x00, number)
    }

    /// Appends a field with a byte string or a text, and returns where its content is.
    fileprivate mutating func add(
        _ key: UInt8, _ type: UInt8, _ content: Span<UInt8>
    ) -> Range<Int> {
        append(key)
        addHead(type, UInt64(content.count))
        CBOR.append(content, to: &self)
        return (count - content.count)..<count
    }

    @inline(__always)
    private mutating func addHead(_ type: UInt8, _ argument: UInt64) {
        guard argument < 24 else { return CBOR.appendHead(type, argument, to: &self) }
        append(type | UInt8(truncatingIfNeeded: argument))
    }
}

/// Reads an envelope's fields in the order of their keys; an error names the field.
///
/// It checks what it reads. Of bytes that are not canonical, its error may name any field.
private struct EnvelopeReader {
    private let bytes: Bytes
    private var next = 1
    /// How many fields are left.
    private var left: Int

    init(_ bytes: Bytes) throws(EventRecordError) {
        guard let map = bytes.first, (0xa0..<0xb8).contains(map) else {
            throw .badField("envelope")
        }
        self.bytes = bytes
        left = Int(map & 0x1f)
    }

    /// Reads the next key, if it is this one.
    @inline(__always)
    private mutating func take(_ key: UInt8) -> Bool {
        guard left > 0, next < bytes.count, bytes[next] == key else { return false }
        left &-= 1
        next &+= 1
        return true
    }

    /// Reads the number or the length of a value of a major type, if it is one.
    @inline(__always)
    private mutating func argument(_ type: UInt8) -> UInt64? {
        guard next < bytes.count else { return nil }
        let short = bytes[next] ^ type
        if short < 24 {
            next &+= 1
            return UInt64(short)
        }
        var end = next
        let argument = EncodedCBOR.longArgument(type, in: bytes.span, at: &end)
        next = end
        return argument
    }

    /// Reads the content of a value of a major type, if it is one.
    @inline(__always)
    private mutating func content(_ type: UInt8) -> Range<Int>? {
        guard let count = argument(type), count <= UInt64(bytes.count &- next) else { return nil }
        let start = next
        next = start &+ Int(truncatingIfNeeded: count)
        return start..<next
    }

    mutating func optionalNumber(
        _ key: UInt8, _ name: StaticString
    ) throws(EventRecordError) -> UInt64? {
        guard take(key) else { return nil }
        guard let number = argument(0x00) else { throw .badField("\(name)") }
        return number
    }

    mutating func number(_ key: UInt8, _ name: StaticString) throws(EventRecordError) -> UInt64 {
        guard let number = try optionalNumber(key, name) else { throw .badField("\(name)") }
        return number
    }

    /// The range of a text.
    mutating func text(
        _ key: UInt8, _ name: StaticString, limit: Int
    ) throws(EventRecordError) -> Range<Int> {
        guard take(key), let text = content(0x60), (1...limit).contains(text.count),
            EncodedCBOR.isUTF8(bytes.span.extracting(text))
        else { throw .badField("\(name)") }
        return text
    }

    /// The range of the log's id.
    mutating func logID() throws(EventRecordError) -> Range<Int> {
        guard take(EnvelopeKey.logID), let id = content(0x40), id.count == LogLimits.idBytes
        else { throw .badField("log id") }
        return id
    }

    /// The offset of the data, a map, which is the last field and is checked as a whole.
    mutating func data() throws(EventRecordError) -> Int {
        guard take(EnvelopeKey.data), next < bytes.count, bytes[next] >> 5 == 5 else {
            throw .badField("data")
        }
        let start = next
        guard left == 0, EncodedCBOR.end(checking: bytes, at: start, depth: 1) == bytes.count
        else { throw .badField("envelope") }
        return start
    }
}

extension EventRecord {
    /// Decodes the event at a position of a log, and checks that it belongs there.
    package static func decode(
        _ bytes: Bytes, at position: UInt64, ofLog logID: Bytes
    ) throws(LogError) -> EventRecord {
        let record: EventRecord
        do {
            record = try decode(bytes)
        } catch {
            if case .formatTooNew(let found) = error {
                throw LogError.tooNew(.event, found: found, known: LogVersions.format)
            }
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
