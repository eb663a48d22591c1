import DaybookSystem

/// A queue for group commit: one commit at a time, each for all tasks that wait for one.
///
/// Items that arrive while a commit waits for the disk form the next group. Groups are committed on
/// a separate thread, because a commit blocks its thread and Swift's tasks have only as many
/// threads as there are cores. While tasks commit one by one, each does so on its own thread: a
/// lone payment takes a quarter less time without the hand-over (`tools/bench lifecycle`).
final class GroupCommit<Item: Sendable, Answer: Sendable>: Sendable {
    private let commit: @Sendable ([Item]) -> [Answer]
    private let run: @Sendable (@escaping WorkThread.Work) -> Void
    private let queue = Monitor(Queue())
    /// Whether a lone task may commit on its own thread; with one core it would block all others.
    private let canCommitAlone: Bool

    private struct Queue {
        var waiting: [Member] = []
        /// Whether a commit is running or about to run.
        var isBusy = false
        /// Whether the last commit was for one task alone.
        var wasAlone = true
    }

    private struct Member {
        let item: Item
        let resumption: CheckedContinuation<Answer, Never>
    }

    /// `commit` makes a group's items durable and returns an answer for each, in order.
    ///
    /// `run` replaces the thread; it must do the work that it gets in order. `waitsOnlyForDisk`
    /// says that a commit waits for no network: a lone task may then wait on its own thread.
    init(
        on run: (@Sendable (@escaping WorkThread.Work) -> Void)?, waitsOnlyForDisk: Bool = true,
        _ commit: @escaping @Sendable ([Item]) -> [Answer]
    ) {
        self.commit = commit
        self.run = run ?? WorkThread().run
        canCommitAlone = run == nil && waitsOnlyForDisk && Process.cores > 1
    }

    /// The number of tasks that wait for a commit that has not begun.
    var waiting: Int { queue.change { $0.waiting.count } }

    /// Adds an item to the next commit and waits for its answer.
    @concurrent func join(_ item: Item) async -> Answer {
        let isAlone = queue.change { queue in
            guard canCommitAlone, !queue.isBusy, queue.wasAlone else { return false }
            queue.isBusy = true
            return true
        }
        if isAlone {
            let answers = commit([item])
            startNext()
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
    private func startNext() {
        let hasMore = queue.change { queue in
            queue.isBusy = !queue.waiting.isEmpty
            return queue.isBusy
        }
        if hasMore { run { [self] in commitNext() } }
    }

    /// Commits all waiting items; the closure that it returns resumes their tasks.
    ///
    /// They resume after the commit has released its resources, because a task may close the store.
    private func commitNext() -> @Sendable () -> Void {
        let members = queue.change { queue in
            defer { queue.waiting = [] }
            queue.wasAlone = queue.waiting.count == 1
            return queue.waiting
        }
        let answers = commit(members.map(\.item))
        precondition(answers.count == members.count, "a commit answers each of its items")
        startNext()
        let resumptions = members.map(\.resumption)
        return {
            for (resumption, answer) in zip(resumptions, answers) {
                resumption.resume(returning: answer)
            }
        }
    }
}
