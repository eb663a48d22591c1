import DaybookSystem
import Synchronization

/// One request of a client, from its headers to the end of its answer.
final class WebExchange: Sendable {
    private enum Step {
        case receiving
        /// Being answered, with the connection suspended.
        case answering
        case answered(WebAnswer)
        case sent
    }

    private struct State {
        var body = WipedBytes()
        var step = Step.receiving
        var stream: EventStream?
    }

    let request: WebRequest
    let connection: ConnectionID
    private let state = Mutex(State())

    init(_ request: WebRequest, on connection: ConnectionID) {
        self.request = request
        self.connection = connection
    }

    /// The stream that is the answer, if it is one.
    var stream: EventStream? { state.withLock { $0.stream } }

    /// Appends a part of the body; false if it becomes longer than `limit`.
    func receive(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Bool {
        state.withLock { state in
            guard state.body.count + bytes.count <= limit else { return false }
            unsafe state.body.append(bytes)
            return true
        }
    }

    /// Suspends the connection until `answer`; false if that was done before.
    func beginAnswer() -> Bool {
        state.withLock { state in
            guard case .receiving = state.step else { return false }
            state.step = .answering
            connection.suspend()
            return true
        }
    }

    /// Takes the whole body out.
    func takeBody() -> WipedBytes {
        state.withLock { state in
            defer { state.body = WipedBytes() }
            return state.body
        }
    }

    /// Hands the answer to the daemon's thread; a second one is dropped.
    func answer(_ answer: WebAnswer) {
        state.withLock { state in
            guard case .answering = state.step else { return }
            if case .events(let stream) = answer.body {
                state.stream = stream
                stream.attach(to: connection)
            }
            state.step = .answered(answer)
            connection.resume()
        }
    }

    /// Takes the answer out, to be sent.
    func takeAnswer() -> WebAnswer? {
        state.withLock { state in
            guard case .answered(let answer) = state.step else { return nil }
            state.step = .sent
            return answer
        }
    }
}
