package import DaybookEncoding
internal import DaybookLMDB

/// Verifies a stored log: rereads every event, and compares the derived tables with the events.
///
/// Every event is decoded and hashed again, and the derived tables are rebuilt beside the stored
/// ones and compared. The caller compares the table `state`, whose rules are unknown here.
package struct LogCheck {
    /// The faults that were found so far.
    package var faults = LogFaults()
    /// How many events were read.
    package private(set) var events: UInt64 = 0
    /// The tree over the events that were read.
    package private(set) var tree = TreeFold()

    private let log: EventLog
    private var made: Made
    private let progress: (_ table: String, _ entries: UInt64) throws -> Void

    /// A check of a log; `progress` is called for every 256th entry.
    ///
    /// If it throws a `CancellationError`, the check ends with that.
    /// `rows` makes empty rows for each table that is rebuilt.
    package init(
        of log: EventLog, rows: () throws -> any Rows,
        progress: @escaping (_ table: String, _ entries: UInt64) throws -> Void
    ) throws {
        self.log = log
        self.progress = progress
        made = Made(
            streams: try rows(), positions: try rows(),
            tree: try TreeAppender(OverlayRows(MemoryRows(), changes: try rows()), size: 0))
    }

    /// The tables that follow from the events, for comparison with the derived ones.
    private struct Made {
        var streams: any Rows
        var positions: any Rows
        var tree: TreeAppender<OverlayRows>
        /// The events that the rows above lack.
        var tail = LogTail(from: 0)
    }

    /// Checks everything as of one moment.
    ///
    /// `each` gets the events that can be decoded, and the head before each. `state` returns the
    /// rows of the state after the events that `each` got, to be compared too.
    package mutating func run(
        each: (EventRecord, _ head: () -> TreeHead, inout LogFaults) throws -> Void,
        state: (() -> any Rows)?
    ) throws {
        // Tables that can't be used are dropped.
        if let fault = try log.read({ $0.derivedFault }) { faults.note(fault) }
        try log.snapshots { below, events in
            let mark = try below?.mark.flatMap { DerivedMark($0) }
            try attempt("meta") { (check) throws in
                try events.checkMeta { check.faults.note($0) }
            }
            try attempt("events") { (check) throws in
                try check.checkEvents(events, upTo: mark?.size ?? 0, each) { (check) throws in
                    if let below { try check.compare(below, state) }
                }
            }
        }
    }

    /// Compares the derived tables with the rows that follow from the events so far.
    private mutating func compare(_ below: DerivedView, _ state: (() -> any Rows)?) throws {
        writeRows(below: events)
        made.tree.save()
        var tables: [(Table, any Rows)] = [
            (below.tables.streams, made.streams), (below.tables.positions, made.positions),
            (below.tables.tree, made.tree.rows),
        ]
        if let state { tables.append((below.tables.state, state())) }
        for (table, made) in tables {
            try attempt(table.name) { (check) throws in try check.compare(below, table, made) }
        }
    }

    /// Notes the first rows of a table that differ from the rebuilt ones.
    private mutating func compare(_ below: DerivedView, _ table: Table, _ made: any Rows) throws {
        let stored = StoredRows(below.view, table)
        try RowComparison.run(table.name, stored: stored, made: made, &faults, progress) {
            key, byte in
            // A row of the tree's lowest level has the hashes of sixteen events.
            guard Text.equal(table.name, "tree"), TreeRow.level(of: key) == 0 else { return nil }
            return BigEndian.exactly(key.dropFirst()).map {
                $0 &* 16 &+ UInt64(byte / TreeHash.length)
            }
        }
        if let failure = stored.failure { throw failure }
    }

    /// Runs a part of the check, and turns its error into a fault, so that other parts still run.
    ///
    /// - Throws: only `CancellationError`, and the error of a segment, without which nothing can be
    ///   compared.
    package mutating func attempt(
        _ table: String, _ part: (inout LogCheck) throws -> Void
    ) throws {
        try progress(table, 0)
        do {
            try part(&self)
        } catch let error as CancellationError {
            throw error
        } catch let error as LogError where error.isOfSegment {
            throw error
        } catch LogError.damaged(let position, let reason) {
            faults.note(LogFault(.unreadable, table, position: position, reason))
        } catch {
            faults.note(LogFault(.unreadable, table, "\(error)"))
        }
    }

}

// MARK: - The tables

