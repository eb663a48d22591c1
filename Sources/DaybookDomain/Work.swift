/// One thing that remains to be done outside, as the state says.
package enum Effect: Equatable, Sendable {
    /// Ask the node what a deferred request needs.
    case observe(request: UInt64)
    /// Send the signed bytes: the same ones again if an answer was lost.
    case broadcast(request: UInt64)
    /// Look for InstantSend's lock.
    case awaitLock(request: UInt64)
}

extension State {
    /// What remains to be done: a function of the state, so that nothing is forgotten in a crash.
    ///
    /// Only requests of interest are looked at.
    package func work(where isOfInterest: (_ request: UInt64) -> Bool = { _ in true }) -> [Effect] {
        work.keys().compactMap { id in
            guard isOfInterest(id) else { return nil }
            switch request(id)?.status {
            case .deferred: return .observe(request: id)
            case .signed: return .broadcast(request: id)
            case .sent: return .awaitLock(request: id)
            default: return nil
            }
        }
    }
}
