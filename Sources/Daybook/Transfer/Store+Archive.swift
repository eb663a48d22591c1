import DaybookEncoding
import DaybookLog
import DaybookSystem

extension Store {
    /// Writes the events that an archive lacks into it, behind a checkpoint that ends them.
    ///
    /// An archive is a folder of exports, its *segments*: `LOG-FROM-TO.daybook`, each with at most
    /// `events` events and the proof that they are the log's. Segments never change, so that they
    /// can be copied to any storage by its own tools. `daybook-replay` reads the folder as a whole
    /// log. If nothing has happened since the last segment, nothing is written.
    ///
    /// With `keeping`, the log then keeps only so many of its last events, and reads the others
    /// from the archive's folder, which must stay where it is. Before anything is dropped, the
    /// segments are durable, and all of their events have been read back and compared with the
    /// log's root. A crash leaves each event in the log or in the archive; the next call goes on.
    ///
    /// - Throws: `archiveDamaged`, `segmentMissing`, `segmentChanged`, what `checkpoint` and
    ///   `export(_:to:)` throw.
    @discardableResult
    public func archive(
        to folder: String, segmentsOf events: UInt64 = 100_000, keeping kept: UInt64? = nil,
        progress: WorkProgress? = nil
    ) async throws(DaybookError) -> ArchiveSummary {
        guard events > 0, kept ?? 1 > 0 else {
            throw DaybookError(
                "invalidRange", .usage, "a segment has one event at least, and so has a log")
        }
        let log = try logID
        var archived = try Self.archived(in: folder, of: log)
        var written: [String] = []
        if try info().events > archived {
            _ = try await convertingErrors { try await ownCheckpoint() }
            let end = try info().events
            while archived < end {
                let range = archived..<min(archived + events, end)
                let path = Archive.path(in: folder, log: log, range)
                try await export(
                    LogSelection(from: range.lowerBound, to: range.upperBound - 1), to: path,
                    progress: progress)
                written.append(path)
                archived = range.upperBound
            }
        }
        let end = archived
        let removed = try await LongWork.run(reporting: progress) { [self] work in
            try self.log.dropArchived(
                in: folder, upTo: end, keeping: kept, reportingTo: work, probe)
        }
        return ArchiveSummary(events: archived, segments: written, removed: removed)
    }

    private static func archived(
        in folder: String, of log: String
    ) throws(DaybookError) -> UInt64 {
        do {
            try Files.createDirectories(folder, mode: 0o700)
            return try Archive(Files.list(folder), in: folder, of: log).count
        } catch {
            throw DaybookError.from(error)
        }
    }
}

extension EventLog {
    /// Drops the events that an archive has before the last ones; returns how many it alone has.
    ///
    /// Leftovers of an earlier call that crashed are dropped too.
    fileprivate func dropArchived(
        in folder: String, upTo end: UInt64, keeping kept: UInt64?, reportingTo work: LongWork,
        _ probe: Probe?
    ) throws -> UInt64 {
        let (count, before) = try read { ($0.count, $0.archived?.count ?? 0) }
        guard let kept else { return before }
        let wanted = max(min(end, count - min(count, kept)), before)
        if wanted == 0 { return 0 }
        probe?("archived")
        try drop(wanted, archivedIn: Files.resolved(folder)) { try work.report($0, of: wanted) }
        probe?("dropped")
        return wanted
    }
}

/// The events of an archive, and those that were written now.
public struct ArchiveSummary: Codable, Hashable, Sendable {
    /// The number of the log's events in the archive.
    public let events: UInt64
    /// The paths of the segments that were written, in order.
    public let segments: [String]
    /// The number of the oldest events, which only the archive has.
    public let removed: UInt64

    /// A value for previews and tests.
    public init(events: UInt64, segments: [String], removed: UInt64 = 0) {
        self.events = events
        self.segments = segments
        self.removed = removed
    }
}
