import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

/// An export that was read to its end and found whole, and how it stands to a log.
struct ProvenExport {
    let header: ExportHeader
    /// How many of its events the log has already: all before the first step.
    let known: UInt64
    /// The tree after each step in which the rest is to be appended.
    let steps: [TreeHead]
    /// The first event from which on the log's times are too far ahead.
    let ahead: UInt64?

    /// Reads all of a file and changes nothing; throws where the log can't become what it says.
    init(
        for log: EventLog, _ snapshot: LogSnapshot, _ rules: ImportRules,
        _ batches: sending ExportBatches
    ) throws {
        var proof = Proof(log, snapshot, latest: rules.latest)
        try Ahead.each(of: batches, { try $0.next() }) { try proof.take($0) }
        self = try proof.finish()
    }

    /// What is known while the file is read.
    private struct Proof {
        let snapshot: LogSnapshot
        let latest: UInt64
        var comparison: LogComparison
        var header: ExportHeader?
        var missing: UInt64?
        var steps: [TreeHead] = []
        /// The first event that is too far ahead, unless the clock was set back after it.
        var ahead: UInt64?

        init(_ log: EventLog, _ snapshot: LogSnapshot, latest: UInt64) {
            self.snapshot = snapshot
            self.latest = latest
            comparison = LogComparison(log, count: snapshot.count)
        }

        mutating func take(_ batch: ExportBatches.Batch) throws {
            let count = snapshot.count
            for item in batch.items {
                switch item {
                case .header(let header):
                    if count > 0, header.logID != snapshot.logID { throw ProvenExport.otherLog }
                    self.header = header
                case .event(let record, let bytes):
                    try comparison.take(bytes, at: record.position)
                    if record.position >= count { checkTime(of: record) }
                case .leftOut(let run):
                    try comparison.take(run)
                    if run.to >= count { missing = missing ?? max(run.from, count) }
                case .checkpoint, .trailer: break
                }
            }
            if batch.head.size > max(count, steps.last?.size ?? 0) { steps.append(batch.head) }
        }

        private mutating func checkTime(of record: EventRecord) {
            if record.time <= latest {
                ahead = nil
            } else if ahead == nil {
                ahead = record.position
            }
        }

        consuming func finish() throws -> ProvenExport {
            guard let header else {
                preconditionFailure(
                    "a reader refuses an export that does not begin with a header")
            }
            if let difference = comparison.difference { throw ProvenExport.fork(difference) }
            if let missing {
                throw DaybookError(
                    "exportPartial", .refused,
                    "event \(missing) is neither in the export nor in the store",
                    position: Position(missing))
            }
            return ProvenExport(
                header: header, known: min(snapshot.count, header.head.size), steps: steps,
                ahead: ahead)
        }
    }

    private init(header: ExportHeader, known: UInt64, steps: [TreeHead], ahead: UInt64?) {
        self.header = header
        self.known = known
        self.steps = steps
        self.ahead = ahead
    }

    static let otherLog = DaybookError(
        "otherLog", .refused, "the export is of another log, and the store has events of its own")

    static func fork(at position: UInt64) -> DaybookError { fork(position..<(position + 1)) }

    /// The export and the store part at one of these events: at which, an event that is left out
    /// does not say.
    fileprivate static func fork(_ range: Range<UInt64>) -> DaybookError {
        let first = range.lowerBound
        let place =
            range.count == 1
            ? "from event \(first) on"
            : "from an event on that the export leaves out, \(first) to \(range.upperBound - 1); "
                + "an export of these events names it"
        return DaybookError(
            "fork", .refused, "the export and the store tell different stories \(place)",
            position: Position(first))
    }
    static let changed = DaybookError(
        "exportChanged", .refused, "the file changed while it was read; import it again")
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
