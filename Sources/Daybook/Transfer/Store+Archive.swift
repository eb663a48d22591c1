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
    /// - Throws: `archiveDamaged`, what `checkpoint` and `export(_:to:)` throw.
    @discardableResult
    public func archive(
        to folder: String, segmentsOf events: UInt64 = 100_000, progress: WorkProgress? = nil
    ) async throws(DaybookError) -> ArchiveSummary {
        guard events > 0 else {
            throw DaybookError("invalidRange", .usage, "a segment has one event at least")
        }
        let log = try logID
        var archived = try Self.archived(in: folder, of: log)
        var written: [String] = []
        if try info().events > archived {
            _ = try await checkpoint()
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
        return ArchiveSummary(events: archived, segments: written)
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

/// What an archive has, and what was written into it.
public struct ArchiveSummary: Codable, Hashable, Sendable {
    /// The number of the log's events in the archive.
    public let events: UInt64
    /// The paths of the segments that were written, in order.
    public let segments: [String]

    /// A value for previews and tests.
    public init(events: UInt64, segments: [String]) {
        self.events = events
        self.segments = segments
    }
}
