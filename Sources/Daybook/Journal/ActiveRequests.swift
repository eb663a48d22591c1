import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import DaybookSystem

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

/// Locks that let one task of all processes send the transaction of a request.
///
/// The network can tell two senders different things, and the answer that is recorded first may be
/// the one that no longer holds: a payment that failed, and is on its chain.
package protocol SendLocks: Sendable {
    /// Locks a request until `end`, which comes when the network's answer is recorded.
    ///
    /// Nil while another task or process has the lock.
    func take(of request: RequestID) throws -> (any SendLock)?
}

/// A lock that is held; the end of the process ends it too.
package protocol SendLock: AnyObject {
    func end()
}

/// The send locks of a store in a folder: each request has a byte of a file that is locked.
struct FileSendLocks: SendLocks {
    let path: String

    func take(of request: RequestID) throws -> (any SendLock)? {
        do {
            return FileSendLock(try FileLock(withoutWaiting: path, byte: request.number))
        } catch let error where error.code == .wouldBlock {
            return nil
        }
    }
}

private final class FileSendLock: SendLock {
    private var lock: FileLock?

    init(_ lock: consuming FileLock) {
        self.lock = consume lock
    }

    func end() { lock = nil }
}

/// The send locks that one task holds at once.
final class HeldSendLocks {
    private let locks: any SendLocks
    private var held: [RequestID: any SendLock] = [:]

    init(_ locks: any SendLocks) {
        self.locks = locks
    }

    /// Locks a request unless this task has locked it; false while another one has the lock.
    func take(of request: RequestID) throws -> Bool {
        if held[request] == nil { held[request] = try locks.take(of: request) }
        return held[request] != nil
    }

    func end() {
        for lock in held.values { lock.end() }
        held = [:]
    }
}
