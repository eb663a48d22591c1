import DaybookSystem
import Glibc
import Synchronization
import Testing

/// Items that a background thread makes ahead of their consumer.
struct LookaheadTests {
    private struct Wrong: Error, Equatable {
        let number: Int
    }

    @Test func `everything is handed over once, in the order in which it was made`() throws {
        var taken: [Int] = []
        try Lookahead.each(of: 0, { Self.next(&$0, upTo: 100) }) { taken.append($0) }
        #expect(taken == Array(1...100))
    }

    @Test func `one thing is made ahead, and nothing after that`() throws {
        let made = Mutex(0)
        try Lookahead.each(of: 0, { number in
            made.withLock { $0 += 1 }
            return Self.next(&number, upTo: 9)
        }) { number in
            #expect(made.withLock { $0 } <= number + 1)
        }
    }

    @Test func `results before an error are taken in before it is thrown`() {
        var taken: [Int] = []
        #expect(throws: Wrong(number: 3)) {
            try Lookahead.each(of: 0, { number -> Int? in
                number += 1
                if number == 3 { throw Wrong(number: 3) }
                return number
            }) { taken.append($0) }
        }
        #expect(taken == [1, 2])
    }

    @Test func `of two errors at once the first one's is thrown`() {
        #expect(throws: Wrong(number: 1)) {
            try Lookahead.each(of: 0, { number -> Int? in
                number += 1
                if number == 2 { throw Wrong(number: 2) }
                return number
            }) { throw Wrong(number: $0) }
        }
    }

    @Test(arguments: 1...4)
    func `everything is taken in on the thread of the caller`(_: Int) throws {
        let caller = pthread_self()
        var elsewhere = 0
        for _ in 0..<30 {
            try Lookahead.each(of: 0, { Self.next(&$0, upTo: 100) }) { _ in
                // Long enough that several threads are at work at once.
                usleep(1)
                if pthread_equal(pthread_self(), caller) == 0 { elsewhere += 1 }
            }
        }
        #expect(elsewhere == 0)
    }

    private static func next(_ number: inout Int, upTo last: Int) -> Int? {
        number += 1
        return number <= last ? number : nil
    }
}
