internal import Glibc

/// A thread of one's own, for work that waits for the disk.
///
/// Tasks have no more threads than the machine has cores: one of them that waited would keep the
/// others from going on. The thread starts with the first work and ends with this value.
package final class WorkThread: Sendable {
    /// Something to do; what it returns is done last, when the work itself holds nothing any more.
    package typealias Work = @Sendable () -> @Sendable () -> Void

    private struct Queue {
        var works: [Work] = []
        var isStarted = false
        var isEnded = false
    }

    private let queue = Monitor(Queue())

    package init() {}

    deinit { queue.change { $0.isEnded = true } }

    /// Does some work after what was given before, and does not wait for it.
    package func run(_ work: @escaping Work) {
        let isFirst = queue.change { queue in
            queue.works.append(work)
            defer { queue.isStarted = true }
            return !queue.isStarted
        }
        // Without a thread, the caller's own does it.
        if isFirst, !start() {
            let works = queue.change { queue in
                defer { queue = Queue() }
                return queue.works
            }
            for work in works { work()() }
        }
    }

    /// Starts the thread; false if the system has none to give.
    private func start() -> Bool {
        let argument = unsafe Unmanaged.passRetained(queue)
        // Signals are for other threads: none cuts a commit short.
        var (all, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, nil, { argument in
                guard let argument = unsafe argument else { return nil }
                WorkThread.serve(
                    unsafe Unmanaged<Monitor<Queue>>.fromOpaque(argument).takeRetainedValue())
                return nil
            }, unsafe argument.toOpaque())
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        guard code == 0 else {
            unsafe argument.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private static func serve(_ queue: Monitor<Queue>) {
        while let rest = next(in: queue) { rest() }
    }

    /// Does what comes next, and gives what is to be done last; nil at the end.
    private static func next(in queue: Monitor<Queue>) -> (@Sendable () -> Void)? {
        let work = queue.change(when: { !$0.works.isEmpty || $0.isEnded }) { queue in
            queue.works.isEmpty ? nil : queue.works.removeFirst()
        }
        return work?()
    }
}
