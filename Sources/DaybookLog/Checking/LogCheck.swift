internal import DaybookEncoding
internal import DaybookLMDB
package import DaybookTree

/// Rereads a log and compares everything that is derived from its events with them.
///
/// Nothing is trusted because it was true before: every event is decoded and hashed again, and
/// each table is read in both directions, from the events to its entries and back. What `state`
/// holds is for whoever knows the rules. Memory does not grow with the log.
package struct LogCheck {
    /// What was found so far.
    package var faults = LogFaults()
    /// How many events were read.
    package private(set) var events: UInt64 = 0
    /// The tree over the events that were read.
    package private(set) var tree = TreeFold()

    private let log: LogSnapshot
    private let progress: (_ table: String, _ entries: UInt64) -> Void
    private var requests: UInt64 = 0

    /// A check of a log as it is in a snapshot; `progress` hears of each 256th entry.
    package init(
        _ log: LogSnapshot, progress: @escaping (_ table: String, _ entries: UInt64) -> Void
    ) {
        self.log = log
        self.progress = progress
    }

    /// Checks all; `each` gets the events that can be read, and the head before each.
    package mutating func run(
        each: (EventRecord, _ head: () -> TreeHead, inout LogFaults) throws -> Void
    ) {
        attempt("meta") { (check) throws in try check.checkMeta() }
        attempt("events") { (check) throws in try check.checkEvents(each) }
        attempt("streams") { (check) throws in try check.checkStreams() }
        let tables = log.content.tables
        attempt("by_session") { (check) throws in
            try check.checkIndex(tables.bySession, count: check.events) { $0.session }
        }
        attempt("by_request") { (check) throws in
            try check.checkIndex(tables.byRequest, count: check.requests) { $0.request }
        }
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
        var appender = try tables.tree.map {
            try TreeAppender(ComparedRows(StoredRows(view, $0)), size: 0)
        }
        var time: UInt64 = 0
        let table = tables.events
        let fault = try TableWalk(view: view, table: table).each { entry in
            let position = events
            guard entry.key == BigEndian.bytes(position) else {
                throw LogError.damaged(position: position, reason: "the event is missing")
            }
            do {
                let record = try EventRecord.decode(entry.value, at: position, ofLog: content.logID)
                if record.time < time, !EventRecord.setsClock(record.type) {
                    noteEvent(entry, "its time lies before that of the event before")
                }
                time = record.time
                try checkEntries(of: record)
                let tree = tree
                let head = { TreeHead(size: tree.size, root: tree.root()) }
                try each(record, head, &faults)
            } catch LogError.damaged(_, let reason) {
                noteEvent(entry, reason)
            }
            tree.add(leaf: entry.value)
            appender?.append(entry.value)
            events += 1
            note(events, in: table)
        }
        if let fault { faults.note(fault) }
        if events != log.count {
            faults.note(
                LogFault(.missing, table.name, position: events, "the last events are missing"))
        }
        if var appender {
            appender.save()
            try checkTree(appender.rows)
        }
    }

    private mutating func noteEvent(_ entry: Entry, _ reason: String) {
        faults.note(
            LogFault(
                .eventWrong, "events", key: entry.key, position: BigEndian.exactly(entry.key),
                reason))
    }

    /// The rows of the tree were made again: they are there, and no others.
    private mutating func checkTree(_ rows: ComparedRows) throws {
        guard let table = log.content.tables.tree else { return }
        if let failure = rows.failure { throw failure }
        if let key = rows.missing {
            faults.note(LogFault(.missing, table.name, key: key, "the row is missing"))
        }
        if let (key, byte) = rows.different {
            // Of the lowest level a row holds the hashes of sixteen events.
            let row = key.first == 0 ? BigEndian.exactly(key.dropFirst()) : nil
            faults.note(
                LogFault(
                    .wrong, table.name, key: key,
                    position: row.map { $0 &* 16 &+ UInt64(byte / TreeHash.length) },
                    "the row is not that of the events: one or the other was changed"))
        }
        var count: UInt64 = 0
        var last: Bytes?
        let fault = try TableWalk(view: log.content.view, table: table).each { entry in
            count += 1
            last = entry.key
            note(count, in: table)
        }
        if let fault { faults.note(fault) }
        if count > rows.count {
            faults.note(LogFault(.extra, table.name, key: last, "the tree has too many rows"))
        }
    }

    /// The entries that an event calls for.
    private mutating func checkEntries(of record: EventRecord) throws {
        let tables = log.content.tables
        let position = BigEndian.bytes(record.position)
        try checkEntry(tables.bySession, BigEndian.bytes(record.session) + position, record)
        if let request = record.request {
            requests += 1
            try checkEntry(tables.byRequest, BigEndian.bytes(request) + position, record)
        }
        if let head = try log.content.head(of: record.stream), head.first <= record.position {
            try checkEntry(tables.byStream, BigEndian.bytes(head.first) + position, record)
        } else {
            faults.note(
                LogFault(
                    .missing, tables.streams.name, key: Bytes(record.stream.utf8),
                    position: record.position, "the stream is missing or begins later"))
        }
    }

    private mutating func checkEntry(_ table: Table, _ key: Bytes, _ record: EventRecord) throws {
        if try log.content.view.value(table, key) != [] {
            faults.note(
                LogFault(
                    .missing, table.name, key: key, position: record.position,
                    "the event's entry is missing"))
        }
    }

    /// An index has an entry for each event that calls for one; so none is left over.
    private mutating func checkIndex(
        _ table: Table, count expected: UInt64, _ id: (EventRecord) -> UInt64?
    ) throws {
        var count: UInt64 = 0
        let fault = try TableWalk(view: log.content.view, table: table).each { entry in
            count += 1
            note(count, in: table)
        }
        if let fault { faults.note(fault) }
        if count == expected { return }
        // Only now is it worth reading the events for the one that is too much.
        _ = try TableWalk(view: log.content.view, table: table).each { entry in
            let position = BigEndian.exactly(entry.key.dropFirst(8))
            let record = try position.flatMap { try log.record(at: $0) }
            guard let record, id(record) == BigEndian.exactly(entry.key.prefix(8)) else {
                faults.note(
                    LogFault(
                        .extra, table.name, key: entry.key, position: position,
                        "no event calls for the entry"))
                return
            }
        }
    }

    /// Each stream's events have the revisions from 0 without gaps, and its head counts them.
    private mutating func checkStreams() throws {
        let content = log.content
        let table = content.tables.byStream
        var current: (first: UInt64, name: Bytes, count: UInt64)?
        var entries: UInt64 = 0
        var streams: UInt64 = 0
        let fault = try TableWalk(view: content.view, table: table).each { entry in
            guard let first = BigEndian.exactly(entry.key.prefix(8)),
                let position = BigEndian.exactly(entry.key.dropFirst(8)),
                let record = try log.record(at: position)
            else {
                faults.note(
                    LogFault(.extra, table.name, key: entry.key, "no event calls for the entry"))
                return
            }
            if current?.first != first {
                if let current { try checkHead(current) }
                current = (first, Bytes(record.stream.utf8), 0)
                streams += 1
            }
            if current?.name != Bytes(record.stream.utf8) || current?.count != record.revision {
                faults.note(
                    LogFault(
                        .wrong, table.name, key: entry.key, position: position,
                        "the event has another stream or revision"))
            }
            current?.count += 1
            entries += 1
            note(entries, in: table)
        }
        if let current { try checkHead(current) }
        if let fault { faults.note(fault) }
        if entries != events {
            faults.note(
                LogFault(.wrong, table.name, "\(entries) entries for \(events) events"))
        }
        try checkHeads(count: streams)
    }

    private mutating func checkHead(
        _ stream: (first: UInt64, name: Bytes, count: UInt64)
    ) throws {
        let head = StreamHead(first: stream.first, count: stream.count)
        let table = log.content.tables.streams
        if try log.content.view.value(table, stream.name) != head.bytes {
            faults.note(
                LogFault(
                    .wrong, table.name, key: stream.name, position: stream.first,
                    "the stream's head is not that of its events"))
        }
    }

    private mutating func checkHeads(count expected: UInt64) throws {
        let table = log.content.tables.streams
        var count: UInt64 = 0
        let fault = try TableWalk(view: log.content.view, table: table).each { entry in
            count += 1
            note(count, in: table)
            guard let head = StreamHead(entry.value),
                let record = try log.record(at: head.first),
                Bytes(record.stream.utf8) == entry.key
            else {
                faults.note(
                    LogFault(.extra, table.name, key: entry.key, "no event has this stream"))
                return
            }
        }
        if let fault { faults.note(fault) }
        if count != expected {
            faults.note(LogFault(.wrong, table.name, "\(count) streams, not \(expected)"))
        }
    }
}
