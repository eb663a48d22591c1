import DaybookCommands
import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookPostgres
import DaybookReplay
import DaybookSystem

/// The audited log: a store's folder, its `log` alone, its address, an export or an archive.
struct Source: Sendable {
    private enum Place: Sendable {
        case log(EventLog)
        /// A verified export of a log or of a part of it, or an archive.
        case export(ExportFile)
    }

    let logID: Bytes
    /// The number of events when the audit began; later events are not audited.
    let count: UInt64
    /// Whether the export leaves events out, so that nothing can be decided again.
    let isPart: Bool
    private let place: Place

    /// The number of events that are read at a time, to limit memory.
    private static let batch = 1024
    /// The number of events between two looks at the clock for the progress.
    private static let progressStep: UInt64 = 256

    init(_ path: String, allowingPart: Bool = false) throws {
        if let file = try ExportFile(path) {
            let (header, trailer) = try Self.verified(file)
            isPart = trailer.events != header.head.size
            if isPart, !allowingPart {
                throw CommandFailure(
                    "partialExport", .refused,
                    "the export is good, but has only \(trailer.events) of the log's "
                        + "\(header.head.size) events: nothing follows from a part of them")
            }
            logID = header.logID
            count = trailer.events
            place = .export(file)
        } else {
            let found = try LogLocation(named: path)
            let log = try found.openReading()
            logID = try log.read { $0.logID }
            count = try log.read { $0.count }
            isPart = false
            place = .log(log)
        }
    }

    /// Reads and checks a whole export.
    private static func verified(
        _ file: ExportFile
    ) throws -> (header: ExportHeader, trailer: ExportTrailer) {
        defer { ProgressLine.clear() }
        var done: UInt64 = 0
        return try file.reader { piece in
            done += UInt64(piece)
            // How many events come is known at the end.
            ProgressLine.count("reading", min(done, file.bytes), of: file.bytes, unit: "bytes")
        }.verifyRest()
    }

    /// Shows how many events are done; not at each, because that asks for the time.
    private func show(_ what: TerminalText, _ done: UInt64, of all: UInt64) {
        if done % Self.progressStep == 0 || done == all {
            ProgressLine.count(what, done, of: all)
        }
    }

    /// Returns an iterator over the events from a position on, which ends with nil.
    ///
    /// A log is read page by page, so that writers do not wait and can reuse space.
    func events(from start: UInt64 = 0) throws -> sending () throws -> EventRecord? {
        switch place {
        case .export(let file):
            let reader = try file.reader()
            return {
                while let item = try reader.next() {
                    if case .event(let record, _) = item, record.position >= start {
                        return record
                    }
                }
                return nil
            }
        case .log(let log):
            var next = start
            var page: ArraySlice<EventRecord> = []
            return {
                if page.isEmpty, next < count {
                    let limit = Int(min(UInt64(Self.batch), count - next))
                    page = try log.records(from: next, limit: limit)[...]
                    next += UInt64(page.count)
                    if page.isEmpty { throw Self.missing(next) }
                }
                return page.popFirst()
            }
        }
    }

    /// Calls `body` with the events up to a position, in order, or all of them.
    func each(through last: UInt64? = nil, _ body: (EventRecord) throws -> Void) throws {
        defer { ProgressLine.clear() }
        let end = min(count, last.map { $0 + 1 } ?? count)
        let next = try events()
        while let record = try next(), record.position < end {
            try body(record)
            show("reading", record.position + 1, of: end)
        }
    }

