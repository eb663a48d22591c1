import DaybookDomain
import DaybookEncoding
import Testing

@testable import DaybookReplay

struct BalanceSeriesTests {
    private let asset: BookEntry.Asset

    init() throws {
        let survey = GoldenLog.survey(try GoldenLog.records())
        asset = try #require(survey.balances.first).asset
    }

    private func series(_ amounts: [UInt64]) -> BalanceSeries {
        var series = BalanceSeries(wallet: 1, asset: asset)
        for (index, amount) in amounts.enumerated() {
            var balance = BalanceRow()
            balance[.confirmedFree] = UInt256(amount)
            series.add(balance, of: asset, at: Position(UInt64(index)), UInt64(index) * 1_000_000)
        }
        return series
    }

    @Test func `few changes are kept one by one`() {
        let spans = series([5, 3, 8]).spans
        #expect(spans.map(\.total) == ([5, 3, 8] as [UInt64]).map { UInt256($0) })
        #expect(spans.map(\.first) == [0, 1, 2])
    }

    @Test func `however many changes there are, the series is short and forgets no extreme`() {
        var amounts = (0..<100_000).map { UInt64($0 % 1000 + 10) }
        amounts[4711] = 1
        amounts[77_777] = 123_456
        let series = series(amounts)
        #expect(series.spans.count <= BalanceSeries.mostSpans)
        #expect(series.changes == 100_000)
        #expect(series.spans.reduce(0) { $0 + $1.changes } == 100_000)
        #expect(series.spans.map(\.lowest).min() == UInt256(1 as UInt64))
        #expect(series.spans.map(\.highest).max() == UInt256(123_456 as UInt64))
        #expect(series.spans.last?.total == UInt256(amounts[99_999]))
        for (before, after) in zip(series.spans, series.spans.dropFirst()) {
            #expect(before.last.next == after.first)
        }
    }

    @Test(arguments: ["0", "1", "7", "99999999", "1000000000", "340282366920938463463374607"])
    func `amounts of any size find their place between the marks`(decimal: String) throws {
        let highest = try #require(UInt256(decimal: decimal))
        let axis = AmountAxis(to: highest)
        #expect(axis.marks.count <= 6)
        #expect(axis.marks.first == .zero)
        #expect(try #require(axis.marks.last) >= highest)
        #expect(axis.place(.zero) == 0)
        #expect((0...1000).contains(axis.place(highest)))
        #expect(axis.place(highest) >= (highest == .zero ? 0 : 500))
    }

    @Test func `the highest amount there can be is drawn`() {
        let axis = AmountAxis(to: .max)
        #expect((500...1000).contains(axis.place(.max)))
    }

    @Test(arguments: [
        0...0, 0...1, 5...3_000_000, 0...86_400_000_000, 0...UInt64.max, UInt64.max...UInt64.max,
    ])
    func `a time axis of any length has a few marks in it`(range: ClosedRange<UInt64>) {
        let axis = TimeAxis(range)
        #expect(axis.marks.count <= 6)
        #expect(axis.marks.allSatisfy { range.contains($0.time) })
        #expect((0...1000).contains(axis.place(range.upperBound)))
    }
}
