import DaybookSystem

/// Commits that tasks share, one at a time, beside the actors of those who ask for them.
///
/// What tasks ask for while one commit waits for the disk is the next commit: many share what it
/// costs. Such commits have a thread of their own, since tasks have no more threads than there are
/// cores, and one that waits for the disk keeps its thread from the others. A task that nobody
/// else has come with of late commits on its own thread: a lone payment takes a quarter less time
/// without the hand-over (`tools/bench lifecycle`).
final class SharedCommits<Item: Sendable, Answer: Sendable>: Sendable {
    private let commit: @Sendable ([Item]) -> [Answer]
    private let run: @Sendable (@escaping WorkThread.Work) -> Void
    private let queue = Monitor(Queue())
    /// Whether a task alone may commit on its own thread: with a single core nobody else could run.
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

    /// `commit` gives each item of a group its answer, in order, when they are durable.
    ///
    /// `run` does the work in order where it is not to have a thread of its own.
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

    /// Makes an item part of the next commit, and waits for its answer.
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

    /// After a commit, begins the next one if somebody waits for it.
    private func goOn() {
        let isMore = queue.change { queue in
            queue.isBusy = !queue.waiting.isEmpty
            return queue.isBusy
        }
        if isMore { run { [self] in commitNext() } }
    }

    /// Commits what waits, and gives what tells those who wait.
    ///
    /// They are told when nothing of their work is held any more: who is told may close the store.
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
