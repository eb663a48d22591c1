import DaybookEncoding
import Testing

@testable import DaybookReplay

/// The positions that each party covers, and times that contradict each other.
struct CoverageTests {
    private static let minute: UInt64 = 60_000_000
    private let first = Coverage.Voucher(.witness, name: "w.example", identity: [1])
    private let second = Coverage.Voucher(.witness, name: "w.example", identity: [2])
    private let authority = Coverage.Voucher(.authority, name: "a stamp's", identity: [1])

    @Test func `each voucher has one span, and the rest is covered by nobody`() {
        var coverage = Coverage()
        coverage.add(first, size: 3, at: 1_000_000)
        coverage.add(authority, size: 7715, at: 2_000_000)
        coverage.add(first, size: 5, at: 3_000_000)
        coverage.add(first, size: 4, at: 9_000_000)
        #expect(
            coverage.line(of: 7721)
                == "events 0 to 4 witnessed by w.example on 1970-01-01 00:00:03; 0 to 7714 "
                + "stamped by a stamp's on 1970-01-01 00:00:02; 7715 to 7720 by nobody")
        #expect(
            coverage.json(of: 7721).text()
                == #"[{"from":0,"to":4,"by":"w.example","at":"1970-01-01T00:00:03.000000Z"},"#
                + #"{"from":0,"to":7714,"by":"a stamp's","at":"1970-01-01T00:00:02.000000Z"},"#
                + #"{"from":7715,"to":7720,"by":null}]"#)
    }

    @Test func `of two times for one size the first counts`() {
        var coverage = Coverage()
        coverage.add(first, size: 3, at: 5)
        coverage.add(first, size: 3, at: 4)
        coverage.add(first, size: 3, at: 6)
        #expect(coverage.spans(of: 3).map(\.time) == [4])
    }

    @Test func `two keys of one name are two`() {
        var coverage = Coverage()
        coverage.add(first, size: 3, at: 5)
        coverage.add(second, size: 2, at: 5)
        #expect(coverage.spans(of: 3).map(\.to) == [2, 1])
    }

    @Test func `a log that nobody covers says so, and an empty one has no range`() {
        var coverage = Coverage()
        coverage.add(first, size: 0, at: 5)
        #expect(coverage.isEmpty)
        #expect(coverage.line(of: 1) == "events 0 by nobody")
        #expect(coverage.line(of: 0) == nil)
        #expect(coverage.json(of: 0).text() == "[]")
    }

    @Test func `a record that is more than five minutes off its authority's time is a fault`() {
        let noon: UInt64 = 720 * Self.minute
        for time in [noon - 5 * Self.minute, noon + 5 * Self.minute] {
            #expect(ClockCheck.disagreement(recorded: time, with: noon, of: first) == nil)
        }
        for time in [noon - 5 * Self.minute - 1, noon + 5 * Self.minute + 1] {
            #expect(ClockCheck.disagreement(recorded: time, with: noon, of: first) != nil)
        }
        #expect(
            ClockCheck.disagreement(recorded: noon, with: 2 * noon, of: first)
                == "it was recorded at 1970-01-01 12:00:00, and w.example says "
                + "1970-01-02 00:00:00: the store's clock and theirs disagree")
    }

    @Test func `an event that claims to be later than the time that covers it is named`() {
        var check = ClockCheck()
        let times: [UInt64] = [1, 10, 7, 20, 21]
        for (index, minutes) in times.enumerated() {
            check.take(minutes * Self.minute, at: Position(UInt64(index)))
            check.mark(UInt64(index) + 1)
        }
        func found(_ minutes: UInt64, _ size: UInt64) -> Position? {
            check.later(than: minutes * Self.minute, size: size, of: first)?.position
        }
        #expect(found(5, 3) == nil)
        #expect(found(4, 3) == 1)
        #expect(found(4, 4) == 3)
        #expect(found(21, 5) == nil)
        #expect(found(0, 1) == nil && found(0, 9) == nil)
    }
}
