import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

/// A verified export whose events continue a log, because they were decided again after it.
struct ProvenExport {
    let header: ExportHeader
    /// The number of its events that the log already has.
    let known: UInt64
    /// The tree heads after each step in which the rest will be appended.
    let steps: [TreeHead]
    /// The number of events of unknown types or versions, which were not decided.
    let notChecked: UInt64

    /// Reads a whole export without changing anything; throws if it does not continue the log.
    ///
    /// This thread compares and decides some events while another one reads those after them. A
    /// damaged file is named as such, whatever its events say: refusals wait for its end.
    init(
        for log: EventLog, _ snapshot: LogSnapshot, _ rules: ImportRules,
        _ batches: sending ExportBatches
    ) throws {
        let known = snapshot.count
        var proof = Proof(log, snapshot, rules)
        try Lookahead.each(of: (batches, RecordReader()), { source in
            try source.0.next().map { ReadBatch($0, from: known, by: &source.1) }
        }) { try proof.take($0) }
        self = try proof.finish()
    }

    /// Items of an export, with those of its events that the log lacks.
    private struct ReadBatch: Sendable {
        let batch: ExportBatches.Batch
        let events: [ReadRecord]

        init(_ batch: ExportBatches.Batch, from known: UInt64, by reader: inout RecordReader) {
            self.batch = batch
            var events: [ReadRecord] = []
            for case .event(let record, _) in batch.items where record.position >= known {
                let head = batch.checkpointed[record.position]
                events.append(reader.read(DecodedRecord(record), after: head))
            }
            self.events = events
        }
    }

    /// The state of the verification while the file is read.
    private struct Proof {
        let snapshot: LogSnapshot
        let rules: ImportRules
        var comparison: LogComparison
        var header: ExportHeader?
        var missing: UInt64?
        var steps: [TreeHead] = []
        /// The first event too far in the future, unless the clock was set back after it.
        var ahead: UInt64?
        var deciding: DecidingAgain?
        /// Why the events are refused; nothing is decided after that.
        var refusal: (any Error)?

        init(_ log: EventLog, _ snapshot: LogSnapshot, _ rules: ImportRules) {
            self.snapshot = snapshot
            self.rules = rules
            comparison = LogComparison(log, count: snapshot.count)
        }

        mutating func take(_ read: ReadBatch) throws {
            let (batch, count) = (read.batch, snapshot.count)
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
            guard let header else { return }
            try rules.work.report(.decide, batch.head.size, of: header)
            guard refusal == nil, missing == nil, comparison.difference == nil else { return }
            do {
                try decide(read.events, of: header)
            } catch {
                refusal = error
            }
        }

        private mutating func decide(_ events: [ReadRecord], of header: ExportHeader) throws {
            if events.isEmpty { return }
            // Taken out, so that it is changed in place and not copied.
            var deciding = try self.deciding.take()
                ?? DecidingAgain(
                    rules, after: snapshot, events: header.head.size - snapshot.count)
            for event in events { try deciding.take(event) }
            self.deciding = deciding
        }

        private mutating func checkTime(of record: EventRecord) {
            if record.time <= rules.latest {
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
            if let refusal { throw refusal }
            try deciding?.finish()
            if let ahead {
                throw DaybookError(
                    "importFromFuture", .refused,
                    "from event \(ahead) on the log's times are more than a day ahead of this "
                        + "machine's clock", position: Position(ahead))
            }
            return ProvenExport(
                header: header, known: min(snapshot.count, header.head.size), steps: steps,
                notChecked: deciding?.notChecked ?? 0)
        }
    }

    private init(header: ExportHeader, known: UInt64, steps: [TreeHead], notChecked: UInt64) {
        self.header = header
        self.known = known
        self.steps = steps
        self.notChecked = notChecked
    }

    static let otherLog = DaybookError(
        "otherLog", .refused, "the export is of another log, and the store has events of its own")

    static func fork(at position: UInt64) -> DaybookError { fork(position..<(position + 1)) }

