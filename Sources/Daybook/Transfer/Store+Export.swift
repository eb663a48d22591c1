import DaybookEncoding
import DaybookLog
import DaybookSystem

extension Store {
    /// Writes the log, or a part of it, to a new file that only its owner may read.
    ///
    /// For example, a copy to keep, and what one request came to:
    ///
    ///     try await store.export(to: "/media/stick/log.daybook")
    ///     try await store.export(LogSelection(request: 12), to: "request.jsonl")
    ///
    /// The file's extension names the format unless `format` does. The file gets its name when it
    /// is complete and durable; what lies there already is replaced only if `replacing` says so.
    /// All of it is the log as it was when the call began, whoever writes meanwhile, with the notes
    /// of its checkpoints, so that a part is proven to whoever has the log's public key. The same
    /// selection of the same log gives the same bytes, on every machine.
    ///
    /// - Throws: `unknownFormat`, `fileExists`, `unknownPosition`, `invalidRange`,
    ///   `unknownRequest`, `unknownWallet`, `diskFull`, `permissionDenied`, `storeDamaged`.
    @discardableResult
    public func export(
        _ selection: LogSelection = LogSelection(), to path: String,
        as format: ExportFileFormat? = nil, replacing: Bool = false
    ) throws -> ExportSummary {
        guard let format = format ?? ExportFileFormat(extensionOf: path) else {
            let names = ExportFileFormat.allCases.map { $0.rawValue }.joined(separator: ", ")
            throw DaybookError(
                "unknownFormat", .usage,
                "the file's extension names no format; say one of \(names)")
        }
        return try facing {
            do {
                if !replacing, try Files.exists(path) {
                    throw SystemError(code: .fileExists, operation: "write", path: path)
                }
                let file = try NewFile(path, mode: 0o600)
                let summary = try write(selection, format) { try file.write($0) }
                probe?("exported")
                try file.complete(replacing: replacing)
                return summary
            } catch let error as SystemError where error.code == .fileExists {
                throw DaybookError("fileExists", .refused, "\(path) exists already")
            }
        }
    }

    /// Hands the log, or a part of it, to `output` piece by piece, as `export(_:to:)` writes it.
    ///
    /// - Throws: what `export(_:to:)` throws, and what `output` throws.
    @discardableResult
    public func export(
        _ selection: LogSelection = LogSelection(), as format: ExportFileFormat,
        output: @escaping ([UInt8]) throws -> Void
    ) throws -> ExportSummary {
        try facing { try write(selection, format, output) }
    }

    private func write(
        _ selection: LogSelection, _ format: ExportFileFormat,
        _ sink: @escaping (Bytes) throws -> Void
    ) throws -> ExportSummary {
        let log = journal.log
        var selected = try SelectedEvents(selection, of: log)
        let head = selected.header.head
        let root = Hex.encode(head.root.bytes)
        guard let itemFormat = ExportFormat(rawValue: format.rawValue) else {
            var book = BookExport(selection, to: sink)
            let (events, bytes) = try book.write(format, of: log, size: head.size)
            return ExportSummary(events: events, root: root, bytes: bytes)
        }
        let writer = ExportWriter(itemFormat, to: sink)
        var notes = CheckpointNotes(log, below: head.size)
        let export = LogExport(
            selected.header, cover: { range in try log.read { try $0.cover(range) } },
            checkpoints: { try notes.next() })
        let trailer = try export.write(to: writer) { try selected.next() }
        return ExportSummary(events: trailer.events, root: root, bytes: writer.bytes)
    }
}
