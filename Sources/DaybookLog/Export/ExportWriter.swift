import DaybookEncoding

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