    /// The error for an export and a store that differ from one of these events on.
    ///
    /// If the export leaves the events out, it does not say which one.
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

/// Compares an export with a log, event by event.
private struct LogComparison {
    private let log: EventLog
    private let count: UInt64
    private var pages: LogPages
    /// The next position that `pages` reads.
    private var next: UInt64 = 0
    /// The first position that differs, or the first range of left-out events that does.
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

    /// Compares left-out events by the subtrees over them.
    ///
    /// A subtree that extends beyond the log's end can't be compared.
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

/// Reads an export in batches, each of which an import appends in one transaction.
struct ExportBatches {
    private let reader: ExportReader
    /// The first item of the next batch, if it was already read.
    private var held: ExportItem?

    /// The limits of a batch, large enough that commits cost little.
    private static let events = 4096
    private static let bytes = 1 << 20
    /// The outcomes of one input may exceed a batch's limits by this factor.
    private static let overfullFactor = 32

    /// The next items of an export, and the tree head after them.
    struct Batch: Sendable {
        var items: [ExportItem] = []
        /// The heads of the tree before the events of checkpoints, by their positions.
        var checkpointed: [UInt64: TreeHead] = [:]
        var head = TreeHead(size: 0, root: .ofEmptyTree)
    }

    init(_ reader: sending ExportReader) {
        self.reader = reader
    }

    /// The next items; nil after the trailer.
    ///
    /// A full batch still takes the outcomes of its last input, and the signatures of a decision,
    /// so that an interrupted import leaves a log that replays. Only a forged file has too many of
    /// them, and is refused by the proof.
    mutating func next() throws -> Batch? {
        var batch = Batch()
        var events = 0
        var bytes = 0
        while true {
            let isFull = events >= Self.events || bytes >= Self.bytes
            let isOverfull = events >= Self.overfullFactor * Self.events
                || bytes >= Self.overfullFactor * Self.bytes
            // Must be read before the next item, which adds a leaf to the reader's tree.
            if isFull { batch.head = reader.head() }
            guard let item = try held ?? reader.next() else { break }
            if isFull, isOverfull || Self.isBeginning(item) {
                held = item
                return batch
            }
            held = nil
            batch.items.append(item)
            switch item {
            case .event(let record, let event):
                if let head = reader.checkpointed { batch.checkpointed[record.position] = head }
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

    /// Whether an item is an input that begins a new commit.
    private static func isBeginning(_ item: ExportItem) -> Bool {
        guard case .event(let record, _) = item, record.cause == nil else { return false }
        return !Text.equal(record.type, SignatureMade.type)
            && !Text.equal(record.type, SignatureFailed.type)
    }
}

/// The notes of a log's recorded checkpoints below a size, in order, with their cosignatures.
///
/// Invalid notes are skipped: those that can't be read, do not match the events before them, or are
/// not signed by the key in their event. An audit reports them, but the log can be exported.
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

    /// The next note and the number of events that it signs; nil after the last.
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
            data.isSigned(of: try log.head(at: position), ofLog: log.logID),
            let note = try? SignedNote(data.note)
        else { return nil }
        return note.adding(try cosignatures(of: note, at: position, log)).bytes
    }

    /// The signature lines of the witnesses that have cosigned a checkpoint, as far as recorded.
    private static func cosignatures(
        of note: SignedNote, at position: UInt64, _ log: LogSnapshot
    ) throws -> [NoteSignature] {
        // They follow the checkpoint, but for one that was made while a witness was slow.
        try log.positions(ofStream: StreamName.cosignatures, after: position, limit: mostLines)
            .compactMap { place in
                guard let event = try log.record(at: place)?.event(),
                    case .checkpointCosigned(let data) = event.payload,
                    data.checkpoint.number == position,
                    let key = try? WitnessKey(data.key), let made = Cosignature(data.line),
                    key.verifies(made, of: note.text)
                else { return nil }
                return key.signature(made)
            }
    }

    private static let mostLines = 64
}
