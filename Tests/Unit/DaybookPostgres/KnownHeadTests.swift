import DaybookEncoding
import Testing

@testable import DaybookPostgres

/// The newest of the heads that questions and appends of several threads have told.
struct KnownHeadTests {
    @Test func `of answers that overtake each other, the head of the later commit stays`() {
        var known = KnownHead(Self.head(5), answered: 20)
        // It was asked before the last answer came, and answered from an earlier commit.
        known.learn(Self.head(4), asked: 15, answered: 30)
        #expect(known.head.count == 5)
        known.learn(Self.head(6), asked: 12, answered: 31)
        #expect(known.head.count == 6)
        known.learn(Self.head(3, epoch: 2), asked: 25, answered: 32)
        #expect(known.head.epoch == 2 && known.head.count == 3)
    }

    @Test func `a question after the last answer is right, also if the log has lost events`() {
        var known = KnownHead(Self.head(5), answered: 20)
        known.learn(Self.head(3), asked: 20, answered: 30)
        #expect(known.head.count == 3)
    }

    @Test func `of two heads with as many events, that of the last answer stays`() {
        // The one that was cut off answered last.
        var known = KnownHead(Self.head(5, last: "x"), answered: 30)
        known.learn(Self.head(5, last: "y"), asked: 20, answered: 29)
        #expect(known.head.last == Bytes("x".utf8))
        known.learn(Self.head(5, last: "y"), asked: 30, answered: 31)
        #expect(known.head.last == Bytes("y".utf8))
    }

    private static func head(
        _ count: UInt64, epoch: UInt64 = 1, last: String = "e"
    ) -> PostgresHead {
        PostgresHead(
            count: count, root: [], epoch: epoch, archived: nil, last: Bytes(last.utf8))
    }
}
