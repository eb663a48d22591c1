internal import Glibc
internal import Synchronization

/// The signals by which a person or the system asks a program to end.
package enum StopSignals {
    /// Runs `body` and cancels its task when SIGINT or SIGTERM comes; returns when it has ended.
    ///
    /// Afterwards the signals do again what they did before. One that was to be ignored still is.
    package static func cancelling(
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        received.store(false, ordering: .relaxed)
        let before = numbers.map { number in
            let before = signal(number) { _ in
                StopSignals.received.store(true, ordering: .relaxed)
            }
            if isIgnoring(before) { _ = signal(number, before) }
            return before
        }
        defer { for (number, handler) in zip(numbers, before) { _ = signal(number, handler) } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await body() }
            group.addTask { await wait() }
            try await group.next()
            group.cancelAll()
            try await group.next()
        }
    }

    /// Returns once a signal has come, or the task is cancelled.
    private static func wait() async {
        // A handler may do next to nothing: it leaves a mark, and looking at it is cheap.
        while !received.load(ordering: .relaxed), !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    private static func isIgnoring(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
        unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static let numbers = [SIGINT, SIGTERM]
    private static let received = Atomic(false)
}
