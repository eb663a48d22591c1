import DaybookEncoding

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
            let version = try fields.number("version")
            let known = ExportLimits.version
            if version != known { throw .tooNew(found: version, known: known) }
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
