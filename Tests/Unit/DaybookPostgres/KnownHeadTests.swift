import DaybookEncoding
import Testing

@testable import DaybookPostgres

/// The newest of the heads that questions and appends of several threads have told.
struct KnownHeadTests {
    @Test func `of answers that overtake each other, the head of the later commit stays`() {
        var known = Self.known(count: 5, asked: 10, answered: 20)
        // It was asked before the last answer came, and answered from an earlier commit.
        known.learn(Self.known(count: 4, asked: 15, answered: 30))
        #expect(known.head.count == 5 && known.asked == 10 && known.answered == 30)
        known.learn(Self.known(count: 6, asked: 12, answered: 31))
        #expect(known.head.count == 6 && known.asked == 12 && known.answered == 31)
        known.learn(Self.known(count: 3, epoch: 2, asked: 25, answered: 32))
        #expect(known.head.epoch == 2 && known.head.count == 3)
    }

    @Test func `a question after the last answer is right, also if the log has lost events`() {
        var known = Self.known(count: 5, asked: 10, answered: 20)
        known.learn(Self.known(count: 3, asked: 20, answered: 30))
        #expect(known.head.count == 3 && known.asked == 20)
    }

    @Test func `a head that may have been lost does not pass for as new as another one`() {
        // The one that was cut off answered last.
        var known = Self.known(count: 5, last: "x", asked: 10, answered: 30)
        known.learn(Self.known(count: 5, last: "y", asked: 20, answered: 29))
        #expect(known.head.last == Bytes("x".utf8) && known.asked == 10)
        known = Self.known(count: 5, last: "y", asked: 20, answered: 29)
        known.learn(Self.known(count: 6, last: "x", asked: 10, answered: 30))
        #expect(known.head.count == 6 && known.asked == 10)
    }

    private static func known(
        count: UInt64, epoch: UInt64 = 1, last: String = "e", asked: UInt64, answered: UInt64
    ) -> KnownHead {
        KnownHead(
            PostgresHead(
                count: count, root: [], epoch: epoch, archived: nil, last: Bytes(last.utf8)),
            asked: asked, answered: answered)
    }
}
