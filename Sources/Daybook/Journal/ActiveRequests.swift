import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes

/// The requests and scans that tasks of a store work on, so that no two tasks do the same work.
///
/// A request that no task works on, for example after a crash, is open to the next task. One scan
/// of a chain serves all tasks that wait for one.
final class ActiveRequests {
    typealias Scans = BatchQueue<ScanRequest, Result<Bool, any Error>>

    private var scans: [ChainID: Scans] = [:]
    private var tasks: [RequestID: Int] = [:]

    /// The number of running syncs, and the answers to transactions since the first one began.
    private var listeners = 0
    private var answers: [(request: RequestID, data: BroadcastAnswered)] = []

    func contains(_ request: RequestID) -> Bool { tasks[request] != nil }

    func begin(_ request: RequestID) { tasks[request, default: 0] += 1 }

    func end(_ request: RequestID) {
        let left = (tasks[request] ?? 0) - 1
        tasks[request] = left > 0 ? left : nil
    }

    /// The queue of a chain's scans.
    func scans(of chainID: ChainID) -> Scans {
        if let queue = scans[chainID] { return queue }
        let queue = Scans()
        scans[chainID] = queue
        return queue
    }

    // MARK: - Answers to transactions

    /// Begins to collect the nodes' answers to transactions, until each listener has ended.
    func beginListening() { listeners += 1 }

    func endListening() {
        listeners -= 1
        if listeners == 0 { answers = [] }
    }

    /// Notes a node's answer to a request's transaction.
    func note(_ answer: BroadcastAnswered, of request: RequestID) {
        if listeners > 0 { answers.append((request, answer)) }
    }

    /// Returns and forgets the answers, the last one for each request.
    func takeAnswers() -> [RequestID: BroadcastAnswered] {
        defer { answers = [] }
        return Dictionary(
            answers.map { ($0.request, $0.data) }, uniquingKeysWith: { _, last in last })
    }
}

/// A queue of work that is done in batches: one scan of a chain for many payments.
///
/// For example:
///
///     let answer = await queue.join(item) { items in await answers(to: items) }
///
/// An item that arrives while a batch runs is part of the next batch. The first task of a batch
/// does the work for all of its tasks. All tasks share one isolation.
final class BatchQueue<Item, Answer: Sendable> {
    private var waiting: [Member] = []
    /// Whether a batch is running or about to run.
    private var isBusy = false

    private struct Member {
        let item: Item
        let resumption: CheckedContinuation<Wakeup, Never>
    }

    /// Why a waiting task resumes.
    private enum Wakeup: Sendable {
        case answered(Answer)
        case worksNext
    }

    /// Adds an item to the next batch and waits for its answer.
    ///
    /// `work` gives each item of a batch its answer, in order. The first item is that of the task
    /// that does the work.
    func join(_ item: Item, _ work: ([Item]) async -> [Answer]) async -> Answer {
        if isBusy {
            let wakeup = await withCheckedContinuation { resumption in
                waiting.append(Member(item: item, resumption: resumption))
            }
            if case .answered(let answer) = wakeup { return answer }
        }
        isBusy = true
        let others = waiting
        waiting = []
        let answers = await work([item] + others.map(\.item))
        precondition(answers.count == others.count + 1, "a batch answers each of its items")
        for (member, answer) in zip(others, answers.dropFirst()) {
            member.resumption.resume(returning: .answered(answer))
        }
        if waiting.isEmpty {
            isBusy = false
        } else {
            waiting.removeFirst().resumption.resume(returning: .worksNext)
        }
        return answers[0]
    }
}
