internal import Dispatch
internal import Synchronization

/// Work on two cores: what comes next is made while what was made before is taken in.
package enum Ahead {
    /// Calls `body` with all that `make` makes of a source, in order, until that is nil.
    ///
    /// One thing is made ahead, so that memory stays flat. Unlike tasks that wait for each other
    /// this suspends nobody: an actor does nothing else between two calls of `body`. An error of
    /// `body` comes before one of making what follows.
    package static func each<Source, Made: Sendable>(
        of source: sending Source, _ make: @Sendable (inout Source) throws -> Made?,
        _ body: (Made) throws -> Void
    ) throws {
        let source = Mutex(source)
        @Sendable func makeNext() throws -> Made? { try source.withLock { try make(&$0) } }
        var next = try makeNext()
        while let made = next { next = try atOnce({ try body(made) }, makeNext) }
    }

    /// Does two things, each on a core of its own where there are two; returns when both are done.
    private static func atOnce<Second: Sendable>(
        _ first: () throws -> Void, _ second: @Sendable () throws -> Second
    ) throws -> Second {
        let done = Mutex<Result<Void, any Error>?>(nil)
        let made = Mutex<Result<Second, any Error>?>(nil)
        withoutActuallyEscaping(first) { first in
            // The caller waits here meanwhile, so that what `first` uses is used by it alone.
            nonisolated(unsafe) let first = first
            DispatchQueue.concurrentPerform(iterations: 2) { number in
                if number == 0 {
                    let result = Result { unsafe try first() }
                    done.withLock { $0 = result }
                } else {
                    let result = Result { try second() }
                    made.withLock { $0 = result }
                }
            }
        }
        guard let done = done.withLock({ $0 }), let made = made.withLock({ $0 }) else {
            preconditionFailure("each of the two numbers was handed out once")
        }
        try done.get()
        return try made.get()
    }
}
