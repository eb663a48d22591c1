internal import Glibc
internal import Synchronization

/// The signals that ask the program to end.
package enum StopSignals {
    /// Runs `body`, and cancels its task on SIGINT or SIGTERM; returns when it has ended.
    ///
    /// Afterwards the signals have their earlier actions. An ignored signal stays ignored.
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

    /// Returns after a signal, or when the task is cancelled.
    private static func wait() async {
        // A handler may do almost nothing: it sets a flag, which is cheap to poll.
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

/// Defers the signals that end the program until a temporary change, such as echo off, is undone.
///
/// There is one holder at a time, because signal actions belong to the whole process.
struct SignalHold: ~Copyable {
    private typealias Handler = @convention(c) (Int32) -> Void

    /// The earlier action of each signal of `ending`; nil is the default one.
    private let before: [Handler?]

    /// Catches the signals in whatever thread they come: to block them would be for this thread
    /// alone, and the system would give them to another.
    init() {
        Self.received.store(0, ordering: .relaxed)
        before = Self.ending.map { number in
            let before = signal(number) { number in
                SignalHold.received.store(number, ordering: .relaxed)
            }
            // An ignored signal, such as SIGHUP under nohup, stays ignored.
            if Self.isIgnoring(before) { _ = signal(number, before) }
            return before
        }
    }

    /// Restores the actions; a signal that came meanwhile takes effect now.
    deinit {
        for (number, handler) in zip(Self.ending, before) {
            _ = signal(number, handler)
        }
        let received = Self.received.load(ordering: .relaxed)
        if received != 0 { Self.deliver(received) }
    }

    /// Waits until a raised signal has taken effect.
    ///
    /// One that is sent to the process may be another thread's, and as long as that thread sleeps
    /// this one would go on: a signal that dumps core ends the others only then (signal(7)).
    /// Dispatch's threads hold all signals back.
    private static func deliver(_ number: Int32) {
        var signals = sigset_t()
        var before = sigset_t()
        _ = unsafe sigemptyset(&signals)
        _ = unsafe sigaddset(&signals, number)
        _ = unsafe pthread_sigmask(SIG_UNBLOCK, &signals, &before)
        _ = raise(number)
        _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// Waits until the descriptor is readable; throws `interrupted` on a signal.
    func waitForInput(_ descriptor: Int32) throws(SystemError) {
        while true {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // A signal that another thread took does not end the wait: poll a few times a second.
            let ready = try SystemCall.check("read", "terminal") {
                unsafe Int(poll(&waiting, 1, 200))
            }
            if Self.received.load(ordering: .relaxed) != 0 {
                throw SystemError(code: .interrupted, operation: "read", path: "terminal")
            }
            if ready > 0 { return }
        }
    }

    private static func isIgnoring(_ handler: Handler?) -> Bool {
        unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// The last signal; 0 for none.
    private static let received = Atomic<Int32>(0)
}
