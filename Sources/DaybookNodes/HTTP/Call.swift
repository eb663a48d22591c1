internal import Synchronization

/// A request on its way through a client, ended once: with its answer or by its caller.
final class Call: Sendable {
    typealias Ending = Result<HTTPAnswer, HTTPFailure>

    let body: [UInt8]
    let contentType: String
    private let state = Mutex(State.made)

    private enum State {
        case made
        case awaited(CheckedContinuation<Ending, Never>)
        case ended
    }

    init(_ body: [UInt8], contentType: String) {
        self.body = body
        self.contentType = contentType
    }

    /// Whether nobody waits for the answer any more.
    var hasEnded: Bool {
        state.withLock { if case .ended = $0 { true } else { false } }
    }

    /// Takes who waits for the ending; false if the caller gave up before it waited.
    func await(_ continuation: CheckedContinuation<Ending, Never>) -> Bool {
        let isEarly = state.withLock { state in
            if case .ended = state { return false }
            state = .awaited(continuation)
            return true
        }
        if !isEarly { continuation.resume(returning: .failure(.cancelled)) }
        return isEarly
    }

    /// Ends the call; what ends it later is dropped.
    func end(_ ending: Ending) {
        let waiting: CheckedContinuation<Ending, Never>? = state.withLock { state in
            defer { state = .ended }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: ending)
    }
}
