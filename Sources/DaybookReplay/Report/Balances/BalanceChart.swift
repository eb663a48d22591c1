import DaybookEncoding

/// A balance as two stepped lines: all that a wallet held, and what of it could be spent.
///
/// The drawing is stretched to the width there is, and its letters stand beside it, so that they
/// can be read on any screen.
struct BalanceChart {
    private let series: BalanceSeries
    private let amounts: AmountAxis
    private let times: TimeAxis

    init(_ series: BalanceSeries) {
        self.series = series
        let spans = series.spans
        let begin = spans.first?.begins ?? 0
        let last = max(spans.last?.ends ?? 0, begin)
        // The last change needs some room; the long time in which nothing happened does not.
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

    /// A line that stays level until the next change.
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
