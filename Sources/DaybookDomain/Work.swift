package import DaybookEncoding

/// One thing that remains to be done outside, as the state says.
package enum Effect: Equatable, Sendable {
    /// Ask the node what a deferred request needs.
    case observe(request: RequestID)
    /// Send the signed bytes: the same ones again if an answer was lost.
    case broadcast(request: RequestID)
    /// Look for InstantSend's lock.
    case awaitLock(request: RequestID)
}

extension State {
    /// What remains to be done: a function of the state, so that nothing is forgotten in a crash.
    ///
    /// Only requests of interest are looked at.
    package func work(
        where isOfInterest: (_ request: RequestID) -> Bool = { _ in true }
    ) -> [Effect] {
        work.keys().compactMap { id in
            guard isOfInterest(id) else { return nil }
            guard let row = request(id) else { return nil }
            switch row.status {
            case .deferred: return .observe(request: id)
            // What is being cancelled is not sent: its next step is that of the cancellation.
            case .signed: return isBeingCancelled(row) ? nil : .broadcast(request: id)
            case .sent: return .awaitLock(request: id)
            default: return nil
            }
        }
    }
}
