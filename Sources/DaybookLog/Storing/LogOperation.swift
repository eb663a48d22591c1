internal import DaybookSystem

/// A call that reads a log several times, and need not ask a database for the head each time.
///
/// All reads see at least the commits that were acknowledged before the operation began. A store
/// that knows a head which is at least as new needs no further question. An operation that waits
/// for something, such as a lock of another process, is renewed then.
///
/// It says nothing of appends: each is made at the position that its writer expects.
package final class LogOperation: Sendable {
    @TaskLocal private static var current: LogOperation?

    /// When it began, in microseconds of the monotonic clock; nil once it is over.
    private let start: Monitor<UInt64?>

    private init(since start: UInt64) { self.start = Monitor(start) }

    /// When the operation of this task began or was renewed; nil outside of one.
    ///
    /// A task that an operation has started does not belong to it once it is over.
    package static var start: UInt64? { current?.start.change { $0 } }

    /// Runs `body` as one operation, or as a part of the operation that it is called in.
    ///
    /// An operation `since` an earlier time may see the log as it was then.
    package static func run<Value>(
        since start: UInt64? = nil, _ body: () throws -> Value
    ) rethrows -> Value {
        if Self.start != nil { return try body() }
        let operation = LogOperation(since: start ?? now)
        defer { operation.start.change { $0 = nil } }
        return try $current.withValue(operation, operation: body)
    }

    /// Runs `body` as one operation, or as a part of the operation that it is called in.
    package static func run<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        if start != nil { return try await body() }
        let operation = LogOperation(since: now)
        defer { operation.start.change { $0 = nil } }
        return try await $current.withValue(operation, operation: body)
    }

    /// Lets later reads of the operation see what was committed before now.
    package static func renew() {
        current?.start.change { start in
            if start != nil { start = now }
        }
    }

    /// The time at which an operation would begin.
    package static var now: UInt64 { Clock.monotonicMicroseconds() }
}
