internal import Dispatch
internal import Synchronization

/// Asks one server over connections that are kept alive.
///
/// A call waits for those before it once all connections are busy. Each connection has a thread of
/// its own, because libcurl blocks it, and Swift's own threads are as few as the processors.
package final class HTTPClient: Sendable {
    private let lanes: [Lane]
    /// How many calls each connection has to do.
    private let loads: Mutex<[Int]>

    /// A client that connects when it is first asked; what is wrong with the target it says then.
    ///
    /// It makes a further connection, up to so many, only while all others are busy.
    package init(_ target: HTTPTarget, limits: HTTPLimits = .standard, connections: Int = 1) {
        precondition(connections > 0, "a client has a connection")
        lanes = (0..<connections).map { _ in Lane(target, limits) }
        loads = Mutex(Array(repeating: 0, count: connections))
    }

    /// Posts a body and returns the answer, whatever its status.
    ///
    /// When the task is cancelled the call ends at once; the server may have got it none the less.
    /// When the server closes a kept connection just as it is used, the request is sent a second
    /// time, so post only what may arrive twice.
    package func post(
        _ body: [UInt8], contentType: String = "application/json"
    ) async throws(HTTPFailure) -> HTTPAnswer {
        let call = Call(body, contentType: contentType)
        let index = loads.withLock { loads in
            let least = loads.indices.min { loads[$0] < loads[$1] } ?? 0
            loads[least] += 1
            return least
        }
        defer { loads.withLock { $0[index] -= 1 } }
        let lane = lanes[index]
        let ending = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard call.await(continuation) else { return }
                lane.queue.async { lane.perform(call) }
            }
        } onCancel: {
            call.end(.failure(.cancelled))
        }
        return try ending.get()
    }
}

/// One connection of a client, and the queue on which it is used.
private final class Lane: Sendable {
    let queue = DispatchQueue(label: "daybook.http")
    /// The queue keeps the order; the lock, always free, proves that nothing else comes near.
    private let connection: Mutex<Result<Connection, HTTPFailure>>

    init(_ target: HTTPTarget, _ limits: HTTPLimits) {
        do throws(HTTPFailure) {
            connection = try Mutex(.success(Connection(target, limits)))
        } catch {
            connection = Mutex(.failure(error))
        }
    }

    func perform(_ call: Call) {
        if call.hasEnded { return }
        call.end(
            connection.withLock { connection in
                Call.Ending { () throws(HTTPFailure) in
                    switch connection {
                    case .success(let connection): try connection.perform(call)
                    case .failure(let failure): throw failure
                    }
                }
            })
    }
}

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
