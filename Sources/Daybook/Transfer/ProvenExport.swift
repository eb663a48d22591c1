import DaybookDomain
import DaybookEncoding
import DaybookExport
import DaybookLog
import DaybookReplay
import DaybookSystem
import DaybookTree

/// An export that was read to its end and found whole, and how it stands to a log.
struct ProvenExport {
    let header: ExportHeader
    /// How many of its events the log has already: all before the first step.
    let known: UInt64
    /// The tree after each step in which the rest is to be appended.
    let steps: [TreeHead]

    /// Reads all of a file and changes nothing; throws where the log can't become what it says.
    init(_ batches: sending ExportBatches, for log: EventLog) throws {
        let count = try log.read { $0.count }
        var comparison = LogComparison(log, count: count)
        var found: ExportHeader?
        var missing: UInt64?
        var steps: [TreeHead] = []
        try Ahead.each(of: batches, { try $0.next() }) { batch in
            for item in batch.items {
                switch item {
                case .header(let header):
                    if count > 0, try header.logID != log.id { throw Self.otherLog }
                    found = header
                case .event(let record, let bytes):
                    try comparison.take(bytes, at: record.position)
                    if record.position >= count { try Self.check(record) }
                case .leftOut(let run):
                    try comparison.take(run)
                    if run.to >= count { missing = missing ?? max(run.from, count) }
                case .checkpoint, .trailer: break
                }
            }
            if batch.head.size > max(count, steps.last?.size ?? 0) { steps.append(batch.head) }
        }
        guard let header = found else {
            preconditionFailure("a reader refuses an export that does not begin with a header")
        }
        if let difference = comparison.difference { throw Self.fork(difference) }
        if let missing {
            throw DaybookError(
                "exportPartial", .refused,
                "event \(missing) is neither in the export nor in the store", position: missing)
        }
        self.header = header
        known = min(count, header.head.size)
        self.steps = steps
    }

    static let otherLog = DaybookError(
        "otherLog", .refused, "the export is of another log, and the store has events of its own")

    static func fork(at position: UInt64) -> DaybookError { fork(position..<(position + 1)) }

    /// The export and the store part at one of these events: at which, an event that is left out
    /// does not say.
    private static func fork(_ range: Range<UInt64>) -> DaybookError {
        let first = range.lowerBound
        let place =
            range.count == 1
            ? "from event \(first) on"
            : "from an event on that the export leaves out, \(first) to \(range.upperBound - 1); "
                + "an export of these events names it"
        return DaybookError(
            "fork", .refused, "the export and the store tell different stories \(place)",
            position: first)
    }

    /// An event of a known type that says nothing readable could not be taken in.
    private static func check(_ record: EventRecord) throws {
        do {
            _ = try Recording.event(record)
        } catch {
            throw DaybookError(
                "eventInvalid", .refused, "event \(record.position): \(error)",
                position: record.position)
        }
    }
}

/// Compares what an export holds with what a log has at the same positions.
private struct LogComparison {
    private let log: EventLog
    private let count: UInt64
    private var pages: LogPages
    /// The position that `pages` hands out next.
    private var next: UInt64 = 0
    /// The first position that differs, or of those that were left out the first that may.
    private(set) var difference: Range<UInt64>?

    init(_ log: EventLog, count: UInt64) {
        self.log = log
        self.count = count
        pages = LogPages(log, upTo: count)
    }

    mutating func take(_ bytes: Bytes, at position: UInt64) throws {
        guard difference == nil, position < count else { return }
        if position != next { pages = LogPages(log, from: position, upTo: count) }
        next = position + 1
        if try pages.read() != bytes { difference = position..<(position + 1) }
    }

    /// Of events that were left out only the subtrees over them can differ. One that reaches beyond
    /// the log's end can't be compared.
    mutating func take(_ run: LeftOut) throws {
        guard difference == nil else { return }
        var first = run.from
        for (height, hash) in zip(TreeFold.cover(run.from..<(run.to + 1)), run.hashes) {
            let end = first + (1 << UInt64(height))
            if end > count { return }
            if try log.read({ try $0.cover(first..<end) }) != [hash] {
                difference = first..<end
                return
            }
            first = end
        }
    }
}
