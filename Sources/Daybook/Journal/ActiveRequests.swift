import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes

/// The requests and scans that tasks of a store work on, so that no other task works on them too.
///
/// A request that no task works on, for example after a crash, is open to the next task. One scan
/// of a chain serves all tasks that wait for one.
final class ActiveRequests {
    /// A task that waits for a scan: contracts to ask for, an answer of the chain to a transaction
    /// that is recorded together with the scan, and a listener for progress.
    typealias Look = (tokens: [String], reply: SendReply?, progress: ChainProgress?)
    typealias Looks = Rounds<Look, Result<Bool, any Error>>

    private var looks: [ChainID: Looks] = [:]
    private var tasks: [RequestID: Int] = [:]

    /// How many syncs run, and what nodes have answered to transactions since the first began.
    private var hearing = 0
    private var answers: [(request: RequestID, data: BroadcastAnswered)] = []

    /// Remembers what nodes answer to transactions, until each sync that began has ended.
    func beginHearing() { hearing += 1 }

    func endHearing() {
        hearing -= 1
        if hearing == 0 { answers = [] }
    }

    /// Notes what a node answered to a request's transaction.
    func note(_ answer: BroadcastAnswered, of request: RequestID) {
        if hearing > 0 { answers.append((request, answer)) }
    }

    /// The last answer to each request's transaction since the last call.
    func takeAnswers() -> [RequestID: BroadcastAnswered] {
        defer { answers = [] }
        return Dictionary(
            answers.map { ($0.request, $0.data) }, uniquingKeysWith: { _, last in last })
    }

    func contains(_ request: RequestID) -> Bool { tasks[request] != nil }

    func begin(_ request: RequestID) { tasks[request, default: 0] += 1 }

    /// The scans of a chain and network, one after the other.
    func looks(at place: ChainID) -> Looks {
        if let running = looks[place] { return running }
        let first = Looks()
        looks[place] = first
        return first
    }

    func end(_ request: RequestID) {
        let left = (tasks[request] ?? 0) - 1
        tasks[request] = left > 0 ? left : nil
    }
}
