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

/// Reads an export, checked, as much at a time as an import appends in one transaction.
struct ExportBatches {
    private let reader: ExportReader
    /// An item that was read and begins the next batch.
    private var held: ExportItem?

    /// So many events have a mebibyte as a rule: a commit then costs little of what they do.
    private static let events = 4096
    private static let bytes = 1 << 20
    /// So many batches' worth the outcomes of one input have at most.
    private static let most = 32

    /// A beginning of what is left of an export, and the tree over all up to its end.
    struct Batch: Sendable {
        var items: [ExportItem] = []
        var head = TreeHead(size: 0, root: .ofEmptyTree)
    }

    init(_ file: FileReader) throws {
        reader = try ExportReader { try file.next($0) }
    }

    /// The next items; nil after the trailer.
    ///
    /// A full batch still takes the outcomes of its last input, and of a decision its signatures,
    /// so that an import that is cut off leaves a log which replays. Only in a file that is not of
    /// this program's making there are too many of them, and its proof finds what is wrong.
    mutating func next() throws -> Batch? {
        var batch = Batch()
        var events = 0
        var bytes = 0
        while true {
            let isFull = events >= Self.events || bytes >= Self.bytes
            let isOverfull = events >= Self.most * Self.events || bytes >= Self.most * Self.bytes
            // Once the next item is read, the reader's tree has its leaf.
            if isFull { batch.head = reader.head() }
            guard let item = try held ?? reader.next() else { break }
            if isFull, isOverfull || Self.isBeginning(item) {
                held = item
                return batch
            }
            held = nil
            batch.items.append(item)
            switch item {
            case .event(_, let event):
                events += 1
                bytes += event.count
            case .leftOut(let run): bytes += run.hashes.count * TreeHash.length
            case .checkpoint(let note): bytes += note.count
            case .header, .trailer: break
            }
        }
        if batch.items.isEmpty { return nil }
        batch.head = reader.head()
        return batch
    }

    /// Whether an item is the input of another commit than what came before it.
    private static func isBeginning(_ item: ExportItem) -> Bool {
        guard case .event(let record, _) = item, record.cause == nil else { return false }
        return !Text.equal(record.type, SignatureMade.type)
            && !Text.equal(record.type, SignatureFailed.type)
    }
}

/// The notes of the checkpoints that a log recorded below a size, in order.
///
/// A note that does not hold, because it is not of the events before it or not signed by the key
/// that its event names, is none, nor is one that can't be read: an audit finds it in the event,
/// and a part of the log that does without the event can be exported all the same.
struct CheckpointNotes {
    private let log: EventLog
    private let end: UInt64
    private var last: UInt64?
    private var page: ArraySlice<UInt64> = []

    private static let limit = 256

    init(_ log: EventLog, below end: UInt64) {
        self.log = log
        self.end = end
    }

    /// The next note and how many events it signs; nil after the last.
    mutating func next() throws -> (size: UInt64, note: Bytes)? {
        while true {
            if page.isEmpty {
                page = try log.read {
                    try $0.positions(
                        ofStream: StreamName.checkpoints, after: last, limit: Self.limit)
                }[...]
            }
            guard let position = page.popFirst(), position < end else { return nil }
            last = position
            if let note = try log.read({ try Self.note(at: position, $0) }) {
                return (position, note)
            }
        }
    }

    private static func note(at position: UInt64, _ log: LogSnapshot) throws -> Bytes? {
        guard let bytes = try log.bytes(at: position),
            let record = try? EventRecord.decode(bytes),
            let payload = try? record.event()?.payload,
            case .checkpointMade(let data) = payload,
            data.isSigned(of: try log.head(at: position), ofLog: log.logID)
        else { return nil }
        return data.note
    }
}
