import DaybookCommands
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

/// What is audited: a store's folder, or its `log` alone.
struct Source {
    let log: EventLog
    /// How many events there were when the audit began; what comes later is not part of it.
    let count: UInt64

    private static let batch = 1024

    init(_ path: String) throws {
        let inner = path + "/log"
        log = try EventLog(readingAt: try Files.exists(inner) ? inner : path)
        count = try log.read { $0.count }
    }

    var logID: Bytes { log.id }

    /// Calls `body` with the bytes of every event, a page at a time, and with the stored tree.
    ///
    /// The tree's rows are looked up by their keys; nil where the log keeps no tree.
    func eachPage(_ body: ([Bytes], _ isLast: Bool, TreeRows?) throws -> Void) throws {
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

    private static func missing(_ position: UInt64) -> LogError {
        LogError.damaged(position: position, reason: "the event is missing")
    }

    /// Calls `body` with the events up to a position, in order, or all of them.
    ///
    /// A page is read at a time: a writer meanwhile waits for nobody, and reuses its space.
    func each(through last: UInt64? = nil, _ body: (EventRecord) throws -> Void) throws {
        let end = min(count, last.map { $0 == .max ? $0 : $0 + 1 } ?? count)
        var next: UInt64 = 0
        while next < end {
            let limit = Int(min(UInt64(Self.batch), end - next))
            let records = try log.read { try $0.records(from: next, limit: limit) }
            guard !records.isEmpty else {
                throw Self.missing(next)
            }
            for record in records { try body(record) }
            next += UInt64(records.count)
        }
    }

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
        let haveTrees = try log.read { $0.hasTree } && other.log.read { $0.hasTree }
        if logID == other.logID, haveTrees {
            return try LogDiff.commonPrefix((count, other.count)) { size in
                (
                    try log.read { try $0.head(at: size) },
                    try other.log.read { try $0.head(at: size) }
                )
            }
        }
        var next: UInt64 = 0
        while next < min(count, other.count) {
            let (left, right) = (try record(at: next), try other.record(at: next))
            if LogDiff.firstDifference(left, right) != nil { break }
            next += 1
        }
        return next
    }

    /// The event at a position, which must be there.
    func record(at position: UInt64) throws -> EventRecord {
        guard position < count, let record = try log.read({ try $0.record(at: position) }) else {
            throw CommandFailure(
                "unknownPosition", .refused, "the log has only \(count) events",
                position: position)
        }
        return record
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
