internal import Dispatch
internal import Synchronization

/// An HTTP client for one server, with a pool of connections that are kept alive.
///
/// While all connections are busy, calls wait in order. Each connection has a dispatch queue of its
/// own, because libcurl blocks its thread and Swift's pool has only as many as there are cores.
package final class HTTPClient: Sendable {
    private let pool: [PooledConnection]
    /// The number of unfinished calls of each connection.
    private let loads: Mutex<[Int]>

    /// A client that connects with its first call, which also reports an invalid target.
    ///
    /// A further connection, up to `connections`, is made only while all others are busy.
    package init(_ target: HTTPTarget, limits: HTTPLimits = .standard, connections: Int = 1) {
        precondition(connections > 0, "a client has a connection")
        pool = (0..<connections).map { _ in PooledConnection(target, limits) }
        loads = Mutex(Array(repeating: 0, count: connections))
    }

    /// Posts a body and returns the response, whatever its status.
    ///
    /// A cancelled task ends the call at once, but the server may have received it. If the server
    /// closes a kept connection just as it is used, the request is sent a second time: post only
    /// what may arrive twice.
    package func post(
        _ body: [UInt8], contentType: String = "application/json"
    ) async throws(HTTPFailure) -> HTTPResponse {
        let call = HTTPCall(body, contentType: contentType)
        let index = loads.withLock { loads in
            let least = loads.indices.min { loads[$0] < loads[$1] } ?? 0
            loads[least] += 1
            return least
        }
        defer { loads.withLock { $0[index] -= 1 } }
        let connection = pool[index]
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard call.await(continuation) else { return }
                connection.queue.async { connection.perform(call) }
            }
        } onCancel: {
            call.end(.failure(.cancelled))
        }
        return try outcome.get()
    }
}

/// A connection of the pool, and the queue on which it is used.
private final class PooledConnection: Sendable {
    let queue = DispatchQueue(label: "daybook.http")
    /// Only the queue uses it; the mutex is never contended and satisfies `Sendable`.
    private let connection: Mutex<Result<HTTPConnection, HTTPFailure>>

    init(_ target: HTTPTarget, _ limits: HTTPLimits) {
        do throws(HTTPFailure) {
            connection = try Mutex(.success(HTTPConnection(target, limits)))
        } catch {
            connection = Mutex(.failure(error))
        }
    }

    func perform(_ call: HTTPCall) {
        if call.hasEnded { return }
        call.end(
            connection.withLock { connection in
                HTTPCall.Outcome { () throws(HTTPFailure) in
                    switch connection {
                    case .success(let connection): try connection.perform(call)
                    case .failure(let failure): throw failure
                    }
                }
            })
    }
}

/// A call in flight, which ends once: with its response or by cancellation.
final class HTTPCall: Sendable {
    typealias Outcome = Result<HTTPResponse, HTTPFailure>

    let body: [UInt8]
    let contentType: String
    private let state = Mutex(State.made)

    private enum State {
        case made
        case awaited(CheckedContinuation<Outcome, Never>)
        case ended
    }

    init(_ body: [UInt8], contentType: String) {
        self.body = body
        self.contentType = contentType
    }

    /// Whether the call has ended, so that its response would be dropped.
    var hasEnded: Bool {
        state.withLock { if case .ended = $0 { true } else { false } }
    }

    /// Sets the continuation to resume with the outcome; false if the call was cancelled before.
    func await(_ continuation: CheckedContinuation<Outcome, Never>) -> Bool {
        let isEarly = state.withLock { state in
            if case .ended = state { return false }
            state = .awaited(continuation)
            return true
        }
        if !isEarly { continuation.resume(returning: .failure(.cancelled)) }
        return isEarly
    }

    /// Ends the call; a second outcome is dropped.
    func end(_ outcome: Outcome) {
        let waiting: CheckedContinuation<Outcome, Never>? = state.withLock { state in
            defer { state = .ended }
            if case .awaited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume(returning: outcome)
    }
}
