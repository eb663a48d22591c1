internal import Dispatch
internal import Glibc
internal import Synchronization

/// Work on two cores: what comes next is made while what was made before is taken in.
package enum Ahead {
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
        let source = Mutex(source)
        @Sendable func makeNext() throws -> Made? { try source.withLock { try make(&$0) } }
        var next = try makeNext()
        while let made = next { next = try atOnce({ try body(made) }, makeNext) }
    }

    /// Does two things, the first on this thread, the second on another where there is a free core;
    /// returns when both are done.
    private static func atOnce<Second: Sendable>(
        _ first: () throws -> Void, _ second: @Sendable () throws -> Second
    ) throws -> Second {
        let caller = pthread_self()
        let done = Mutex<Result<Void, any Error>?>(nil)
        let made = Mutex<Result<Second, any Error>?>(nil)
        withoutActuallyEscaping(first) { first in
            // Only the caller's thread gets to it.
            nonisolated(unsafe) let first = first
            @Sendable func doFirst() { done.withLock { $0 = $0 ?? Result { unsafe try first() } } }
            @Sendable func makeSecond() { made.withLock { $0 = $0 ?? Result { try second() } } }
            DispatchQueue.concurrentPerform(iterations: 2) { _ in
                let isCaller = pthread_equal(pthread_self(), caller) != 0
                if isCaller, done.withLock({ $0 == nil }) { doFirst() } else { makeSecond() }
            }
            // Both numbers may have been handed to one thread.
            doFirst()
            makeSecond()
        }
        guard let done = done.withLock({ $0 }), let made = made.withLock({ $0 }) else {
            preconditionFailure("both were done just now")
        }
        try done.get()
        return try made.get()
    }
}

/// Work that all cores share.
package enum Cores {
    /// What is made of each item, in the order of the items, as many at a time as cores are free.
    ///
    /// Unlike tasks that wait for each other this suspends nobody. Each item has one thread for all
    /// of its work. Of several errors that of the first item is thrown.
    package static func map<Item: Sendable, Made: Sendable>(
        _ items: [Item], _ make: @Sendable (Item) throws -> Made
    ) throws -> [Made] {
        if items.count < 2 { return try items.map(make) }
        let results = Mutex<[Int: Result<Made, any Error>]>([:])
        DispatchQueue.concurrentPerform(iterations: items.count) { index in
            let result = Result { try make(items[index]) }
            results.withLock { $0[index] = result }
        }
        let made = results.withLock { $0 }
        return try items.indices.compactMap { try made[$0]?.get() }
    }
}
