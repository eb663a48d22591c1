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
    init(_ file: FileReader, for log: EventLog) throws {
        let (count, logID) = try log.read { ($0.count, $0.logID) }
        let reader = try ExportReader { try file.next($0) }
        guard case .header(let header) = try reader.next() else {
            preconditionFailure("a reader refuses an export that does not begin with a header")
        }
        if count > 0, header.logID != logID { throw Self.otherLog }
        var comparison = LogComparison(log, count: count)
        var plan = StepPlan(from: count)
        var missing: UInt64?
        while let item = try reader.next() {
            switch item {
            case .event(let record, let bytes):
                try comparison.take(bytes, at: record.position)
                if record.position < count { continue }
                try Self.check(record)
                plan.take(bytes, at: record.position) { reader.head() }
            case .leftOut(let run):
                try comparison.take(run)
                if run.to >= count { missing = missing ?? max(run.from, count) }
            case .header, .checkpoint, .trailer: break
            }
        }
        if let difference = comparison.difference { throw Self.fork(difference) }
        if let missing {
            throw DaybookError(
                "exportPartial", .refused,
                "event \(missing) is neither in the export nor in the store", position: missing)
        }
        plan.end(with: header.head)
        self.header = header
        known = min(count, header.head.size)
        steps = plan.steps
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

/// Lays out in which steps events are appended: as many as fit a bound, with the tree after each.
private struct StepPlan {
    private(set) var steps: [TreeHead] = []
    private var events = 0
    private var bytes = 0
    private var end: UInt64

    init(from start: UInt64) {
        end = start
    }

    mutating func take(_ event: Bytes, at position: UInt64, head: () -> TreeHead) {
        events += 1
        bytes += event.count
        end = position + 1
        guard events == LogPages.events || bytes >= LogPages.bytes else { return }
        steps.append(head())
        events = 0
        bytes = 0
    }

    /// The last step has what is left.
    mutating func end(with head: TreeHead) {
        if events > 0 { steps.append(head) }
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
