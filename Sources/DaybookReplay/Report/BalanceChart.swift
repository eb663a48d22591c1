import DaybookEncoding

/// Draws a balance as two stepped lines: the whole balance, and the spendable part of it.
///
/// The drawing stretches to the width of the page. Its labels are text beside it, so that they stay
/// readable on any screen.
struct BalanceChart {
    private let series: BalanceSeries
    private let amounts: AmountAxis
    private let times: TimeAxis

    init(_ series: BalanceSeries) {
        self.series = series
        let spans = series.spans
        let begin = spans.first?.begins ?? 0
        let last = max(spans.last?.ends ?? 0, begin)
        // Room for the last change, but not for a long time without changes.
        let (end, isBeyond) = last.addingReportingOverflow((last - begin) / 16)
        amounts = AmountAxis(
            to: spans.reduce(.zero) { max($0, $1.highest, $1.available) })
        times = TimeAxis(begin...(isBeyond ? last : end))
    }

    func write(_ page: inout Markup) {
        page.element(.div, [.style("chart")]) { page in
            page.element(.div, [.style("up")]) { page in
                for mark in amounts.marks {
                    page.element(
                        .span, [.place(.bottom, thousandths: amounts.place(mark))],
                        series.asset.text(mark))
                }
            }
            page.element(
                .svg,
                [
                    .fixed("viewBox", "0 0 1000 1000"), .fixed("preserveAspectRatio", "none"),
                    .fixed("role", "img"), .label(summary),
                ]
            ) { draw(&$0) }
            page.element(.div, [.style("along")]) { page in
                for mark in times.marks {
                    page.element(
                        .span, [.place(.left, thousandths: times.place(mark.time))], mark.label)
                }
            }
        }
    }

    private var summary: String {
        guard let last = series.spans.last else { return "" }
        let (low, high) = series.spans.reduce((last.lowest, last.highest)) {
            (min($0.0, $1.lowest), max($0.1, $1.highest))
        }
        return "\(series.asset.label) over time: between \(series.asset.text(low)) and "
            + "\(series.asset.text(high)), \(series.asset.text(last.total)) at the end"
    }

    private func draw(_ page: inout Markup) {
        for mark in amounts.marks {
            let height = 1000 - amounts.place(mark)
            path("grid", [.move(0, height), .across(1000)], &page)
        }
        path("spendable", line { $0.available }, &page)
        path("held", line { $0.total }, &page)
        let places = series.spans.map { times.place($0.begins) }
        for (index, span) in series.spans.enumerated() {
            let left = places[index]
            let right = index + 1 < places.count ? places[index + 1] : 1000
            page.element(.g) { page in
                let low = 1000 - amounts.place(span.lowest)
                let high = 1000 - amounts.place(span.highest)
                path("dot", [.move(left, low), .down(high)], &page)
                page.element(
                    .rect,
                    [
                        .number("x", left), .number("y", 0), .number("height", 1000),
                        .number("width", max(right - left, 3)),
                    ]
                ) { page in page.element(.title, series.describe(span)) }
            }
        }
    }

    /// A line that is level between changes.
    private func line(_ amount: (BalanceSeries.Span) -> UInt256) -> [Attribute.Stroke] {
        guard let first = series.spans.first else { return [] }
        var strokes: [Attribute.Stroke] = [
            .move(times.place(first.begins), 1000 - amounts.place(amount(first)))
        ]
        for span in series.spans.dropFirst() {
            strokes += [
                .across(times.place(span.begins)), .down(1000 - amounts.place(amount(span))),
            ]
        }
        return strokes + [.across(1000)]
    }

    private func path(
        _ style: StaticString, _ strokes: [Attribute.Stroke], _ page: inout Markup
    ) {
        page.element(.path, [.style(style), .drawn(strokes)]) { _ in }
    }
}

/// The vertical axis of a chart: it maps amounts to thousandths of the height, in integers.
struct AmountAxis {
    /// The labelled amounts, ascending from zero.
    let marks: [UInt256]
    /// The amount at the top.
    private let top: UInt64
    /// The power of ten by which amounts are divided, so that they fit in 64 bits.
    private let zeros: Int

    init(to highest: UInt256) {
        var zeros = 0
        // Two digits of room are left for rounding up to a mark.
        while UInt64(exactly: Self.scaled(highest, zeros)).map({ $0 > Self.most }) ?? true {
            zeros += 1
        }
        let height = max(UInt64(exactly: Self.scaled(highest, zeros)) ?? 1, 1)
        let step = Self.step(for: height)
        let count = (height + step - 1) / step
        top = count * step
        self.zeros = zeros
        marks = (0...count).map { Self.grown(UInt256($0 * step), zeros) }
    }

    private static let most: UInt64 = 1_000_000_000_000_000

    /// The height of an amount.
    func place(_ amount: UInt256) -> Int {
        let height = UInt64(exactly: Self.scaled(amount, zeros)) ?? top
        return Int(clamping: min(height, top) * 1000 / top)
    }

    /// The smallest of 1, 2, 5, 10, 20, … of which at most four reach the top.
    private static func step(for height: UInt64) -> UInt64 {
        var power: UInt64 = 1
        while true {
            for factor in [1, 2, 5] as [UInt64] where power * factor * 4 >= height {
                return power * factor
            }
            power *= 10
        }
    }

    private static func scaled(_ amount: UInt256, _ zeros: Int) -> UInt256 {
        (0..<zeros).reduce(amount) { amount, _ in
            amount.quotientAndRemainder(dividingBy: 10).quotient
        }
    }

    private static func grown(_ amount: UInt256, _ zeros: Int) -> UInt256 {
        (0..<zeros).reduce(amount) { amount, _ in amount.multiplied(by: 10 as UInt64) ?? .max }
    }
}

/// The horizontal axis of a chart: it maps times to thousandths of the width.
struct TimeAxis {
    private let range: ClosedRange<UInt64>
    /// The labelled times, ascending.
    let marks: [(time: UInt64, label: String)]

    init(_ range: ClosedRange<UInt64>) {
        self.range = range
        let length = range.upperBound - range.lowerBound
        let step = Self.steps.first { length / $0 <= 4 } ?? length / 4 + 1
        var marks: [(time: UInt64, label: String)] = []
        var next = range.lowerBound / step * step
        while next <= range.upperBound {
            if next >= range.lowerBound { marks.append((next, Self.label(next, step))) }
            let (sum, isBeyond) = next.addingReportingOverflow(step)
            if isBeyond { break }
            next = sum
        }
        self.marks = marks
    }

    /// The place of a time.
    func place(_ time: UInt64) -> Int {
        let length = range.upperBound - range.lowerBound
        guard length > 0 else { return 500 }
        let part = min(max(time, range.lowerBound), range.upperBound) - range.lowerBound
        let (high, low) = part.multipliedFullWidth(by: 1000)
        return Int(clamping: length.dividingFullWidth((high, low)).quotient)
    }

    private static let second: UInt64 = 1_000_000
    private static let day: UInt64 = 86_400 * second

    private static let steps: [UInt64] =
        [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 10_800, 21_600, 43_200]
        .map { $0 * second }
        + [1, 2, 7, 14, 30, 90, 180, 365, 730, 1825, 3650].map { $0 * day }

    /// The date or the time of day, whichever changes from label to label.
    private static func label(_ time: UInt64, _ step: UInt64) -> String {
        let parts = Timestamp.seconds(time).dropLast().split(separator: "T")
        guard parts.count == 2 else { return "" }
        if step >= day { return String(parts[0]) }
        return String(step < 60 * second ? parts[1] : parts[1].prefix(5))
    }
}