    /// Passes a whole log to a verifier: an export's notes, a store's tree, and the events.
    ///
    /// Events that an earlier audit has taken are not passed again.
    /// An export has no tree rows: its events were verified by its own hashes.
    func feed(_ verifier: inout LogVerifier) throws {
        defer { ProgressLine.clear() }
        switch place {
        case .export(let file):
            let reader = try file.reader()
            let start = verifier.events
            var next: UInt64 = 0
            while let item = try reader.next() {
                switch item {
                case .event(let record, let bytes):
                    next = record.position + 1
                    if next > start { verifier.feed(bytes) }
                    show("verify", next, of: count)
                case .checkpoint(let note) where next >= start: verifier.take(note: note)
                case .checkpoint, .header, .leftOut, .trailer: break
                }
            }
        case .log(let log):
            var next = verifier.events
            while next < count {
                let limit = Int(min(UInt64(Self.batch), count - next))
                try log.read { snapshot in
                    let page = try snapshot.bytes(from: next, limit: limit)
                    guard !page.isEmpty else { throw Self.missing(next) }
                    next += UInt64(page.count)
                    for bytes in page { verifier.feed(bytes) }
                    ProgressLine.count("verify", next, of: count)
                    try verifier.compare(isWhole: next == count) { try snapshot.treeRow($0) }
                }
            }
            let fault = try log.read { $0.derivedFault }
            if let position = fault?.position { verifier.noteTreeMismatch(at: position) }
        }
    }

    /// Passes a part of a log to a verifier; returns whether its events have no gaps.
    func feed(_ verifier: inout PartVerifier) throws -> Bool {
        guard case .export(let file) = place else { return true }
        defer { ProgressLine.clear() }
        let reader = try file.reader()
        var isRange = true
        var taken: UInt64 = 0
        while let item = try reader.next() {
            switch item {
            case .header(let header):
                isRange = header.selection.request == nil && header.selection.wallet == nil
            case .event(let record, let bytes):
                verifier.take(record, bytes)
                taken += 1
                show("verify", taken, of: count)
            case .leftOut(let run): verifier.leaveOut(run.from..<(run.to + 1), run.hashes)
            case .checkpoint(let note): verifier.take(note: note)
            case .trailer: break
            }
        }
        return isRange
    }

    /// Calls `body` with the state after the first events, and the head of the tree over them.
    func beginning<Answer>(
        _ size: UInt64, _ body: (State, TreeHead) throws -> Answer
    ) throws -> Answer {
        try ScratchRows.withState(forEvents: size) { state in
            var state = state
            var tree = TreeFold()
            if size > 0 {
                try each(through: size - 1) { record in
                    tree.add(leaf: record.bytes)
                    if let event = try record.event() { state.evolve(event) }
                }
            }
            return try body(state, TreeHead(size: tree.size, root: tree.root()))
        }
    }

    /// The state after the last event.
    func state() throws -> State {
        var state = State(in: MemoryRows())
        try each { record in
            if let event = try record.event() { state.evolve(event) }
        }
        return state
    }

    /// Calls `body` with the state after an event, using the histories kept in the folder.
    ///
    /// Only a log on disk has histories; an export was read as a whole anyway, to verify it.
    func state<Answer: Sendable>(
        through position: UInt64, keptUnder folder: String?, note: @escaping (String) -> Void,
        _ body: (State) -> Answer
    ) throws -> Answer {
        switch place {
        case .log(let log):
            defer { ProgressLine.clear() }
            return try StateHistory(
                of: log, keptUnder: folder, note: note,
                report: { ProgressLine.count("reading", $0, of: $1) }
            ).read(through: position, body)
        case .export:
            var state = State(in: MemoryRows())
            try each(through: position) { record in
                if let event = try record.event() { state.evolve(event) }
            }
            return body(state)
        }
    }

    /// The number of events that two logs have in common at their beginning.
    func commonPrefix(with other: Source) throws -> UInt64 {
        if logID == other.logID, case .log(let one) = place, case .log(let two) = other.place {
            return try LogDiff.commonPrefix((count, other.count)) { size in
                (try one.read { try $0.head(at: size) }, try two.read { try $0.head(at: size) })
            }
        }
        let (left, right) = (try events(), try other.events())
        var common: UInt64 = 0
        while let one = try left(), let two = try right() {
            if LogDiff.firstDifference(one, two) != nil { break }
            common += 1
        }
        return common
    }

    /// The event at a position, which must exist.
    func record(at position: UInt64) throws -> EventRecord {
        var found: EventRecord?
        if position < count {
            switch place {
            case .log(let log): found = try log.read { try $0.record(at: position) }
            case .export: try each(through: position) { found = $0 }
            }
        }
        guard let found else {
            throw CommandFailure(
                "unknownPosition", .refused, "the log has only \(count) events",
                position: Position(position))
        }
        return found
    }

