package import DaybookEncoding

/// The two formats of an export, with the same content.
package enum ExportFormat: String, CaseIterable, Sendable {
    /// Frames of bytes, each with a checksum.
    case daybook
    /// Lines of JSON, for people and their tools.
    case jsonl
}

/// Returns the next bytes of an export, at most `limit`; none at its end.
package typealias ByteSource = (_ limit: Int) throws -> Bytes

/// Writes the next bytes of an export.
package typealias ByteSink = (Bytes) throws -> Void

/// Decodes a format item by item. It is a class because it is a cursor over one source.
protocol ExportDecoder: AnyObject {
    /// The place of the current item, or of the last one.
    var place: ExportPlace { get }
    /// The next item.
    func next() throws -> ExportItem
    /// Whether the source has ended.
    func isAtEnd() throws -> Bool
}

/// Encodes items in a format.
protocol ExportEncoder: AnyObject {
    /// The bytes of the next item.
    func encode(_ item: ExportItem) -> Bytes
}

/// The log of an export, its state when it was exported, and the part that was selected.
package struct ExportHeader: Equatable, Sendable {
    /// The log's id.
    package let logID: Bytes
    /// The size and the root of the log's tree when it was exported.
    package let head: TreeHead
    /// The part that was selected.
    package let selection: ExportSelection

    /// A header from all its parts.
    package init(logID: Bytes, head: TreeHead, selection: ExportSelection) {
        self.logID = logID
        self.head = head
        self.selection = selection
    }
}

extension ExportHeader {
    var coded: CBOR {
        .record([
            "log": .bytes(logID), "size": .unsigned(head.size), "root": .bytes(head.root.bytes),
            "selection": selection.coded,
        ])
    }

    init(_ fields: ItemFields) throws(ExportFault) {
        logID = try fields.bytes("log")
        head = TreeHead(size: try fields.number("size"), root: try fields.hash("root"))
        selection = try ExportSelection(try fields.fields("selection"))
        try fields.finish(4)
    }
}

/// The end of an export: counts and the tree's head, so that a truncated export is noticed.
package struct ExportTrailer: Equatable, Sendable {
    /// How many events are in it.
    package let events: UInt64
    /// How many checkpoints are in it.
    package let checkpoints: UInt64
    /// The size and the root of the tree over its items.
    package let head: TreeHead

    /// A trailer from all its parts.
    package init(events: UInt64, checkpoints: UInt64, head: TreeHead) {
        self.events = events
        self.checkpoints = checkpoints
        self.head = head
    }
}

extension ExportTrailer {
    var coded: CBOR {
        .record([
            "events": .unsigned(events), "checkpoints": .unsigned(checkpoints),
            "size": .unsigned(head.size), "root": .bytes(head.root.bytes),
        ])
    }

    init(_ fields: ItemFields) throws(ExportFault) {
        events = try fields.number("events")
        checkpoints = try fields.number("checkpoints")
        head = TreeHead(size: try fields.number("size"), root: try fields.hash("root"))
        try fields.finish(4)
    }
}

/// An item of an export, in either format.
///
/// An export is a header, then every position of the log in order, as an event or in a run of
/// left-out positions, with each checkpoint after the last event of its tree, and a trailer.
package enum ExportItem: Equatable, Sendable {
    /// The log, its state when it was exported, and the part that was selected.
    case header(ExportHeader)
    /// An event and its bytes as the log has them.
    case event(EventRecord, bytes: Bytes)
    /// A run of positions that were left out.
    case leftOut(LeftOut)
    /// The signed note of a checkpoint over the events before it.
    case checkpoint(Bytes)
    /// The counts and the tree's head at the end.
    case trailer(ExportTrailer)

    /// The event that a log's bytes encode.
    package static func event(_ bytes: Bytes) throws(EventRecordError) -> ExportItem {
        .event(try EventRecord.decode(bytes), bytes: bytes)
    }
}

/// The fields of a header, a run or a trailer; an error names the field that is wrong.
struct ItemFields {
    private let record: CBOR
    private let size: Int

    /// The fields of a map, of which `others` belong to the format and not to the item.
    init(_ record: CBOR, besides others: Int = 0) throws(ExportFault) {
        guard let entries = record.mapValue else { throw .malformed("map") }
        self.record = record
        size = entries.count - others
    }

    /// The same fields, of which `others` belong to the format.
    func besides(_ others: Int) throws(ExportFault) -> ItemFields {
        try ItemFields(record, besides: others)
    }

    func optionalNumber(_ name: String) throws(ExportFault) -> UInt64? {
        guard let value = record[name] else { return nil }
        guard let number = value.uintValue else { throw .malformed(name) }
        return number
    }

    func number(_ name: String) throws(ExportFault) -> UInt64 {
        guard let number = try optionalNumber(name) else { throw .malformed(name) }
        return number
    }

    func bytes(_ name: String) throws(ExportFault) -> Bytes {
        guard let bytes = record[name]?.bytesValue else { throw .malformed(name) }
        return bytes
    }

    func text(_ name: String) throws(ExportFault) -> String {
        guard let text = record[name]?.textValue else { throw .malformed(name) }
        return text
    }

    func value(_ name: String) throws(ExportFault) -> CBOR {
        guard let value = record[name] else { throw .malformed(name) }
        return value
    }

    /// A number or null; the field must not be absent.
    func numberOrNull(_ name: String) throws(ExportFault) -> UInt64? {
        try value(name).isNull ? nil : try number(name)
    }

    func hash(_ name: String) throws(ExportFault) -> TreeHash {
        guard let hash = TreeHash(try bytes(name)) else { throw .malformed(name) }
        return hash
    }

    func hashes(_ name: String) throws(ExportFault) -> [TreeHash] {
        guard let items = record[name]?.arrayValue else { throw .malformed(name) }
        var hashes: [TreeHash] = []
        for item in items {
            guard let hash = item.bytesValue.flatMap({ TreeHash($0) }) else {
                throw .malformed(name)
            }
            hashes.append(hash)
        }
        return hashes
    }

    func fields(_ name: String) throws(ExportFault) -> ItemFields {
        guard let value = record[name], case .map = value else { throw .malformed(name) }
        return try ItemFields(value)
    }

    /// Refuses unknown fields: no name occurs twice, so it is enough to count them.
    func finish(_ found: Int) throws(ExportFault) {
        if size != found { throw .malformed("names") }
    }
}

/// Every limit of an export, in one place.
package enum ExportLimits {
    /// A frame's payload: the longest event and the longest note fit.
    package static let payloadBytes = LogLimits.eventBytes
    /// A line without its line break. A byte of CBOR becomes thirteen characters of JSON at worst.
    package static let lineBytes = 4 * 1024 * 1024
    /// The nesting of a line's JSON: three levels for each level of CBOR.
    static let lineDepth = 64
    /// How much is read or written at a time.
    static let chunkBytes = 64 * 1024
}