extension LogCheck {
    /// Checks the events; `compare` is called when the tables should have just those so far.
    private mutating func checkEvents(
        _ log: any EventView, upTo end: UInt64,
        _ each: (EventRecord, _ head: () -> TreeHead, inout LogFaults) throws -> Void,
        comparing compare: (inout LogCheck) throws -> Void
    ) throws {
        var time: UInt64 = 0
        var found: [LogFault] = []
        try log.checkEvents(noting: { found.append($0) }) { bytes in
            if events == end { try compare(&self) }
            do {
                let record = try EventRecord.decode(bytes, at: events, ofLog: log.logID)
                if record.time < time, !record.setsClock {
                    noteEvent(events, "its time lies before that of the event before")
                }
                time = record.time
                let tree = tree
                let head = { TreeHead(size: tree.size, root: tree.root()) }
                try each(record, head, &faults)
                if events < end { index(record) }
            } catch LogError.damaged(_, let reason) {
                noteEvent(events, reason)
            } catch LogError.unknownFormat(let error) {
                noteEvent(events, error.description)
            }
            if events < end { made.tree.append(bytes) }
            tree.add(leaf: bytes)
            events += 1
            if events & 255 == 0 { try progress("events", events) }
        }
        if events == end { try compare(&self) }
        for fault in found { faults.note(fault) }
        if events != log.count {
            faults.note(
                LogFault(.missing, "events", position: events, "the last events are missing"))
        }
    }

    private mutating func index(_ record: EventRecord) {
        let name = record.streamName
        let head = made.tail.head(of: name, below: record.position) { [streams = made.streams] in
            streams.value(name).flatMap { StreamHead($0) }
        }
        made.tail.add(record, in: name, after: head)
        if events & 511 == 511 { writeRows(below: events + 1) }
    }

    private mutating func writeRows(below size: UInt64) {
        for (name, head) in made.tail.heads(below: size) { made.streams.set(name, head.bytes) }
        made.tail.writePositions(into: &made.positions, below: size)
        made.tail = LogTail(from: size)
    }

    private mutating func noteEvent(_ position: UInt64, _ reason: String) {
        faults.note(
            LogFault(
                .eventWrong, "events", key: BigEndian.bytes(position), position: position, reason))
    }
}

/// A fault of a stored log, and where it is.
package struct LogFault: Equatable, Sendable {
    /// The kind of a fault, for programs.
    package enum Code: String, Sendable, CaseIterable {
        /// LMDB or the system can't read the data.
        case unreadable
        /// A page of the file is damaged.
        case pageWrong
        /// An entry of the table `meta` is wrong.
        case metaWrong
        /// An event is missing, not canonically encoded, or does not belong at its position.
        case eventWrong
        /// An entry that follows from the events is missing.
        case missing
        /// An entry does not follow from any event.
        case extra
        /// An entry has another value than the one that follows from the events.
        case wrong
        /// A checkpoint in the log is not of the events before it, or not signed.
        case checkpointWrong
    }

    /// The kind of the fault.
    package let code: Code
    /// The table, such as `events`.
    package let table: String
    /// The entry's key, where there is one.
    package let key: Bytes?
    /// The event at fault, where there is one.
    package let position: UInt64?
    /// One sentence for people, in lower case.
    package let reason: String

    /// A fault in a table.
    package init(
        _ code: Code, _ table: String, key: Bytes? = nil, position: UInt64? = nil,
        _ reason: String
    ) {
        self.code = code
        self.table = table
        self.key = key
        self.position = position
        self.reason = reason
    }
}

/// The first fault of each code and table, so that a report stays short whatever is damaged.
///
/// A fault that names an event takes the place of one that names none.
package struct LogFaults: Sendable {
    /// The faults, in the order in which they were found.
    package private(set) var first: [LogFault] = []

    /// No faults.
    package init() {}

    /// Notes a fault, unless there is one with the same code and table.
    package mutating func note(_ fault: LogFault) {
        let known = first.firstIndex { $0.code == fault.code && $0.table == fault.table }
        guard let known else { return first.append(fault) }
        if first[known].position == nil, fault.position != nil { first[known] = fault }
    }
}

/// Compares the rows of a derived table with rebuilt ones.
package enum RowComparison {
    /// Notes the first missing row, the first extra one, and the first with another value.
    ///
    /// `position` returns the event that a byte of a row is about.
    package static func run(
        _ table: String, stored: any Rows, made: any Rows, _ faults: inout LogFaults,
        _ progress: (_ table: String, _ entries: UInt64) throws -> Void,
        position: (_ key: Bytes, _ differingByte: Int) -> UInt64? = { _, _ in nil }
    ) rethrows {
        var pairs = RowPairs(stored, made)
        var count: UInt64 = 0
        while let pair = pairs.next() {
            count += 1
            if count & 255 == 0 { try progress(table, count) }
            switch pair {
            case (let stored?, nil):
                faults.note(LogFault(.extra, table, key: stored.key, "no event leads to the row"))
            case (nil, let made?):
                faults.note(LogFault(.missing, table, key: made.key, "the row is missing"))
            case (let stored?, let made?) where stored.value != made.value:
                let same = zip(stored.value, made.value).prefix { $0 == $1 }.count
                faults.note(
                    LogFault(
                        .wrong, table, key: stored.key, position: position(stored.key, same),
                        "the row is not what the events lead to"))
            default: break
            }
        }
    }
}