    /// The heads that the log's tree had at some sizes, in ascending order.
    func heads(at sizes: [UInt64]) throws -> [TreeHead] {
        switch place {
        case .log(let log):
            return try log.read { snapshot in try sizes.map { try snapshot.head(at: $0) } }
        case .export:
            var (fold, heads) = (TreeFold(), [TreeHead]())
            func note() {
                while heads.count < sizes.count, sizes[heads.count] == fold.size {
                    heads.append(TreeHead(size: fold.size, root: fold.root()))
                }
            }
            note()
            guard let last = sizes.last, last > 0 else { return heads }
            try each(through: last - 1) { record in
                fold.add(leaf: record.bytes)
                note()
            }
            return heads
        }
    }

    /// Whether the log begins as a head says, which is proven from the tree of a whole head.
    ///
    /// A store's own tree has the proof; an export is hashed.
    func proves(_ head: TreeHead, beginsAs whole: TreeHead? = nil) throws -> Bool {
        guard case .log(let log) = place else { return try heads(at: [head.size]) == [head] }
        return try log.read { snapshot in
            let whole = try whole ?? snapshot.head(at: count)
            return try snapshot.consistencyProof(from: head.size, to: whole.size)
                .proves(head, beginsAs: whole)
        }
    }

    private static func missing(_ position: UInt64) -> LogError {
        LogError.damaged(position: position, reason: "the event is missing")
    }
}

extension CommandFailure {
    /// Converts an error of a command.
    @Sendable init(explaining error: any Error) {
        switch error {
        case let error as LogError:
            var position: Position?
            if case .damaged(let place, _) = error { position = place.map { Position($0) } }
            self.init(
                error.code, error.isOfNetwork ? .node : .store, quoting: error.description,
                position: position)
        case let error as ArchiveError:
            self.init("archiveDamaged", .store, quoting: error.description)
        case let error as ExportError:
            switch error.fault {
            case .unknownFormat(let cause), .badEvent(.unknownFormat(let cause)):
                self.init(
                    cause.isOfDevelopment ? "developmentVersion" : "exportTooNew", .store,
                    quoting: error.description)
            default: self.init("exportDamaged", .store, quoting: error.description)
            }
        case let error as FormatNumberError:
            self.init(
                error.isOfDevelopment ? "developmentVersion" : "formatTooNew", .refused,
                error.description)
        case let error as AuditError:
            self.init(error.code, .refused, error.description, position: error.position)
        case let error as WhatIfError:
            self.init(error.code, .refused, error.description)
        case let error as SystemError:
            self.init(
                error.code.reason ?? "systemError", .store, quoting: error.description)
        default:
            self.init("failed", .store, quoting: "\(error)")
        }
    }
}

extension Source {
    /// Decides all events again, or those up to a position.
    func replayed(
        _ scope: Replayer.Scope = .all, through last: UInt64? = nil
    ) throws -> Replay {
        defer { ProgressLine.clear() }
        let decider = Links.decider
        let end = min(count, last.map { $0 + 1 } ?? count)
        return try Replay(
            events: end, isWhole: end == count, scope: scope, decide: { decider.decide($0, $1) },
            reporting: showReplay(of: end), reading: batches(to: end))
    }

    /// Shows how many events are decided again.
    func showReplay(of end: UInt64) -> (UInt64) -> Void {
        { show("replay", $0, of: end) }
    }

    /// The events from a position to an end, some at a time.
    func batches(
        from start: UInt64 = 0, to end: UInt64
    ) throws -> sending () throws -> [DecodedRecord]? {
        guard case .log(let log) = place else {
            let next = try events(from: start)
            return {
                var batch: [DecodedRecord] = []
                while batch.count < Self.batch, let record = try next(), record.position < end {
                    batch.append(DecodedRecord(record))
                }
                return batch.isEmpty ? nil : batch
            }
        }
        var next = start
        return {
            if next >= end { return nil }
            let limit = Int(min(UInt64(Self.batch), end - next))
            let batch = try log.decodedRecords(from: next, limit: limit)
            if batch.isEmpty { throw Self.missing(next) }
            next += UInt64(batch.count)
            return batch
        }
    }
}
