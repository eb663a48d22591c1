import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

extension Store {
    /// Writes the log, or a part of it, to a new file that only its owner may read.
    ///
    /// For example, a copy of the log, and the events of one request:
    ///
    ///     try await store.export(to: "/media/stick/log.daybook")
    ///     try await store.export(LogSelection(request: 12), to: "request.jsonl")
    ///
    /// The file's extension names the format unless `format` is given. The file gets its name when
    /// it is complete and durable; an existing file is replaced only if `replacing`. The export is
    /// the log at the start of the call, with the notes of its checkpoints, so that even a part can
    /// be verified with the log's public key. The same selection of the same log gives the same
    /// bytes on every machine.
    ///
    /// The store answers other calls meanwhile. `progress` gets the numbers of events that were
    /// read and of all. If the task is cancelled, nothing remains of the file.
    ///
    /// - Throws: `unknownFormat`, `fileExists`, `unknownPosition`, `invalidRange`,
    ///   `unknownRequest`, `unknownWallet`, `diskFull`, `permissionDenied`, `storeDamaged`,
    ///   `callCancelled`.
    @discardableResult
    public nonisolated func export(
        _ selection: LogSelection = LogSelection(), to path: String,
        as format: ExportFileFormat? = nil, replacing: Bool = false,
        progress: WorkProgress? = nil
    ) async throws(DaybookError) -> ExportSummary {
        guard let format = format ?? ExportFileFormat(extensionOf: path) else {
            let names = ExportFileFormat.allCases.map { $0.rawValue }.joined(separator: ", ")
            throw DaybookError(
                "unknownFormat", .usage,
                "the file's extension names no format; say one of \(names)")
        }
        return try await LongWork.run(reporting: progress) { [self] work in
            do {
                if !replacing, try Files.exists(path) {
                    throw SystemError(code: .fileExists, operation: "write", path: path)
                }
                let file = try NewFile(path, mode: 0o600)
                let summary = try write(selection, format, work, to: { try file.write($0) })
                probe?("exported")
                try file.complete(replacing: replacing)
                return summary
            } catch let error as SystemError where error.code == .fileExists {
                throw DaybookError("fileExists", .refused, "\(path) exists already")
            }
        }
    }

    /// Passes the log, or a part of it, to `output` in pieces, as `export(_:to:)` writes it.
    ///
    /// - Throws: what `export(_:to:)` throws, and `failed` with the text of what `output` throws.
    @discardableResult
    public nonisolated func export(
        _ selection: LogSelection = LogSelection(), as format: ExportFileFormat,
        progress: WorkProgress? = nil, output: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws(DaybookError) -> ExportSummary {
        try await LongWork.run(reporting: progress) { [self] work in
            try write(selection, format, work, to: output)
        }
    }

    private nonisolated func write(
        _ selection: LogSelection, _ format: ExportFileFormat, _ work: LongWork,
        to sink: @escaping (Bytes) throws -> Void
    ) throws -> ExportSummary {
        var selected = try SelectedEvents(selection, of: log, reportingTo: work)
        let head = selected.header.head
        let root = Hex.encode(head.root.bytes)
        let book: BookFormat? =
            switch format {
            case .daybook, .jsonl: nil
            case .csv: .csv
            case .hledger: .hledger
            case .ledger: .ledger
            case .beancount: .beancount
            }
        if let book {
            var export = BookExport(selection, to: sink)
            let (movements, bytes) = try export.write(
                book, of: log, size: head.size, reportingTo: work)
            return ExportSummary(events: movements, root: root, bytes: bytes)
        }
        let writer = ExportWriter(format == .jsonl ? .jsonl : .daybook, to: sink)
        var notes = CheckpointNotes(log, below: head.size)
        let export = LogExport(
            selected.header, cover: { range in try self.log.read { try $0.cover(range) } },
            checkpoints: { try notes.next() })
        let trailer = try export.write(to: writer) { try selected.next() }
        return ExportSummary(events: trailer.events, root: root, bytes: writer.bytes)
    }
}

/// Writes the wallets' books as a table or a journal, from the state after the last selected event.
struct BookExport {
    private let selection: LogSelection
    private let sink: (Bytes) throws -> Void
    private var buffer = Bytes()
    private var bytes: UInt64 = 0
    private var movements: UInt64 = 0

    private static let chunkBytes = 65_536

    init(_ selection: LogSelection, to sink: @escaping (Bytes) throws -> Void) {
        self.selection = selection
        self.sink = sink
    }

    /// Writes the movements of a log's first `size` events.
    mutating func write(
        _ format: BookFormat, of log: EventLog, size: UInt64, reportingTo work: LongWork
    ) throws -> (movements: UInt64, bytes: UInt64) {
        let end = min(selection.to.map { $0 + 1 } ?? size, size)
        let id = try log.read { $0.logID }
        try StateHistory.fold(log, upTo: end, reporting: { try work.report($0, of: $1) }) { state in
            if let damage = state.damage {
                throw LogError.damaged(position: nil, reason: "state: \(damage)")
            }
            var book = Book(format, state, log: id)
            try put(book.header())
            for movement in Books(of: state, wallet: selection.wallet) where shows(movement) {
                try work.check()
                movements += 1
                try put(book.text(movement))
            }
        }
        try flush()
        return (movements, bytes)
    }

    private func shows(_ movement: Movement) -> Bool {
        movement.position.number >= selection.from ?? 0
            && (selection.request.map { movement.request == $0 } ?? true)
    }

    private mutating func put(_ text: String) throws {
        buffer += text.utf8
        if buffer.count >= Self.chunkBytes { try flush() }
    }

    private mutating func flush() throws {
        bytes += UInt64(buffer.count)
        try sink(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Reads a log's events up to a position, page by page.
///
/// Each page is read in a separate snapshot, so that a long read does not keep writers from reusing
/// space; this is safe because events never change.
struct LogPages {
    private let log: EventLog
    private let end: UInt64
    private let work: LongWork?
    private var next: UInt64
    private var page: ArraySlice<Bytes> = []

    static let events = 1024
    static let bytes = 1 << 20

    /// The events from `start` to before `end`.
    ///
    /// The positions of the pages are reported as progress.
    init(
        _ log: EventLog, from start: UInt64 = 0, upTo end: UInt64,
        reportingTo work: LongWork? = nil
    ) {
        self.log = log
        self.end = end
        self.work = work
        next = start
    }

    /// The next event's bytes; nil after the last.
    mutating func read() throws -> Bytes? {
        if page.isEmpty {
            try work?.report(min(next, end), of: end)
            guard next < end else { return nil }
            let limit = Int(min(UInt64(Self.events), end - next))
            page = try log.read {
                try $0.bytes(from: next, limit: limit, byteLimit: Self.bytes)
            }[...]
            guard !page.isEmpty else {
                throw LogError.damaged(position: next, reason: "the event is missing")
            }
            next += UInt64(page.count)
        }
        return page.popFirst()
    }
}
