import DaybookDomain
import DaybookEncoding
import Testing

@testable import DaybookReplay

struct BalanceSeriesTests {
    private func series(_ amounts: [UInt64]) -> BalanceSeries {
        var series = BalanceSeries(of: BalanceKey(1, "DASH"))
        for (index, amount) in amounts.enumerated() {
            var balance = BalanceRow()
            balance[.confirmedFree] = UInt256(amount)
            series.add(balance, at: Position(UInt64(index)), UInt64(index) * 1_000_000)
        }
        return series
    }

    @Test func `few changes are kept one by one`() {
        let spans = series([5, 3, 8]).spans
        #expect(spans.map(\.held) == ([5, 3, 8] as [UInt64]).map { UInt256($0) })
        #expect(spans.map(\.first) == [0, 1, 2])
    }

    @Test func `the series is short for any number of changes, and keeps the extremes`() {
        var amounts = (0..<100_000).map { UInt64($0 % 1000 + 10) }
        amounts[4711] = 1
        amounts[77_777] = 123_456
        let series = series(amounts)
        #expect(series.spans.count <= BalanceSeries.mostSpans)
        #expect(series.changes == 100_000)
        #expect(series.spans.reduce(0) { $0 + $1.changes } == 100_000)
        #expect(series.spans.map(\.lowest).min() == UInt256(1 as UInt64))
        #expect(series.spans.map(\.highest).max() == UInt256(123_456 as UInt64))
        #expect(series.spans.last?.held == UInt256(amounts[99_999]))
        for (before, after) in zip(series.spans, series.spans.dropFirst()) {
            #expect(before.last.next == after.first)
        }
    }
}
