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
            cause: try fields.numberOrNull("cause"), actor: try fields.text("actor"),
            data: data.encoded())
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

/// The kind of a line: its member `item`.
enum LineKind: String {
    case header = "header"
    case event = "event"
    case leftOut = "left-out"
    case checkpoint = "checkpoint"
    case trailer = "trailer"
}

/// Encodes items as lines of JSON.
final class LineEncoder: ExportEncoder {
    private var chain = FrameChain()

    func encode(_ item: ExportItem) -> Bytes {
        let frame = Frame(item)
        let checksum = CBOR.bytes(chain.checksum(frame.head, frame.payload)).json
        let members = Self.members(item) + [JSON.Member(name: "checksum", value: checksum)]
        // Lines are also printed on terminals: control characters are escaped.
        return Bytes(JSON.object(members).text(escapingHidden: true).utf8) + [0x0a]
    }

    private static func members(_ item: ExportItem) -> [JSON.Member] {
        switch item {
        case .header(let header):
            line(.header, [("version", .int(FormatNumber.export.current))], header.coded)
        case .event(let record, let bytes):
            EventLine.members(record, leaf: EventRecord.leafHash(bytes))
        case .leftOut(let run): line(.leftOut, [], run.coded)
        case .checkpoint(let note):
            // The checker refuses a note that is not UTF-8.
            line(.checkpoint, [("note", .string(String(decoding: note, as: UTF8.self)))], nil)
        case .trailer(let trailer): line(.trailer, [], trailer.coded)
        }
    }

    private static func line(
        _ kind: LineKind, _ members: [(name: String, value: JSON)], _ record: CBOR?
    ) -> [JSON.Member] {
        [JSON.Member(name: "item", value: .string(kind.rawValue))]
            + members.map { JSON.Member(name: $0.name, value: $0.value) }
            + (record?.json.objectValue ?? [])
    }
}

/// Decodes lines of JSON, strictly: each is one item, ends with a line break, and has a limit.
final class LineDecoder: ExportDecoder {
    private var input: ByteInput
    private var logID = Bytes()
    private var chain = FrameChain()
    private(set) var place = ExportPlace(unit: .line, number: 0, offset: 0)

    init(_ input: consuming ByteInput) {
        self.input = input
    }

    func next() throws -> ExportItem {
        place.number += 1
        place.offset = input.offset
        let limit = ExportLimits.lineBytes
        guard let length = try input.lengthOfLine(limit: limit) else {
            if try input.require(1) == 1, input.peek(at: 0) == 0 { throw ExportFault.zeroFilled }
            let rest = try input.require(limit + 1)
            if rest > limit { throw ExportFault.tooLarge(bytes: UInt64(rest), limit: limit) }
            throw ExportFault.truncated
        }
        let line = input.take(length)
        _ = input.take(1)
        let item = try item(line)
        if case .header(let header) = item { logID = header.logID }
        return item
    }

    func isAtEnd() throws -> Bool { try input.require(1) == 0 }

    private func item(_ line: Bytes) throws(ExportFault) -> ExportItem {
        if line.first == 0 { throw .zeroFilled }
        let json: JSON
        do {
            json = try JSON.parse(line, maximumDepth: ExportLimits.lineDepth)
        } catch {
            throw .notJSON(error)
        }
        guard let kind = json["item"]?.stringValue else { throw .malformed("item") }
        let fields = try Self.fields(json)
        let item = try Self.item(kind, fields, logID: logID)
        if case .header = item { chain = FrameChain(of: try fields.number("version")) }
        let frame = Frame(item)
        guard try fields.bytes("checksum") == chain.checksum(frame.head, frame.payload) else {
            throw .altered
        }
        return item
    }

    static func item(
        _ kind: String, _ fields: ItemFields, logID: Bytes
    ) throws(ExportFault) -> ExportItem {
        switch LineKind(rawValue: kind) {
        case .header:
            try FormatNumber.export.check(
                try fields.number("version"), orThrow: ExportFault.unknownFormat)
            return .header(try ExportHeader(try fields.besides(3)))
        case .event: return try EventLine.item(fields, logID: logID)
        case .leftOut: return .leftOut(try LeftOut(fields))
        case .checkpoint:
            let note = try fields.text("note")
            try fields.finish(1)
            return .checkpoint(Bytes(note.utf8))
        case .trailer: return .trailer(try ExportTrailer(fields))
        case nil: throw .unknownKind(String(Text.escaped(kind).prefix(64)))
        }
    }

    static func fields(_ json: JSON) throws(ExportFault) -> ItemFields {
        let record: CBOR
        do {
            record = try CBOR.from(json)
        } catch {
            throw .notAValue(error)
        }
        // Every line has the fields `item` and `checksum`.
        return try ItemFields(record, besides: 2)
    }
}
