internal import Dispatch
internal import Synchronization

/// Asks one server, call after call, over one connection that is kept alive.
///
/// A call waits for those before it. Its thread is the client's own, because libcurl blocks it,
/// and Swift's own threads are as few as the processors.
package final class HTTPClient: Sendable {
    private let queue = DispatchQueue(label: "daybook.http")
    /// The queue keeps the order; the lock, always free, proves that nothing else comes near.
    private let connection: Mutex<Result<Connection, HTTPFailure>>

    /// A client that connects when it is first asked; what is wrong with the target it says then.
    package init(_ target: HTTPTarget, limits: HTTPLimits = .standard) {
        do throws(HTTPFailure) {
            connection = try Mutex(.success(Connection(target, limits)))
        } catch {
            connection = Mutex(.failure(error))
        }
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
        let ending = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard call.await(continuation) else { return }
                queue.async { self.perform(call) }
            }
        } onCancel: {
            call.end(.failure(.cancelled))
        }
        return try ending.get()
    }

    private func perform(_ call: Call) {
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
