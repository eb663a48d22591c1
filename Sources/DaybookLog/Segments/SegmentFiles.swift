internal import DaybookCrypto
internal import DaybookEncoding
internal import DaybookSystem

/// Reads archived events from their segments, and refuses those that are not as they were.
///
/// Its index is kept beside the derived tables, and made again where it is missing.
final class SegmentFiles: Sendable {
    /// The index's file; nil where there is no folder for it.
    private let path: String?
    private let isReadOnly: Bool
    private let state = Monitor(State())

    private struct State {
        var index: SegmentIndex?
        /// The group that was read last: events are mostly read in order.
        var last: (group: SegmentIndex.Group, events: [Bytes])?
    }

    /// Segments whose index is kept in a folder, if there is one.
    init(indexIn folder: String?, isReadOnly: Bool) {
        path = folder.map { $0 + "/segments.index" }
        self.isReadOnly = isReadOnly
    }

    /// The archived events from a position on, at most `limit`, and no more once they have
    /// `byteLimit` bytes in all.
    ///
    /// - Throws: `LogError.segmentMissing`, `segmentChanged`.
    func events(
        of archived: ArchivedEvents, ofLog logID: Bytes, from position: UInt64, limit: Int,
        byteLimit: Int
    ) throws -> [Bytes] {
        var events: [Bytes] = []
        var total = 0
        let end = min(archived.count, position &+ UInt64(max(limit, 0)))
        let index = position < end ? try index(of: archived, ofLog: logID) : nil
        var next = position
        while let index, next < end, total < byteLimit {
            let group = index.group(of: next)
            let skipped = Int(next - group.positions.lowerBound)
            for bytes in try read(group).dropFirst(skipped).prefix(Int(end - next)) {
                if total >= byteLimit { break }
                events.append(bytes)
                total += bytes.count
                next += 1
            }
        }
        return events
    }

    /// Reads all segments of events that are to be archived and checks that they have their root.
    ///
    /// Those of events that were archived `before` have been read then; `cover` gives the hashes
    /// that the log's tree has of their events.
    ///
    /// - Throws: `LogError.segmentMissing`, `segmentChanged`.
    func verify(
        _ archived: ArchivedEvents, ofLog logID: Bytes, before: ArchivedEvents?,
        cover: (Range<UInt64>) throws -> [TreeHash], progress: (UInt64) throws -> Void
    ) throws {
        let known = before.flatMap { stored($0, logID) }
        let index = try withoutActuallyEscaping(cover) { cover in
            try SegmentIndex(
                reading: archived, ofLog: logID, after: known.map { ($0, cover) },
                progress: progress)
        }
        keep(index)
        state.change { $0.index = index }
    }

    private func index(of archived: ArchivedEvents, ofLog logID: Bytes) throws -> SegmentIndex {
        // Other threads wait for the one that makes it.
        try state.change { state in
            if let known = state.index, known.archived == archived, known.logID == logID {
                return known
            }
            let found = stored(archived, logID)
            let index = try found ?? SegmentIndex(reading: archived, ofLog: logID)
            if found == nil { keep(index) }
            state.index = index
            return index
        }
    }

    private func stored(_ archived: ArchivedEvents, _ logID: Bytes) -> SegmentIndex? {
        guard let path, let content = try? Files.read(path, limit: Self.indexLimit),
            let index = SegmentIndex(encoded: content), index.archived == archived,
            index.logID == logID
        else { return nil }
        return index
    }

    /// Writes the index where it can be: without it the next process makes it again.
    private func keep(_ index: SegmentIndex) {
        guard let path, !isReadOnly else { return }
        try? Files.createDirectories(Files.parent(of: path), mode: 0o700)
        try? Files.writeAtomically(path, index.encoded, mode: 0o600)
    }

    /// Enough for 10^9 events.
    private static let indexLimit = 1 << 30

    // MARK: - Groups

    private func read(_ group: SegmentIndex.Group) throws -> [Bytes] {
        if let last = state.change({ $0.last }), last.group == group { return last.events }
        let events = try Self.naming(group.path) { try Self.events(of: group) }
        state.change { $0.last = (group, events) }
        return events
    }

    private static func events(of group: SegmentIndex.Group) throws -> [Bytes] {
        var input = ByteInput(try source(of: group.path, from: group.offset))
        var digest = GroupDigest()
        var events: [Bytes] = []
        while events.count < group.positions.count {
            guard let bytes = try FrameFile.nextEvent(&input) else {
                throw LogError.segmentChanged(path: group.path, reason: "it ends too early")
            }
            digest.add(bytes)
            events.append(bytes)
        }
        guard digest.finish() == group.digest else {
            throw LogError.segmentChanged(
                path: group.path,
                reason: "its events from \(group.positions.lowerBound) on were changed")
        }
        return events
    }

    static func source(of path: String, from offset: UInt64 = 0) throws -> ByteSource {
        let file = try FileReader(path, from: offset)
        return { try file.next($0) }
    }

    /// Runs `body`, and names the segment in its errors.
    static func naming<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as SystemError where error.code == .noSuchFile {
            throw LogError.segmentMissing(folder: Files.parent(of: path), position: nil)
        } catch let error as SystemError {
            throw LogError.system(error)
        } catch let error as ArchiveError {
            throw LogError.segmentChanged(path: path, reason: error.reason)
        }
    }
}

extension FrameFile {
    /// The next event's bytes, without checking its frame; nil where no more frames follow.
    ///
    /// The caller knows the digest of what it expects.
    static func nextEvent(_ input: inout ByteInput) throws -> Bytes? {
        while try input.require(headBytes) == headBytes {
            let kind = input.peek(at: 0)
            let length = (1..<headBytes).reduce(0) { $0 << 8 | Int(input.peek(at: $1)) }
            let frame = headBytes + length + SHA256.length
            guard length <= ExportLimits.payloadBytes, try input.require(frame) == frame else {
                return nil
            }
            _ = input.take(headBytes)
            let payload = input.take(length)
            _ = input.take(SHA256.length)
            if kind == FrameKind.event.rawValue { return payload }
            guard kind == FrameKind.checkpoint.rawValue else { return nil }
        }
        return nil
    }
}
