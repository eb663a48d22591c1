package import DaybookEncoding

/// An export of a part of a log: the selected events, and hashes for the rest.
package struct LogExport {
    private let header: ExportHeader
    private let cover: (Range<UInt64>) throws -> [TreeHash]
    private let checkpoints: () throws -> Checkpoint?

    /// A note and the size of its tree.
    package typealias Checkpoint = (size: UInt64, note: Bytes)

    /// An export of the log as of the header's head.
    ///
    /// `cover` returns the hashes of the fewest whole subtrees that cover a range, as
    /// `TreeReader.cover` does. `checkpoints` returns the next checkpoint up to the header's size,
    /// the smallest first, then nil.
    package init(
        _ header: ExportHeader, cover: @escaping (Range<UInt64>) throws -> [TreeHash],
        checkpoints: @escaping () throws -> Checkpoint? = { nil }
    ) {
        self.header = header
        self.cover = cover
        self.checkpoints = checkpoints
    }

    /// Writes the export; `events` returns the next selected event, then nil.
    package func write(
        to writer: ExportWriter, events: () throws -> Bytes?
    ) throws -> ExportTrailer {
        try writer.write(.header(header))
        var next: UInt64 = 0
        var checkpoint = try checkpoints()
        while let bytes = try events() {
            let item = try ExportItem.event(bytes)
            guard case .event(let record, _) = item else { continue }
            try leaveOut(from: &next, upTo: record.position, &checkpoint, writer)
            try writer.write(item)
            next = record.position + 1
        }
        try leaveOut(from: &next, upTo: header.head.size, &checkpoint, writer)
        return try writer.finish()
    }

    /// Writes the hashes of the positions before `end`, and the checkpoints up to there.
    private func leaveOut(
        from next: inout UInt64, upTo end: UInt64, _ checkpoint: inout Checkpoint?,
        _ writer: ExportWriter
    ) throws {
        while true {
            while let found = checkpoint, found.size == next {
                try writer.write(.checkpoint(found.note))
                checkpoint = try checkpoints()
            }
            guard next < end else { return }
            let stop = min(end, checkpoint?.size ?? end)
            let run = LeftOut(from: next, to: stop - 1, hashes: try cover(next..<stop))
            try writer.write(.leftOut(run))
            next = stop
        }
    }
}

/// Writes an export and checks every item as a reader would.
package final class ExportWriter {
    private let encoder: any ExportEncoder
    private let sink: ByteSink
    private var checker = ExportChecker()
    private var buffer = Bytes()
    /// How many bytes the export has so far.
    package private(set) var bytes: UInt64 = 0

    /// A writer in a format, into a sink.
    package init(_ format: ExportFormat, to sink: @escaping ByteSink) {
        encoder = format == .daybook ? FrameEncoder() : LineEncoder()
        self.sink = sink
    }

    /// Writes the next item.
    ///
    /// - Throws: an `ExportFault` if a reader would refuse it, or an error of the sink.
    package func write(_ item: ExportItem) throws {
        try checker.take(item)
        let spelled = encoder.encode(item)
        bytes += UInt64(spelled.count)
        buffer += spelled
        if buffer.count >= ExportLimits.chunkBytes || checker.trailer != nil {
            try sink(buffer)
            buffer.removeAll(keepingCapacity: true)
        }
    }

    /// Writes the trailer and returns it.
    package func finish() throws -> ExportTrailer {
        let trailer = checker.closing()
        try write(.trailer(trailer))
        return trailer
    }

    /// Writes all items of a reader in this writer's format.
    package func copy(_ reader: ExportReader) throws {
        while let item = try reader.next() { try write(item) }
    }
}
