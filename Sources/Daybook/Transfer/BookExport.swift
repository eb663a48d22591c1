import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay

/// Writes the book as a table or a journal.
///
/// What a selection leaves out is read all the same: amounts follow from everything before.
struct BookExport {
    private let selection: LogSelection
    private let sink: (Bytes) throws -> Void
    private var buffer = Bytes()
    private var bytes: UInt64 = 0
    private var events: UInt64 = 0

    private static let chunkBytes = 65_536

    init(_ selection: LogSelection, to sink: @escaping (Bytes) throws -> Void) {
        self.selection = selection
        self.sink = sink
    }

    /// Writes what the log as it was with so many events says of the book.
    mutating func write(
        _ format: ExportFileFormat, of log: EventLog, size: UInt64
    ) throws -> (events: UInt64, bytes: UInt64) {
        var pages = LogPages(log, upTo: min(selection.to.map { $0 + 1 } ?? size, size))
        var keeper = Bookkeeper()
        var journal = HledgerJournal(assertingBalances: selection.isBeginning)
        try put(format == .csv ? CSVStatement.header : HledgerJournal.preamble)
        while let bytes = try pages.read() {
            guard let event = try Recording.event(try EventRecord.decode(bytes)),
                let entry = keeper.take(event), entry.position.number >= selection.from ?? 0
            else { continue }
            let text =
                format == .csv
                ? CSVStatement.lines(entry) { shows($0, of: entry) }
                : shows(entry) ? journal.text(entry) : ""
            if text.isEmpty { continue }
            events += 1
            try put(text)
        }
        if let damage = keeper.state.damage {
            throw LogError.damaged(position: nil, reason: "state: \(damage)")
        }
        try flush()
        return (events, bytes)
    }

    private func shows(_ movement: BookEntry.Movement, of entry: BookEntry) -> Bool {
        if let wallet = selection.wallet, movement.wallet != wallet { return false }
        guard let request = selection.request else { return true }
        return entry.request == request || movement.request == request
    }

    /// A transaction is shown whole, so that it balances.
    private func shows(_ entry: BookEntry) -> Bool {
        if let wallet = selection.wallet {
            let moves = entry.postings.contains { posting in
                if case .wallet(let id, _) = posting.account { id == wallet } else { false }
            }
            if !moves { return false }
        }
        guard let request = selection.request else { return true }
        return entry.request == request || entry.movements.contains { $0.request == request }
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
