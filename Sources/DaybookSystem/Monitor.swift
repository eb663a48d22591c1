internal import Glibc

/// A value that threads share, and whose change a thread can wait for (POSIX threads).
///
/// Safe because what the pointers lead to is made in `init`, freed in `deinit`, never leaves this
/// file, and is used by whoever holds the mutex alone.
@safe
package final class Monitor<Value>: Sendable {
    private nonisolated(unsafe) let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private nonisolated(unsafe) let condition: UnsafeMutablePointer<pthread_cond_t>
    private nonisolated(unsafe) let value: UnsafeMutablePointer<Value>
    /// How many threads wait for a change.
    private nonisolated(unsafe) let waiting: UnsafeMutablePointer<Int>

    /// Shares a value.
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

    /// Waits until `isReady` says so, changes the value, and wakes those who wait.
    ///
    /// `body` must not use the monitor.
    package func change<Result, Failure: Error>(
        when isReady: (Value) -> Bool = { _ in true },
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer {
            if unsafe waiting.pointee > 0 { unsafe pthread_cond_broadcast(condition) }
            unsafe pthread_mutex_unlock(mutex)
        }
        while !isReady(unsafe value.pointee) {
            unsafe waiting.pointee += 1
            unsafe pthread_cond_wait(condition, mutex)
            unsafe waiting.pointee -= 1
        }
        return try body(&(unsafe value.pointee))
    }
}

/// Which thread of the process one is; a thread that has ended may be followed by one of its id.
package struct ThreadID: Equatable, Sendable {
    private let number: UInt

    /// The thread that asks.
    package static var current: ThreadID { ThreadID(number: UInt(pthread_self())) }
}
