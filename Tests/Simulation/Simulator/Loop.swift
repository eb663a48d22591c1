/// Runs tasks on the thread that asks for it, in the order in which they became ready: what
/// several stores do at once is the same every time.
final class Loop: TaskExecutor {
    /// Only the one thread of the simulation touches it.
    private nonisolated(unsafe) let queue = Queue()

    private final class Queue {
        var jobs: [UnownedJob] = []
        var next = 0
    }

    func enqueue(_ job: consuming ExecutorJob) {
        queue.jobs.append(UnownedJob(job))
    }

    /// Starts a task, which runs when the others that are ready have run.
    func start(soon body: @escaping @Sendable () -> Void) {
        Task(executorPreference: self) { body() }
    }

    /// Starts a task, which runs together with the others that are ready.
    func start(_ body: @escaping @Sendable () async -> Void) {
        Task(executorPreference: self) { await body() }
    }

    /// Runs until every task waits for something outside.
    func drain() {
        while queue.next < queue.jobs.count {
            let job = queue.jobs[queue.next]
            queue.next += 1
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
        queue.jobs.removeAll(keepingCapacity: true)
        queue.next = 0
    }
}
