import DaybookEncoding
import Testing

@testable import DaybookLog

/// An archive's segments, read as one export.
struct ArchiveTests {
    private let log: SampleLog
    private let folder = "archive"

    init() throws { log = try SampleLog(20, checkpointsAt: [7, 19]) }

    /// The segment of a range, as a log exports it.
    private func segment(_ range: Range<UInt64>, of log: SampleLog) throws -> (String, Bytes) {
        let selection = ExportSelection(from: range.lowerBound, to: range.upperBound - 1)
        let path = Archive.path(in: folder, log: Hex.encode(SampleLog.id), range)
        return (path, try log.export(.daybook, selection))
    }

    private func reader(_ files: [(String, Bytes)]) throws -> ExportReader {
        let contents = Dictionary(uniqueKeysWithValues: files)
        let names = files.map { String($0.0.dropFirst(folder.count + 1)) }
        return try ExportReader(Archive(names, in: folder)) { source(contents[$0] ?? []) }
    }

    @Test func `segments read as the export of their log, with its root`() throws {
        let files = try [0..<7, 7..<14, 14..<20].map { try segment($0, of: log) }
        let reader = try reader(files)
        var events: [Bytes] = []
        var notes: [Bytes] = []
        while let item = try reader.next() {
            if case .event(_, let bytes) = item { events.append(bytes) }
            if case .checkpoint(let note) = item { notes.append(note) }
        }
        #expect(events == log.events)
        #expect(notes == log.checkpoints.map(\.note))
        #expect(reader.head() == (try log.header().head))
    }

    @Test func `an archive that ends before its log does is a log of these events`() throws {
        let files = try [0..<7, 7..<14].map { try segment($0, of: log) }
        let (header, trailer) = try reader(files).verifyRest()
        #expect(header.head == (try log.tree.head(at: 14)) && trailer.head == header.head)
        #expect(trailer.events == 14)
    }

    @Test func `segments of two versions of a log are refused`() throws {
        var events = log.events
        events[3] = SampleLog.event(3, data: .record(["note": .text("another")]))
        let other = try SampleLog(events)
        let files = try [segment(0..<7, of: other), segment(7..<20, of: log)]
        let error = #expect(throws: ExportError.self) { try reader(files).verifyRest() }
        #expect(error?.fault == .otherTree("checkpoint"))
    }

    @Test func `a damaged segment is named`() throws {
        var files = try [0..<7, 7..<20].map { try segment($0, of: log) }
        files[1].1[files[1].1.count / 2] ^= 1
        let error = #expect(throws: ArchiveError.self) { try reader(files).verifyRest() }
        #expect(error?.description.hasPrefix(files[1].0) == true)
    }
}
