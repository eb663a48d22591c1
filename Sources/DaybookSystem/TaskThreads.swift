/// Threads for tasks that wait for another machine, such as a database.
///
/// Swift's tasks share as many threads as the machine has cores, and a thread that waits serves no
/// other task. A task that prefers these threads waits on one of them, and so do the actors and
/// asynchronous functions that it calls. Each thread starts with the first task that needs it.
package final class TaskThreads: TaskExecutor {
    private struct State {
        /// The tasks that no thread has taken yet, in order.
        var works: ArraySlice<WorkThread.Work> = []
        /// The threads that do nothing.
        var idle: [WorkThread]
    }

    private let state: Monitor<State>

    /// At most `count` threads.
    package init(_ count: Int) {
        state = Monitor(State(idle: (0..<count).map { _ in WorkThread() }))
    }

    /// Runs a part of a task, on whichever thread is free first.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        run { [self] in
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            return {}
        }
    }

    /// Does a work as `WorkThread.run` does, on whichever thread is free first.
    package func run(_ work: @escaping WorkThread.Work) {
        let thread = state.change { state in
            state.works.append(work)
            return state.idle.popLast()
        }
        guard let thread else { return }
        thread.run { [self] in
            while let rest = next(for: thread) { rest() }
            return {}
        }
    }

    /// Does the next work and returns its last closure; without work, the thread is idle.
    private func next(for thread: WorkThread) -> (@Sendable () -> Void)? {
        let work = state.change { state -> WorkThread.Work? in
            if let work = state.works.popFirst() { return work }
            state.idle.append(thread)
            return nil
        }
        return work?()
    }
}

/// A thread of its own for an actor that waits for another machine, such as a database.
package final class ActorThread: SerialExecutor {
    private let thread = WorkThread()

    package init() {}

    /// Runs a part of a task in the actor.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        thread.run { [self] in
            unsafe job.runSynchronously(on: asUnownedSerialExecutor())
            return {}
        }
    }
}
