import DaybookEncoding

/// An event as a line: its envelope and data, and the leaf hash that proves them.
enum EventLine {
    static func members(_ record: EventRecord, leaf: Bytes) -> [JSON.Member] {
        [
            .init(name: "item", value: .string(LineKind.event.rawValue)),
            .init(name: "position", value: .int(record.position)),
            .init(name: "type", value: .string(record.type)),
            .init(name: "at", value: .string(Timestamp.text(record.time))),
            .init(name: "session", value: .int(record.session)),
            .init(name: "request", value: record.request.map { .int($0) } ?? .null),
            .init(name: "cause", value: record.cause.map { .int($0) } ?? .null),
            .init(name: "stream", value: .string(record.stream)),
            .init(name: "revision", value: .int(record.revision)),
            .init(name: "actor", value: .string(record.actor)),
            .init(name: "data", value: record.data.json),
            .init(name: "format", value: .int(record.format)),
            .init(name: "version", value: .int(record.version)),
            .init(name: "time", value: .int(record.time)),
            .init(name: "leaf", value: CBOR.bytes(leaf).json),
        ]
    }

    /// The event of a line; the log's id is the header's.
    static func item(_ fields: ItemFields, logID: Bytes) throws(ExportFault) -> ExportItem {
        let data = try fields.value("data")
        guard case .map = data else { throw .malformed("data") }
        let spelled = EventRecord(
            format: try fields.number("format"), logID: logID,
            position: try fields.number("position"), stream: try fields.text("stream"),
            revision: try fields.number("revision"), type: try fields.text("type"),
            version: try fields.number("version"), time: try fields.number("time"),
            session: try fields.number("session"), request: try fields.numberOrNull("request"),
            cause: try fields.numberOrNull("cause"), actor: try fields.text("actor"), data: data)
        // The line must hold to the same rules as an event's bytes.
        let record: EventRecord
        do {
            record = try EventRecord.decode(spelled.bytes)
        } catch {
            throw .badEvent(error)
        }
        guard try fields.bytes("leaf") == EventRecord.leafHash(record.bytes),
            Text.equal(try fields.text("at"), Timestamp.text(record.time))
        else { throw .altered }
        try fields.finish(14)
        return .event(record, bytes: record.bytes)
    }
}
