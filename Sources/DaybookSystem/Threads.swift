internal import Dispatch
internal import Glibc

/// A thread for work that blocks, such as waiting for the disk.
///
/// Swift's tasks share as many threads as the machine has cores: blocking one of them would stop
/// other tasks. The thread starts with the first work and ends with this value.
package final class WorkThread: Sendable {
    /// A piece of work; the closure that it returns runs after the work itself was released.
    package typealias Work = @Sendable () -> @Sendable () -> Void

    private struct Queue {
        var works: [Work] = []
        var isStarted = false
        var isEnded = false

        /// The next work; nil at the end of the queue, where a thread may be started again.
        mutating func takeNext() -> Work? {
            if works.isEmpty { isStarted = false }
            return works.isEmpty ? nil : works.removeFirst()
        }
    }

    private let queue = Monitor(Queue())

    package init() {}

    deinit { queue.change { $0.isEnded = true } }

    /// Adds work to the queue, and returns at once.
    package func run(_ work: @escaping Work) {
        let isFirst = queue.change { queue in
            queue.works.append(work)
            defer { queue.isStarted = true }
            return !queue.isStarted
        }
        // Without a thread, the caller's thread does the work: also what others add meanwhile, so
        // that no two pieces are done at once.
        if isFirst, !start() {
            while let work = queue.change({ $0.takeNext() }) { work()() }
        }
    }

    /// Starts the thread; false if the system refuses.
    private func start() -> Bool {
        let argument = unsafe Unmanaged.passRetained(queue)
        // This thread blocks all signals, so that none interrupts a commit.
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

    /// Does the next work, and returns its last closure; nil at the end.
    private static func next(in queue: Monitor<Queue>) -> (@Sendable () -> Void)? {
        let work = queue.change(when: { !$0.works.isEmpty || $0.isEnded }) { queue in
            queue.works.isEmpty ? nil : queue.works.removeFirst()
        }
        return work?()
    }
}

/// Pipelines work on two cores: the next value is made while the last one is used.
package enum Lookahead {
    /// Calls `body` with all that `make` makes of a source, in order, until that is nil.
    ///
    /// One thing is made ahead, so that memory stays flat. Unlike tasks that wait for each other
    /// this suspends nobody: an actor does nothing else between two calls of `body`. All of these
    /// calls are made on the caller's thread, to which LMDB binds a write that `body` leaves open
    /// (lmdb.h, `mdb_txn_begin`). An error of `body` comes before one of making what follows.
    package static func each<Source, Made: Sendable>(
        of source: sending Source, _ make: @Sendable (inout Source) throws -> Made?,
        _ body: (Made) throws -> Void
    ) throws {
        let source = Monitor(source)
        @Sendable func makeNext() throws -> Made? { try source.change { try make(&$0) } }
        var next = try makeNext()
        while let made = next { next = try atOnce({ try body(made) }, makeNext) }
    }

    /// Does two things, the first on this thread and the second on another, and waits for both.
    ///
    /// Where no core is free, this thread does both.
    package static func atOnce<Second: Sendable>(
        _ first: () throws -> Void, _ second: @Sendable () throws -> Second
    ) throws -> Second {
        let caller = pthread_self()
        let done = Monitor<Result<Void, any Error>?>(nil)
        let made = Monitor<Result<Second, any Error>?>(nil)
        withoutActuallyEscaping(first) { first in
            // Only the caller's thread gets to it.
            nonisolated(unsafe) let first = first
            @Sendable func doFirst() { done.change { $0 = $0 ?? Result { unsafe try first() } } }
            @Sendable func makeSecond() { made.change { $0 = $0 ?? Result { try second() } } }
            DispatchQueue.concurrentPerform(iterations: 2) { _ in
                let isCaller = pthread_equal(pthread_self(), caller) != 0
                if isCaller, done.change({ $0 == nil }) { doFirst() } else { makeSecond() }
            }
            // Both numbers may have been handed to one thread.
            doFirst()
            makeSecond()
        }
        guard let done = done.change({ $0 }), let made = made.change({ $0 }) else {
            preconditionFailure("both were done just now")
        }
        try done.get()
        return try made.get()
    }
}

/// Distributes work over all cores.
package enum Cores {
    /// The results for the items, in their order; as many are computed at a time as cores are free.
    ///
    /// Unlike tasks that wait for each other this suspends nobody. Each item has one thread for all
    /// of its work. Of several errors that of the first item is thrown.
    package static func map<Item: Sendable, Made: Sendable>(
        _ items: [Item], _ make: @Sendable (Item) throws -> Made
    ) throws -> [Made] {
        if items.count < 2 { return try items.map(make) }
        let results = Monitor<[Int: Result<Made, any Error>]>([:])
        DispatchQueue.concurrentPerform(iterations: items.count) { index in
            let result = Result { try make(items[index]) }
            results.change { $0[index] = result }
        }
        let made = results.change { $0 }
        return try items.indices.compactMap { try made[$0]?.get() }
    }
}

/// A value that threads share, and whose change a thread can wait for: a mutex and a condition.
///
/// Safe because what the pointers lead to is made in `init`, freed in `deinit`, never leaves this
/// file, and only the thread that holds the mutex uses it.
@safe
package final class Monitor<Value>: Sendable {
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private nonisolated(unsafe) let condition: UnsafeMutablePointer<pthread_cond_t>
    @usableFromInline
    nonisolated(unsafe) let value: UnsafeMutablePointer<Value>
    /// How many threads are waiting for a change.
    private nonisolated(unsafe) let waiting: UnsafeMutablePointer<Int>

    /// A monitor of a value.
    package init(_ value: sending Value) {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe self.value = .allocate(capacity: 1)
        unsafe waiting = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
        unsafe self.value.initialize(to: value)
        unsafe waiting.initialize(to: 0)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe value.deinitialize(count: 1)
        unsafe mutex.deallocate()
        unsafe condition.deallocate()
        unsafe value.deallocate()
        unsafe waiting.deallocate()
    }

    /// Waits until `isReady` is true, changes the value, and wakes the waiting threads.
    ///
    /// `body` must not use the monitor.
    package func change<Result: ~Copyable, Failure: Error>(
        when isReady: (Value) -> Bool,
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { wakeAndUnlock() }
        while !isReady(unsafe value.pointee) {
            unsafe waiting.pointee += 1
            unsafe pthread_cond_wait(condition, mutex)
            unsafe waiting.pointee -= 1
        }
        return try body(&(unsafe value.pointee))
    }

    /// Changes the value, and wakes the waiting threads.
    ///
    /// `body` must not use the monitor. Without a condition, and inlinable, because a payment calls
    /// it hundreds of times.
    @inlinable
    package func change<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        lock()
        defer { wakeAndUnlock() }
        return try body(&(unsafe value.pointee))
    }

    @usableFromInline
    func lock() { unsafe pthread_mutex_lock(mutex) }

    @usableFromInline
    func wakeAndUnlock() {
        if unsafe waiting.pointee > 0 { unsafe pthread_cond_broadcast(condition) }
        unsafe pthread_mutex_unlock(mutex)
    }
}

/// The id of a thread, which may be reused after the thread has ended.
package struct ThreadID: Equatable, Sendable {
    private let number: UInt

    /// The calling thread.
    package static var current: ThreadID { ThreadID(number: UInt(pthread_self())) }
}
