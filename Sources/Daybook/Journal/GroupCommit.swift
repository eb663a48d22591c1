import DaybookSystem

/// A queue of group commits: one commit at a time, for all tasks that wait.
///
/// Items that arrive while a commit waits for the disk form the next group. Groups are committed on
/// a thread of their own, because Swift's tasks have only as many threads as there are cores, and a
/// commit blocks its thread. A task whose last group was itself alone commits on its own thread: a
/// lone payment takes a quarter less time without the hand-over (`tools/bench lifecycle`).
final class GroupCommit<Item: Sendable, Answer: Sendable>: Sendable {
    private let commit: @Sendable ([Item]) -> [Answer]
    private let run: @Sendable (@escaping WorkThread.Work) -> Void
    private let queue = Monitor(Queue())
    /// Whether a lone task may commit on its own thread; with one core it would block all others.
    private let letsAloneCommit: Bool

    private struct Queue {
        var waiting: [Member] = []
        /// Whether a commit is under way, or about to be.
        var isBusy = false
        /// Whether the last commit was for one task alone.
        var wasAlone = true
    }

    private struct Member {
        let item: Item
        let resumption: CheckedContinuation<Answer, Never>
    }

    /// `commit` makes the items of a group durable and returns an answer for each, in order.
    ///
    /// `run` replaces the thread: it does the work that it is given, in order.
    init(
        on run: (@Sendable (@escaping WorkThread.Work) -> Void)?,
        _ commit: @escaping @Sendable ([Item]) -> [Answer]
    ) {
        self.commit = commit
        self.run = run ?? WorkThread().run
        letsAloneCommit = run == nil && Process.cores > 1
    }

    /// How many tasks wait for a commit that has not begun.
    var waiting: Int { queue.change { $0.waiting.count } }

    /// Adds an item to the next commit and waits for its answer.
    @concurrent func join(_ item: Item) async -> Answer {
        let isAlone = queue.change { queue in
            guard letsAloneCommit, !queue.isBusy, queue.wasAlone else { return false }
            queue.isBusy = true
            return true
        }
        if isAlone {
            let answers = commit([item])
            goOn()
            return answers[0]
        }
        return await withCheckedContinuation { resumption in
            let isFirst = queue.change { queue in
                queue.waiting.append(Member(item: item, resumption: resumption))
                defer { queue.isBusy = true }
                return !queue.isBusy
            }
            if isFirst { run { [self] in commitNext() } }
        }
    }

    /// Starts the next commit if a task waits for one.
    private func goOn() {
        let isMore = queue.change { queue in
            queue.isBusy = !queue.waiting.isEmpty
            return queue.isBusy
        }
        if isMore { run { [self] in commitNext() } }
    }

    /// Commits all waiting items; the closure that it returns resumes their tasks.
    ///
    /// Tasks resume after the commit has released what it held, because one may close the store.
    private func commitNext() -> @Sendable () -> Void {
        let members = queue.change { queue in
            defer { queue.waiting = [] }
            queue.wasAlone = queue.waiting.count == 1
            return queue.waiting
        }
        let answers = commit(members.map(\.item))
        precondition(answers.count == members.count, "each item of a commit has its answer")
        goOn()
        let resumptions = members.map(\.resumption)
        return {
            for (resumption, answer) in zip(resumptions, answers) {
                resumption.resume(returning: answer)
            }
        }
    }
}

/// Work done in rounds, each for all tasks that wait for it: one look at a chain for many payments.
///
/// For example:
///
///     let answer = await rounds.join(item) { items in await answers(to: items) }
///
/// A task that joins during a round is part of the next one. The first task of a round does its
/// work for all others. All tasks share one isolation.
final class Rounds<Item, Answer: Sendable> {
    private var waiting: [Member] = []
    /// Whether a round is under way, or about to be.
    private var isLed = false

    private struct Member {
        let item: Item
        let resumption: CheckedContinuation<Call, Never>
    }

    /// Why a task that waited goes on.
    private enum Call: Sendable {
        case done(Answer)
        case leads
    }

    /// Adds an item to the next round; `work` gives each item of a round its answer, in order. The
    /// first item is that of the task which does the work.
    func join(_ item: Item, _ work: ([Item]) async -> [Answer]) async -> Answer {
        if isLed {
            let call = await withCheckedContinuation { resumption in
                waiting.append(Member(item: item, resumption: resumption))
            }
            if case .done(let answer) = call { return answer }
        }
        isLed = true
        let others = waiting
        waiting = []
        let answers = await work([item] + others.map(\.item))
        precondition(answers.count == others.count + 1, "each item of a round has its answer")
        for (member, answer) in zip(others, answers.dropFirst()) {
            member.resumption.resume(returning: .done(answer))
        }
        if waiting.isEmpty {
            isLed = false
        } else {
            waiting.removeFirst().resumption.resume(returning: .leads)
        }
        return answers[0]
    }
}
