import DaybookEncoding

/// Checks the sequence of an export's items, for readers and writers of both formats.
struct ExportChecker: ~Copyable {
    private(set) var header: ExportHeader?
    private(set) var trailer: ExportTrailer?
    /// The tree's head before the last item, if that is the event of a checkpoint.
    private(set) var checkpointed: TreeHead?
    /// Whether the items were checked before, and need not be hashed again.
    private let isProven: Bool
    private var tree = TreeFold()
    /// The number of positions so far.
    private var size: UInt64 = 0
    private var events: UInt64 = 0
    private var checkpoints: UInt64 = 0
    private var followsRun = false
    /// The size of the tree that the last checkpoint proves.
    private var provenSize: UInt64 = 0

    /// A checker of items that nobody has checked yet, or of the same ones again.
    init(isProven: Bool = false) { self.isProven = isProven }

    /// The last position that was checked.
    var lastGood: UInt64? { size == 0 ? nil : size - 1 }

    /// The last position that is certainly good when a fault was found.
    ///
    /// After a wrong root, that is the last checkpoint: any event or hash since may be wrong.
    func lastGood(before fault: ExportFault) -> UInt64? {
        guard case .otherTree = fault else { return lastGood }
        return provenSize == 0 ? nil : provenSize - 1
    }

    /// The trailer for the items that were checked.
    mutating func closing() -> ExportTrailer {
        ExportTrailer(
            events: events, checkpoints: checkpoints,
            head: TreeHead(size: size, root: tree.root()))
    }

    mutating func take(_ item: ExportItem) throws(ExportFault) {
        if case .header(let header) = item {
            if self.header != nil { throw .misplaced("header") }
            if header.logID.count != LogLimits.idBytes { throw .malformed("log") }
            self.header = header
            return
        }
        guard let header else { throw .misplaced("first item that is no header") }
        if trailer != nil { throw .trailingBytes }
        switch item {
        case .header: break
        case .event(let record, let bytes): try take(record, bytes, header)
        case .leftOut(let run): try take(run, header)
        case .checkpoint(let note): try take(note, header)
        case .trailer(let trailer): try take(trailer, header)
        }
        if case .leftOut = item { followsRun = true } else { followsRun = false }
    }

    private mutating func take(
        _ record: EventRecord, _ bytes: Bytes, _ header: ExportHeader
    ) throws(ExportFault) {
        if record.logID != header.logID { throw .otherLog }
        guard record.position == size, size < header.head.size else {
            throw .outOfOrder(expected: size, found: record.position)
        }
        guard header.selection.admits(record) else {
            throw .otherSelection(position: record.position)
        }
        if !isProven {
            checkpointed = record.isCheckpoint ? closing().head : nil
            tree.add(leaf: bytes)
        }
        size += 1
        events += 1
    }

    private mutating func take(_ run: LeftOut, _ header: ExportHeader) throws(ExportFault) {
        // A run has one encoding: only a checkpoint within it divides it.
        if followsRun { throw .misplaced("second run of positions in a row") }
        guard run.from == size else {
            throw .outOfOrder(expected: size, found: run.from)
        }
        guard run.to >= run.from, run.to < header.head.size else { throw .malformed("to") }
        let range = run.from..<(run.to + 1)
        let complete = header.selection.complete(below: header.head.size)
        if complete.overlaps(range) {
            throw .otherSelection(position: max(complete.lowerBound, range.lowerBound))
        }
        let heights = TreeFold.cover(range)
        guard heights.count == run.hashes.count else { throw .malformed("hashes") }
        size = run.to + 1
        if isProven { return }
        for (height, hash) in zip(heights, run.hashes) { tree.add(hash, height: height) }
    }

    private mutating func take(_ note: Bytes, _ header: ExportHeader) throws(ExportFault) {
        let checkpoint: Checkpoint
        do {
            checkpoint = try Checkpoint(text: try SignedNote(note).text)
        } catch {
            throw .badCheckpoint(error)
        }
        if checkpoint.origin != .ofLog(header.logID) { throw .otherLog }
        guard checkpoint.head.size == size else {
            throw .outOfOrder(expected: size, found: checkpoint.head.size)
        }
        if !isProven, checkpoint.head.root != tree.root() { throw .otherTree("checkpoint") }
        provenSize = size
        checkpoints += 1
    }

    private mutating func take(
        _ trailer: ExportTrailer, _ header: ExportHeader
    ) throws(ExportFault) {
        let counted = closing()
        if counted.head.size != header.head.size {
            throw .outOfOrder(expected: counted.head.size, found: header.head.size)
        }
        if !isProven {
            if counted.head.root != header.head.root { throw .otherTree("header") }
            if counted.head != trailer.head { throw .otherTree("trailer") }
        }
        if counted.events != trailer.events {
            throw .otherCount("events", found: trailer.events, counted: counted.events)
        }
        if counted.checkpoints != trailer.checkpoints {
            throw .otherCount(
                "checkpoints", found: trailer.checkpoints, counted: counted.checkpoints)
        }
        self.trailer = trailer
    }
}
