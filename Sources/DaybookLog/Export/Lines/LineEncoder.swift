import DaybookEncoding

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
            line(.header, [("version", .int(ExportLimits.version))], header.coded)
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
