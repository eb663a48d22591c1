package import DaybookLog
internal import Synchronization

/// A log that several threads read, one at a time.
package final class SharedLog: Sendable {
    private let log: Mutex<EventLog>

    /// Opens a log for reading only; others may write to it meanwhile.
    package init(readingAt path: String) throws {
        log = Mutex(try EventLog(readingAt: path))
    }

    /// Runs `body` while no other thread reads.
    package func withLog<Value: Sendable>(
        _ body: (EventLog) throws -> Value
    ) throws -> Value {
        try log.withLock { try body($0) }
    }

    /// Runs `body` on the log as it is now.
    package func read<Value: Sendable>(
        _ body: (LogSnapshot) throws -> Value
    ) throws -> Value {
        try withLog { try $0.read(body) }
    }

    /// The events from a position on, at most `limit`, without gaps.
    ///
    /// They are decoded by the thread that asks: others may read meanwhile.
    package func records(from position: UInt64, limit: Int) throws -> [EventRecord] {
        let (logID, events) = try read { snapshot in
            (snapshot.logID, try snapshot.bytes(from: position, limit: limit))
        }
        return try EventRecord.decode(events, from: position, ofLog: logID)
    }
}
