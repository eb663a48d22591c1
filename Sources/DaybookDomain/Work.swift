package import DaybookEncoding

/// An action outside the log that remains to be done, computed from the state.
package enum Effect: Equatable, Sendable {
    /// Ask the node what a deferred request needs.
    case observe(request: RequestID)
    /// Send the signed bytes: the same bytes again if an answer was lost.
    case broadcast(request: RequestID)
    /// Ask the node whether InstantSend has locked the transaction.
    case awaitLock(request: RequestID)

    /// The request that the action is for.
    package var request: RequestID {
        switch self {
        case .observe(let id), .broadcast(let id), .awaitLock(let id): id
        }
    }
}

extension State {
    /// The remaining work. It is computed from the state, so that a crash loses nothing.
    ///
    /// Only requests that `isOfInterest` accepts are considered.
    package func work(
        where isOfInterest: (_ request: RequestID) -> Bool = { _ in true }
    ) -> [Effect] {
        work.keys().compactMap { id in
            guard isOfInterest(id) else { return nil }
            guard let row = request(id) else { return nil }
            switch row.status {
            case .deferred: return .observe(request: id)
            // A payment that is being cancelled is not sent: the cancellation comes first.
            case .signed: return isBeingCancelled(row) ? nil : .broadcast(request: id)
            case .sent: return .awaitLock(request: id)
            case .received, .pending, .approved, .completed, .refused, .coalesced, .rejected,
                .expired, .failed, .cancelled:
                return nil
            }
        }
    }
}
