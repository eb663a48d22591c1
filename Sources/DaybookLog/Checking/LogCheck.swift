package import DaybookEncoding
internal import DaybookLMDB

/// Rereads a log and compares everything that is derived from its events with them.
///
/// Nothing is trusted because it was true before: every event is decoded and hashed again, and the
/// derived tables are made again beside those that there are. What `state` holds is for whoever
/// knows the rules.
package struct LogCheck {
    /// What was found so far.
    package var faults = LogFaults()
    /// How many events were read.
    package private(set) var events: UInt64 = 0
    /// The tree over the events that were read.
    package private(set) var tree = TreeFold()

    private let log: LogSnapshot
    private let made: Derived
    private let progress: (_ table: String, _ entries: UInt64) -> Void

    /// A check of a log as it is in a snapshot; `progress` hears of each 256th entry.
    ///
    /// `rows` makes empty rows for each table that is made again.
    package init(
        _ log: LogSnapshot, rows: () throws -> any Rows,
        progress: @escaping (_ table: String, _ entries: UInt64) -> Void
    ) throws {
        self.log = log
        self.progress = progress
        made = try Derived(nil, rows: rows)
        made.begin()
    }

    /// Checks all; `each` gets the events that can be read, and the head before each.
    package mutating func run(
        each: (EventRecord, _ head: () -> TreeHead, inout LogFaults) throws -> Void
    ) {
        attempt("meta") { (check) throws in try check.checkMeta() }
        attempt("events") { (check) throws in try check.checkEvents(each) }
        let (derived, made) = (log.content.derived, made)
        if let fault = derived.fault { faults.note(fault) }
        attempt("streams") { (check) throws in
            try check.compare(derived.streams, made.streams, "streams")
        }
        attempt("positions") { (check) throws in
            try check.compare(derived.positions.rows, made.positions.rows, "positions")
        }
        attempt("tree") { (check) throws in
            try check.compare(try derived.treeRows(), try made.treeRows(), "tree")
        }
    }

    /// Notes where rows are not what the events lead to.
    package mutating func compare(
        _ stored: any Rows, _ made: any Rows, _ table: String
    ) throws {
        RowComparison.run(table, stored: stored, made: made, &faults, progress) { key, byte in
            // Of the tree's lowest level a row holds the hashes of sixteen events.
            guard Text.equal(table, "tree"), key.first == 0 else { return nil }
            return BigEndian.exactly(key.dropFirst()).map {
                $0 &* 16 &+ UInt64(byte / TreeHash.length)
            }
        }
        if let failure = log.content.derived.failure ?? self.made.failure { throw failure }
    }

    /// Runs a part; what can't be read there is a fault, and the other parts go on.
    package mutating func attempt(_ table: String, _ part: (inout LogCheck) throws -> Void) {
        progress(table, 0)
        do {
            try part(&self)
        } catch LogError.damaged(let position, let reason) {
            faults.note(LogFault(.unreadable, table, position: position, reason))
        } catch {
            faults.note(LogFault(.unreadable, table, "\(error)"))
        }
    }

    private func note(_ count: UInt64, in table: Table) {
        if count & 255 == 0 { progress(table.name, count) }
    }
}

// MARK: - The tables

extension LogCheck {
    private mutating func checkMeta() throws {
        let known: [String: Int] = ["layout": 8, "format": 8, "log": LogLimits.idBytes]
        let table = log.content.tables.meta
        var found = 0
        let fault = try TableWalk(view: log.content.view, table: table).each { entry in
            let name = String(decoding: entry.key, as: UTF8.self)
            guard known[name] == entry.value.count else {
                faults.note(
                    LogFault(.metaWrong, table.name, key: entry.key, "the entry is not known"))
                return
            }
            found += 1
            if Text.equal(name, "format"), BigEndian.exactly(entry.value) != LogVersions.format {
                faults.note(
                    LogFault(.metaWrong, table.name, key: entry.key, "no event has this format"))
            }
        }
        if let fault { faults.note(fault) }
        if found < known.count {
            faults.note(LogFault(.metaWrong, table.name, "an entry is missing"))
        }
    }

    private mutating func checkEvents(
        _ each: (EventRecord, _ head: () -> TreeHead, inout LogFaults) throws -> Void
    ) throws {
        let content = log.content
        let view = content.view
        let tables = content.tables
        var time: UInt64 = 0
        let table = tables.events
        let fault = try TableWalk(view: view, table: table).each { entry in
            let position = events
            guard entry.key == BigEndian.bytes(position) else {
                throw LogError.damaged(position: position, reason: "the event is missing")
            }
            do {
                let record = try EventRecord.decode(entry.value, at: position, ofLog: content.logID)
                if record.time < time, !record.setsClock {
                    noteEvent(entry, "its time lies before that of the event before")
                }
                time = record.time
                let tree = tree
                let head = { TreeHead(size: tree.size, root: tree.root()) }
                try each(record, head, &faults)
                made.add(record, entry.value, after: made.head(of: record.stream))
            } catch LogError.damaged(_, let reason) {
                noteEvent(entry, reason)
                made.addUnread(entry.value)
            }
            tree.add(leaf: entry.value)
            events += 1
            note(events, in: table)
        }
        if let fault { faults.note(fault) }
        if events != log.count {
            faults.note(
                LogFault(.missing, table.name, position: events, "the last events are missing"))
        }
    }

    private mutating func noteEvent(_ entry: Entry, _ reason: String) {
        faults.note(
            LogFault(
                .eventWrong, "events", key: entry.key, position: BigEndian.exactly(entry.key),
                reason))
    }
}
