import Synchronization

/// The body of a response that goes on: server-sent events, written at the reader's pace.
///
/// At most one piece waits. While none does, the connection is suspended, so that libmicrohttpd
/// does not call for more. A reader that takes nothing runs into the daemon's time limit.
final class EventStream: Sendable {
    private struct State {
        var pending: [UInt8] = []
        var connection: ConnectionID?
        var isSuspended = false
        var isOver = false
        var waiter: CheckedContinuation<Void, Never>?
        var source: Task<Void, Never>?

        /// Lets libmicrohttpd ask for bytes again, if it was told that there are none.
        mutating func resume() {
            guard isSuspended else { return }
            isSuspended = false
            connection?.resume()
        }

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    private let state: Mutex<State>

    /// A stream that begins with some bytes.
    init(_ first: String) {
        var state = State()
        state.pending = Array(first.utf8)
        self.state = Mutex(state)
    }

    /// Sets the task that sends the events; it is cancelled when the connection is closed.
    func send(from source: Task<Void, Never>) {
        let isOver = state.withLock { state in
            state.source = source
            return state.isOver
        }
        if isOver { source.cancel() }
    }

    /// Sends a piece once the reader has taken the last one; false if the connection is closed.
    ///
    /// One task at a time sends.
    func send(_ text: String) async -> Bool {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if state.isOver || state.pending.isEmpty { return true }
                state.waiter = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        return state.withLock { state in
            if state.isOver { return false }
            state.pending += Array(text.utf8)
            state.resume()
            return true
        }
    }

    /// Sends a comment if nothing waits: so a reader that has gone is noticed.
    func beat() {
        state.withLock { state in
            guard state.isSuspended, state.pending.isEmpty else { return }
            state.pending = Array(":\n\n".utf8)
            state.resume()
        }
    }

    /// Ends the stream; what waits is still sent.
    func end() {
        let (waiter, source) = state.withLock { state in
            state.isOver = true
            state.resume()
            return (state.takeWaiter(), state.source)
        }
        waiter?.resume()
        source?.cancel()
    }

    // MARK: - The daemon's side

    /// Names the connection that the stream is sent on.
    func attach(to connection: ConnectionID) {
        state.withLock { $0.connection = connection }
    }

    /// Forgets the connection, which is closed.
    func detach() {
        state.withLock { state in
            state.connection = nil
            state.isSuspended = false
        }
        end()
    }

    /// Copies what waits, on the daemon's thread; 0 if the connection is suspended, -1 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let (count, waiter) = state.withLock { state -> (Int, CheckedContinuation<Void, Never>?) in
            if !state.pending.isEmpty {
                let count = min(buffer.count, state.pending.count)
                unsafe buffer.copyBytes(from: state.pending[..<count])
                state.pending.removeFirst(count)
                return (count, state.pending.isEmpty ? state.takeWaiter() : nil)
            }
            if state.isOver { return (-1, nil) }
            state.isSuspended = true
            state.connection?.suspend()
            return (0, nil)
        }
        waiter?.resume()
        return count
    }
}
