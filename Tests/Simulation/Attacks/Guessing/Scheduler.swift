import TestSupport

/// Runs tasks on the thread that asks for it, a step of a drawn one at a time: another seed is
/// another interleaving, and the same seed is always the same one.
final class Scheduler: TaskExecutor {
    /// Only the one thread of an interleaving touches it.
    private nonisolated(unsafe) let queue: Queue

    private final class Queue {
        var jobs: [UnownedJob] = []
        var random: Seeded

        init(_ seed: UInt64) { random = Seeded(seed) }
    }

    init(seed: UInt64) { queue = Queue(seed) }

    func enqueue(_ job: consuming ExecutorJob) { queue.jobs.append(UnownedJob(job)) }

    /// Starts a task, which runs together with the others that are ready.
    func start(_ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: self) { await body() }
    }

    /// Runs until every task has ended or waits.
    func drain() {
        while !queue.jobs.isEmpty {
            let index = queue.random.below(queue.jobs.count)
            queue.jobs.swapAt(index, queue.jobs.count - 1)
            queue.jobs.removeLast().runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
