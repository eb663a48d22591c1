import DaybookEncoding

/// Decodes the segments of an archive as the one export that their log would be.
///
/// The last segment proves the tree's head after its last event. The events of all segments must
/// have that head, so that segments of two versions of a log are refused.
final class ArchiveDecoder: ExportDecoder {
    private let open: (String) throws -> ByteSource
    private var rest: ArraySlice<Archive.Segment>
    private var current: SegmentReader
    private var events: UInt64 = 0
    private var checkpoints: UInt64 = 0
    private let head: TreeHead
    private let logID: Bytes
    private var hasBegun = false

    init(_ archive: Archive, opening open: @escaping (String) throws -> ByteSource) throws {
        guard let first = archive.segments.first, let last = archive.segments.last else {
            throw ArchiveError.empty
        }
        self.open = open
        let end = try SegmentReader(last, opening: open)
        while try end.next() != nil {}
        head = end.end
        logID = end.header.logID
        rest = archive.segments.dropFirst()
        current = try SegmentReader(first, opening: open)
    }

    var place: ExportPlace { current.reader.place }

    func next() throws -> ExportItem {
        guard hasBegun else {
            hasBegun = true
            return .header(ExportHeader(logID: logID, head: head, selection: .all))
        }
        while true {
            if let item = try current.next() {
                if case .event = item { events += 1 } else { checkpoints += 1 }
                return item
            }
            guard let segment = rest.popFirst() else {
                return .trailer(
                    ExportTrailer(events: events, checkpoints: checkpoints, head: head))
            }
            current = try SegmentReader(segment, opening: open)
        }
    }

    func isAtEnd() -> Bool { rest.isEmpty }
}

/// Reads the events of a segment and the checkpoints among them.
final class SegmentReader {
    let reader: ExportReader
    let header: ExportHeader
    /// The tree's head after the segment's last event, once that was read.
    private(set) var end = TreeHead(size: 0, root: .ofEmptyTree)
    private let segment: Archive.Segment

    init(
        _ segment: Archive.Segment, opening open: (String) throws -> ByteSource
    ) throws {
        self.segment = segment
        let source = try open(segment.path)
        let reader = try Self.naming(segment) { try ExportReader(source) }
        let selection = ExportSelection(from: segment.first, to: segment.last)
        guard reader.format == .daybook,
            case .header(let header) = try Self.naming(segment, { try reader.next() }),
            header.selection == selection, Hex.encode(header.logID) == segment.log,
            header.head.size > segment.last
        else { throw ArchiveError.misnamed(segment.path) }
        (self.reader, self.header) = (reader, header)
    }

    /// The offset of the last item's frame in the file.
    var offset: UInt64 { reader.place.offset }

    /// The next event, or the next checkpoint behind one; nil at the end of the file.
    func next() throws -> ExportItem? {
        while let item = try Self.naming(segment, { try reader.next() }) {
            switch item {
            case .event(let record, _):
                if record.position == segment.last { end = reader.head() }
                return item
            case .checkpoint:
                if (segment.first + 1...segment.last + 1).contains(reader.head().size) {
                    return item
                }
            case .header, .leftOut, .trailer: break
            }
        }
        return nil
    }

    private static func naming<Result>(
        _ segment: Archive.Segment, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as ExportError {
            throw ArchiveError.damaged(segment.path, error)
        }
    }
}
