import DaybookDomain
import DaybookEncoding
import DaybookReplay

@testable import DaybookLog

extension Harness {
    /// Exports of both formats, as they are or as frames and lines whose checksums are put right.
    ///
    /// The first byte says which; checksums of SHA-256 would otherwise be all that is ever tried.
    static let exports = Harness(
        "exports", longest: 4096,
        words: [
            "daybook\u{1}", "{\"item\":\"", "header", "event", "left-out", "checkpoint",
            "trailer", "\"$hex\":", "\"hashes\":[", "\"selection\":", "clog", "dsize", "droot",
            "iselection", "dfrom", "bto", "fhashes", "fevents", "kcheckpoints",
        ]
    ) { bytes in
        guard let first = bytes.first else { return }
        let rest = Bytes(bytes.dropFirst())
        switch first % 3 {
        case 0: try checkExport(rest)
        case 1: try checkExport(framed(rest))
        default: try checkExport(lined(rest))
        }
    }

    private static func checkExport(_ bytes: Bytes) throws {
        let items = try read(bytes, piece: 1 << 16)
        let pieces = try read(bytes, piece: 7)
        try law("it says the same however it is handed out", items == pieces)
        guard case .success(let items) = items else { return }
        let format = try ExportReader(source(bytes, piece: 1 << 16)).format
        for written in ExportFormat.allCases {
            var output = Bytes()
            let writer = ExportWriter(written) { output += $0 }
            for item in items { try writer.write(item) }
            let again = try read(output, piece: 100)
            try law("it can be written in \(written)", again == .success(items))
            if written == .daybook, format == .daybook {
                try law("frames have one spelling", output == bytes)
            }
        }
        for extra in [Bytes([0]), Bytes([0x0a])] {
            let longer = try read(bytes + extra, piece: 1 << 16)
            guard case .failure(let error) = longer else {
                throw BrokenLaw(description: "nothing follows an export")
            }
            try law("what follows is named", error.fault == .trailingBytes)
        }
    }

    private static func read(
        _ bytes: Bytes, piece: Int
    ) throws -> Result<[ExportItem], ExportError> {
        do {
            let reader = try ExportReader(source(bytes, piece: piece))
            var items: [ExportItem] = []
            while let item = try reader.next() { items.append(item) }
            return .success(items)
        } catch let error as ExportError {
            return .failure(error)
        }
    }

    private static func source(_ bytes: Bytes, piece: Int) -> ByteSource {
        var rest = bytes[...]
        return { limit in
            let next = rest.prefix(min(limit, piece))
            rest = rest.dropFirst(next.count)
            return Bytes(next)
        }
    }

    /// Frames of a kind, a length in two bytes and a payload, as a file of frames.
    private static func framed(_ bytes: Bytes) -> Bytes {
        var file = FrameFile.magic
        var chain = FrameChain()
        var rest = bytes[...]
        while rest.count >= 3 {
            let head = Bytes(rest.prefix(3))
            let payload = Bytes(rest.dropFirst(3).prefix(Int(head[1]) << 8 | Int(head[2])))
            rest = rest.dropFirst(3 + payload.count)
            let spelled = FrameFile.head(kind: head[0], length: payload.count)
            file += spelled + payload + chain.checksum(spelled, payload)
        }
        return file
    }

    /// Lines in which a reader finds the checksum that it counts itself, where there is an item.
    private static func lined(_ bytes: Bytes) -> Bytes {
        var file = Bytes()
        var chain = FrameChain()
        var logID = Bytes()
        for line in bytes.split(separator: 0x0a) {
            guard let json = try? JSON.parse(Bytes(line), maximumDepth: ExportLimits.lineDepth),
                let members = json.objectValue, let kind = json["item"]?.stringValue,
                let fields = try? LineDecoder.fields(json),
                let item = try? LineDecoder.item(kind, fields, logID: logID)
            else {
                file += line + [0x0a]
                continue
            }
            if case .header(let header) = item { logID = header.logID }
            let frame = Frame(item)
            let checksum = CBOR.bytes(chain.checksum(frame.head, frame.payload)).json
            let others = members.filter { !Text.equal($0.name, "checksum") }
            let whole = JSON.object(others + [JSON.Member(name: "checksum", value: checksum)])
            file += Bytes(whole.text().utf8) + [0x0a]
        }
        return file
    }
}

extension Harness {
    /// The bytes of an event, as a log or an export has them, and what they say.
    static let records = Harness(
        "records", longest: 1024,
        words: ["gwallet", "echain", "gnetwork", "freason", "faction", "eparameters", "foutputs"]
    ) { bytes in
        guard let record = try? EventRecord.decode(bytes) else { return }
        try law("an event has one spelling", record.bytes == bytes)
        try law("nothing follows an event", (try? EventRecord.decode(bytes + [0])) == nil)
        guard let payload = try? record.event()?.payload else { return }
        let coded = payload.data.encoded()
        let spelled = try CBOR.decode(coded).encoded()
        try law("what an event says is coded by the log's rules", spelled == coded)
        let again = try Payload(
            type: record.type, version: record.version, data: EncodedCBOR(coded))
        try law("what an event says is recorded without loss", again == payload)
    }
}
