import DaybookCommands
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
                throw LogError.damaged(position: next, reason: "the event is missing")
            }
            for record in records { try body(record) }
            next += UInt64(records.count)
        }
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
        case let error as SystemError:
            self.init("systemError", .store, quoting: error.description)
        default:
            self.init("failed", .store, quoting: "\(error)")
        }
    }
}
