package import DaybookEncoding

/// The envelope on disk: a map with these integer keys, written by hand once and for ever.
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
    /// The event's bytes: what is stored, hashed and exported.
    package func encoded() -> Bytes {
        CBOR.envelope([
            EnvelopeKey.format: .unsigned(format),
            EnvelopeKey.logID: .bytes(logID),
            EnvelopeKey.position: .unsigned(position),
            EnvelopeKey.stream: .text(stream),
            EnvelopeKey.revision: .unsigned(revision),
            EnvelopeKey.type: .text(type),
            EnvelopeKey.version: .unsigned(version),
            EnvelopeKey.time: .unsigned(time),
            EnvelopeKey.session: .unsigned(session),
            EnvelopeKey.request: request.map(CBOR.unsigned),
            EnvelopeKey.cause: cause.map(CBOR.unsigned),
            EnvelopeKey.actor: .text(actor),
            EnvelopeKey.data: data,
        ]).encoded()
    }

    /// Reads an event's bytes; refuses whatever `encoded` would have written in another way.
    package static func decode(_ bytes: Bytes) throws(EventRecordError) -> EventRecord {
        if bytes.count > LogLimits.eventBytes { throw .tooLarge(bytes: bytes.count) }
        let envelope: CBOR
        do {
            envelope = try CBOR.decode(bytes)
        } catch {
            throw .notCanonical(error)
        }
        let reader = try EnvelopeReader(envelope)
        let format = try reader.number(EnvelopeKey.format, "format")
        if format > LogVersions.format { throw .formatTooNew(found: format) }
        let record = EventRecord(
            format: format,
            logID: try reader.logID(),
            position: try reader.number(EnvelopeKey.position, "position"),
            stream: try reader.text(
                EnvelopeKey.stream, "stream", limit: LogLimits.streamBytes),
            revision: try reader.number(EnvelopeKey.revision, "revision"),
            type: try reader.text(EnvelopeKey.type, "type", limit: LogLimits.typeBytes),
            version: try reader.number(EnvelopeKey.version, "version"),
            time: try reader.number(EnvelopeKey.time, "time"),
            session: try reader.number(EnvelopeKey.session, "session"),
            request: try reader.optionalNumber(EnvelopeKey.request, "request"),
            cause: try reader.optionalNumber(EnvelopeKey.cause, "cause"),
            actor: try reader.text(EnvelopeKey.actor, "actor", limit: LogLimits.actorBytes),
            data: try reader.data())
        try record.checkOrder()
        return record
    }

    /// What holds for every event, whatever its neighbours are.
    private func checkOrder() throws(EventRecordError) {
        if format == 0 { throw .badField("format") }
        if revision > position { throw .badField("revision") }
        if session > position { throw .badField("session") }
        if let request, request > position { throw .badField("request") }
        if let cause, cause >= position { throw .badField("cause") }
    }
}

/// Takes an envelope apart, naming the field that is wrong.
private struct EnvelopeReader {
    private let envelope: CBOR

    init(_ envelope: CBOR) throws(EventRecordError) {
        guard let entries = envelope.mapValue else { throw .badField("envelope") }
        for entry in entries {
            guard let key = entry.key.uintValue, key <= EnvelopeKey.data else {
                throw .badField("envelope")
            }
        }
        self.envelope = envelope
    }

    func optionalNumber(_ key: UInt64, _ name: String) throws(EventRecordError) -> UInt64? {
        guard let value = envelope[key] else { return nil }
        guard let number = value.uintValue else { throw .badField(name) }
        return number
    }

    func number(_ key: UInt64, _ name: String) throws(EventRecordError) -> UInt64 {
        guard let number = try optionalNumber(key, name) else { throw .badField(name) }
        return number
    }

    func text(_ key: UInt64, _ name: String, limit: Int) throws(EventRecordError) -> String {
        guard let text = envelope[key]?.textValue, (1...limit).contains(text.utf8.count) else {
            throw .badField(name)
        }
        return text
    }

    func logID() throws(EventRecordError) -> Bytes {
        guard let id = envelope[EnvelopeKey.logID]?.bytesValue, id.count == LogLimits.idBytes
        else { throw .badField("log id") }
        return id
    }

    func data() throws(EventRecordError) -> CBOR {
        guard let data = envelope[EnvelopeKey.data], case .map = data else {
            throw .badField("data")
        }
        return data
    }
}
