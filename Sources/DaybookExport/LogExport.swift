package import DaybookEncoding
import DaybookLog
package import DaybookTree

/// Puts an export of a part of a log together: events as asked for, hashes for the rest.
package struct LogExport {
    private let header: ExportHeader
    private let cover: (Range<UInt64>) throws -> [TreeHash]
    /// Notes in the order of their trees' sizes.
    private let checkpoints: [(size: UInt64, note: Bytes)]

    /// An export of the log as it was when its tree had the header's head.
    ///
    /// `cover` hands out the hashes of the fewest whole subtrees over a range, as
    /// `TreeReader.cover` does. Checkpoints of larger trees are left away.
    package init(
        _ header: ExportHeader, cover: @escaping (Range<UInt64>) throws -> [TreeHash],
        checkpoints: [(size: UInt64, note: Bytes)] = []
    ) {
        self.header = header
        self.cover = cover
        self.checkpoints = checkpoints.filter { $0.size <= header.head.size }
            .sorted { $0.size < $1.size }
    }

    /// Writes everything; `events` hands out the selection's events in order, then nil.
    package func write(
        to writer: ExportWriter, events: () throws -> Bytes?
    ) throws -> ExportTrailer {
        try writer.write(.header(header))
        var next: UInt64 = 0
        var notes = checkpoints[...]
        while let bytes = try events() {
            let item = try ExportItem.event(bytes)
            guard case .event(let record, _) = item else { continue }
            try leaveOut(from: &next, upTo: record.position, &notes, writer)
            try writer.write(item)
            next = record.position + 1
        }
        try leaveOut(from: &next, upTo: header.head.size, &notes, writer)
        return try writer.finish()
    }

    /// Writes what stands for the positions before `end`, and the checkpoints up to there.
    private func leaveOut(
        from next: inout UInt64, upTo end: UInt64,
        _ notes: inout ArraySlice<(size: UInt64, note: Bytes)>, _ writer: ExportWriter
    ) throws {
        while true {
            while let first = notes.first, first.size == next {
                try writer.write(.checkpoint(first.note))
                notes.removeFirst()
            }
            guard next < end else { return }
            let stop = min(end, notes.first?.size ?? end)
            let run = LeftOut(from: next, to: stop - 1, hashes: try cover(next..<stop))
            try writer.write(.leftOut(run))
            next = stop
        }
    }
}
