import DaybookCommands
import DaybookDomain
import DaybookEncoding
import DaybookExport
import DaybookLog
import DaybookReplay
import DaybookSystem
import DaybookTree

/// What is audited: a store's folder, its `log` alone, or an exported file.
struct Source {
    private enum Place {
        case log(EventLog)
        /// An export of a whole log, which has been proven.
        case file(String)
    }

    let logID: Bytes
    /// How many events there were when the audit began; what comes later is not part of it.
    let count: UInt64
    private let place: Place

    /// How many events are read at a time, so that memory stays flat.
    private static let batch = 1024

    init(_ path: String) throws {
        if try Files.information(path)?.kind == .file {
            let reader = try FileReader(path)
            let (header, trailer) = try ExportReader.verify { try reader.next($0) }
            guard trailer.events == header.head.size else {
                throw CommandFailure(
                    "partialExport", .refused,
                    "the export is good, but has only \(trailer.events) of the log's "
                        + "\(header.head.size) events: nothing follows from a part of them")
            }
            logID = header.logID
            count = trailer.events
            place = .file(path)
        } else {
            let inner = path + "/log"
            let log = try EventLog(readingAt: try Files.exists(inner) ? inner : path)
            logID = try log.id
            count = try log.read { $0.count }
            place = .log(log)
        }
    }

    /// Hands out the events in order, then nil.
    ///
    /// A page of a log is read at a time: a writer meanwhile waits for nobody, and reuses its
    /// space.
    func events() throws -> () throws -> EventRecord? {
        switch place {
        case .file(let path):
            let file = try FileReader(path)
            let reader = try ExportReader { try file.next($0) }
            return {
                while let item = try reader.next() {
                    if case .event(let record, _) = item { return record }
                }
                return nil
            }
        case .log(let log):
            var next: UInt64 = 0
            var page: ArraySlice<EventRecord> = []
            return {
                if page.isEmpty, next < count {
                    let limit = Int(min(UInt64(Self.batch), count - next))
                    page = try log.read { try $0.records(from: next, limit: limit) }[...]
                    next += UInt64(page.count)
                    if page.isEmpty { throw Self.missing(next) }
                }
                return page.popFirst()
            }
        }
    }

    /// Calls `body` with the events up to a position, in order, or all of them.
    func each(through last: UInt64? = nil, _ body: (EventRecord) throws -> Void) throws {
        let next = try events()
        while let record = try next() {
            if let last, record.position > last { return }
            try body(record)
        }
    }

    /// Calls `body` with the bytes of every event, a page at a time, and with the stored tree.
    ///
    /// The tree's rows are looked up by their keys; nil where there are none: an export proves its
    /// events by its own hashes before anything else is asked of it.
    func eachPage(_ body: ([Bytes], _ isLast: Bool, TreeRows?) throws -> Void) throws {
        guard case .log(let log) = place else {
            return try each { try body([$0.encoded()], $0.position + 1 == count, nil) }
        }
        var next: UInt64 = 0
        while next < count {
            let limit = Int(min(UInt64(Self.batch), count - next))
            try log.read { snapshot in
                let page = try snapshot.bytes(from: next, limit: limit)
                guard !page.isEmpty else { throw Self.missing(next) }
                next += UInt64(page.count)
                try body(
                    page, next == count, snapshot.hasTree ? { try snapshot.treeRow($0) } : nil)
            }
        }
    }

    typealias TreeRows = (Bytes) throws -> Bytes?

    /// The state after the last event.
    func state() throws -> State {
        var state = State(MemoryRows())
        try each { record in
            if let event = try Recording.event(record) { state.evolve(event) }
        }
        return state
    }

    /// How many events two logs have in common from the first on.
    func commonPrefix(with other: Source) throws -> UInt64 {
        if logID == other.logID, case .log(let one) = place, case .log(let two) = other.place,
            try one.read({ $0.hasTree }), try two.read({ $0.hasTree })
        {
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

    /// The event at a position, which must be there.
    func record(at position: UInt64) throws -> EventRecord {
        var found: EventRecord?
        if position < count {
            switch place {
            case .log(let log): found = try log.read { try $0.record(at: position) }
            case .file: try each(through: position) { found = $0 }
            }
        }
        guard let found else {
            throw CommandFailure(
                "unknownPosition", .refused, "the log has only \(count) events",
                position: position)
        }
        return found
    }

    private static func missing(_ position: UInt64) -> LogError {
        LogError.damaged(position: position, reason: "the event is missing")
    }
}

extension CommandFailure {
    /// Any error that a command threw, in this program's words.
    @Sendable init(explaining error: any Error) {
        switch error {
        case let error as LogError:
            var position: UInt64?
            if case .damaged(let place, _) = error { position = place }
            self.init(error.code, .store, quoting: error.description, position: position)
        case let error as ExportError:
            self.init("exportDamaged", .store, quoting: error.description)
        case let error as ReplayError:
            self.init("engineTooNew", .store, error.description)
        case let error as WhatIfError:
            self.init(error.code, .refused, error.description)
        case let error as SystemError:
            self.init("systemError", .store, quoting: error.description)
        default:
            self.init("failed", .store, quoting: "\(error)")
        }
    }
}
