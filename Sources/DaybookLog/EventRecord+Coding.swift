package import DaybookEncoding

/// The keys of the envelope, a CBOR map; they never change.
private enum EnvelopeKey {
    static let format: UInt64 = 0
    static let logID: UInt64 = 1
    static let position: UInt64 = 2
    static let stream: UInt64 = 3
    static let revision: UInt64 = 4
    static let type: UInt64 = 5
    static let version: UInt64 = 6
    static let time: UInt64 = 7
    static let session: UInt64 = 8
    static let request: UInt64 = 9
    static let cause: UInt64 = 10
    static let actor: UInt64 = 11
    static let data: UInt64 = 12
}

extension EventRecord {
    /// An event with the given fields, encoded.
    package init(
        format: UInt64 = LogVersions.format, logID: Bytes, position: UInt64, stream: String,
        revision: UInt64, type: String, version: UInt64, time: UInt64, session: UInt64,
        request: UInt64?, cause: UInt64?, actor: String, data: CBOR
    ) {
        var envelope = EnvelopeWriter(
            fields: 11 + (request == nil ? 0 : 1) + (cause == nil ? 0 : 1),
            strings: logID.count + stream.utf8.count + type.utf8.count + actor.utf8.count,
            data: data)
        envelope.add(EnvelopeKey.format, format)
        let logID = envelope.add(EnvelopeKey.logID, logID)
        envelope.add(EnvelopeKey.position, position)
        let stream = envelope.add(EnvelopeKey.stream, stream)
        envelope.add(EnvelopeKey.revision, revision)
        let type = envelope.add(EnvelopeKey.type, type)
        envelope.add(EnvelopeKey.version, version)
        envelope.add(EnvelopeKey.time, time)
        envelope.add(EnvelopeKey.session, session)
        envelope.add(EnvelopeKey.request, request)
        envelope.add(EnvelopeKey.cause, cause)
        let actor = envelope.add(EnvelopeKey.actor, actor)
        let data = envelope.addData(EnvelopeKey.data)
        bytes = data.buffer
        self.format = format
        self.position = position
        self.revision = revision
        self.version = version
        self.time = time
        self.session = session
        self.request = request
        self.cause = cause
        parts = Parts(
            logID: logID, stream: stream, type: type, actor: actor, data: data.start)
    }

    /// Decodes an event; refuses bytes that are not its canonical encoding.
    package static func decode(_ bytes: Bytes) throws(EventRecordError) -> EventRecord {
        if bytes.count > LogLimits.eventBytes { throw .tooLarge(bytes: bytes.count) }
        let envelope: EncodedCBOR
        do {
            envelope = try EncodedCBOR(bytes)
        } catch {
            throw .notCanonical(error)
        }
        let record: EventRecord
        do {
            record = try EventRecord(envelope)
        } catch {
            // An unknown field is reported before a wrong known one.
            let hasOwn = EncodedMap(envelope)?.hasOnlyKeys(through: EnvelopeKey.data) ?? false
            throw hasOwn ? error : .badField("envelope")
        }
        try record.checkReferences()
        return record
    }

    private init(_ envelope: EncodedCBOR) throws(EventRecordError) {
        var reader = try EnvelopeReader(envelope)
        let format = try reader.number(EnvelopeKey.format, "format")
        if format > LogVersions.format { throw .formatTooNew(found: format) }
        let logID = try reader.logID()
        let position = try reader.number(EnvelopeKey.position, "position")
        let stream = try reader.text(EnvelopeKey.stream, "stream", limit: LogLimits.streamBytes)
        let revision = try reader.number(EnvelopeKey.revision, "revision")
        let type = try reader.text(EnvelopeKey.type, "type", limit: LogLimits.typeBytes)
        let version = try reader.number(EnvelopeKey.version, "version")
        let time = try reader.number(EnvelopeKey.time, "time")
        let session = try reader.number(EnvelopeKey.session, "session")
        let request = try reader.optionalNumber(EnvelopeKey.request, "request")
        let cause = try reader.optionalNumber(EnvelopeKey.cause, "cause")
        let actor = try reader.text(EnvelopeKey.actor, "actor", limit: LogLimits.actorBytes)
        let data = try reader.data()
        // All at once, so that no half of it is copied.
        bytes = envelope.bytes
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

/// Reads an envelope's fields in the order of their keys; an error names the field.
private struct EnvelopeReader: ~Copyable {
    private var fields: EncodedEnvelope

    init(_ envelope: EncodedCBOR) throws(EventRecordError) {
        guard let fields = EncodedEnvelope(envelope) else { throw .badField("envelope") }
        self.fields = fields
    }

    mutating func optionalNumber(
        _ key: UInt64, _ name: String
    ) throws(EventRecordError) -> UInt64? {
        guard let value = fields.take(key) else { return nil }
        guard let number = value.uintValue else { throw .badField(name) }
        return number
    }

    mutating func number(_ key: UInt64, _ name: String) throws(EventRecordError) -> UInt64 {
        guard let number = try optionalNumber(key, name) else { throw .badField(name) }
        return number
    }

    /// The range of a text.
    mutating func text(
        _ key: UInt64, _ name: String, limit: Int
    ) throws(EventRecordError) -> Range<Int> {
        guard let text = fields.take(key)?.textRange, (1...limit).contains(text.count) else {
            throw .badField(name)
        }
        return text
    }

    /// The range of the log's id.
    mutating func logID() throws(EventRecordError) -> Range<Int> {
        guard let id = fields.take(EnvelopeKey.logID)?.bytesRange, id.count == LogLimits.idBytes
        else { throw .badField("log id") }
        return id
    }

    /// The offset of the data, which is the last field.
    mutating func data() throws(EventRecordError) -> Int {
        guard let data = fields.take(EnvelopeKey.data), data.isMap else { throw .badField("data") }
        guard fields.isAtEnd else { throw .badField("envelope") }
        return data.start
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
