import DaybookChains
import DaybookNodes

/// What tasks of a store are doing, so that no other task does it too.
///
/// A request that somebody has in hand is gone on with there; what a crash cut off is in nobody's
/// hand, and whoever comes next goes on with it. A look at a chain is for all who wait for one.
final class Underway {
    /// Somebody who waits for a look: contracts to ask for, what the chain said to a transaction
    /// and is to be recorded with the look, and who hears how far it is.
    typealias Look = (tokens: [String], reply: SendReply?, progress: ChainProgress?)
    typealias Looks = Rounds<Look, Result<Bool, any Error>>

    private var looks: [ChainID: Looks] = [:]
    private var tasks: [UInt64: Int] = [:]

    func contains(_ request: UInt64) -> Bool { tasks[request] != nil }

    func begin(_ request: UInt64) { tasks[request, default: 0] += 1 }

    /// The looks at a chain and network, one after the other.
    func looks(at place: ChainID) -> Looks {
        if let running = looks[place] { return running }
        let first = Looks()
        looks[place] = first
        return first
    }

    func end(_ request: UInt64) {
        let left = (tasks[request] ?? 0) - 1
        tasks[request] = left > 0 ? left : nil
    }
}
