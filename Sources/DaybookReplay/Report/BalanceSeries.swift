import DaybookChains
import DaybookDomain
import DaybookEncoding

extension Report {
    func writeBalances(_ page: inout Markup) throws {
        if survey.balances.isEmpty { page.element(.p, "No wallet ever held anything.") }
        for series in survey.balances {
            page.element(.figure) { write(series, &$0) }
            try page.drain()
        }
    }

    private func write(_ series: BalanceSeries, _ page: inout Markup) {
        page.element(.figcaption) { page in
            page.element(.h3) { page in
                page.excerpt(series.asset.label, longest: 256)
                page.text(" in ")
                link(wallet: series.wallet, &page)
            }
            if let last = series.spans.last {
                page.element(.p) { page in
                    page.element(.b, series.asset.text(last.total))
                    page.text(" held at the end, ")
                    page.element(.b, series.asset.text(last.available))
                    page.text(" of it spendable, unchanged since ")
                    page.moment(last.ends)
                    page.text(".")
                }
            }
        }
        BalanceChart(series).write(&page)
        page.element(.p, [.style("quiet key")]) { page in
            page.element(.span, [.style("held")], "held")
            page.element(.span, [.style("spendable")], "spendable")
        }
        let count = series.changes == 1 ? "only change" : "\(series.changes) changes"
        page.details(summary: { $0.text("The \(count) in figures") }) {
            writeFigures(series, &$0)
        }
    }

    private func writeFigures(_ series: BalanceSeries, _ page: inout Markup) {
        let caption = "\(name(of: series.wallet)), \(series.asset.symbol)"
        let middle = series.isWhole ? [] : ["lowest", "highest"]
        let columns = ["event", "time"] + middle + ["held", "spendable"]
        page.table(caption, columns, numbers: Array(2..<columns.count)) { page in
            for span in series.spans {
                page.row { page in
                    page.cell { page in
                        source(event: span.first, "\(span.first)", &page)
                        guard span.last != span.first else { return }
                        page.text(" to ")
                        source(event: span.last, "\(span.last)", &page)
                    }
                    page.cell { $0.moment(span.begins) }
                    if !series.isWhole {
                        page.number(series.asset.text(span.lowest))
                        page.number(series.asset.text(span.highest))
                    }
                    page.number(series.asset.text(span.total))
                    page.number(series.asset.text(span.available))
                }
            }
        }
    }
}

/// What a wallet held of an asset, from change to change.
///
/// However many changes there are, the series stays short: when it has grown too long, neighbours
/// become one span that knows its lowest and highest amount.
struct BalanceSeries {
    let wallet: WalletID
    /// The asset as it was last called.
    private(set) var asset: BookEntry.Asset
    private(set) var spans: [Span] = []
    private(set) var changes: UInt64 = 0
    /// How many changes a span holds, but for the last one.
    private var changesPerSpan: UInt64 = 1

    /// The most spans that are kept.
    static let mostSpans = 256

    /// One change of a balance, or several that follow each other.
    struct Span: Equatable {
        /// The first and the last change's event.
        let first: Position
        var last: Position
        let begins: UInt64
        var ends: UInt64
        /// All that the wallet held, reserved or not.
        var lowest: UInt256
        var highest: UInt256
        var total: UInt256
        /// What of it could be spent.
        var available: UInt256
        /// By how many changes the span came about.
        var changes: UInt64 = 1

        mutating func add(_ next: Span) {
            last = next.last
            ends = next.ends
            lowest = min(lowest, next.lowest)
            highest = max(highest, next.highest)
            total = next.total
            available = next.available
            changes += next.changes
        }
    }

    init(wallet: WalletID, asset: BookEntry.Asset) {
        self.wallet = wallet
        self.asset = asset
    }

    mutating func add(
        _ balance: BalanceRow, of asset: BookEntry.Asset, at position: Position, _ time: UInt64
    ) {
        self.asset = asset
        let total = balance.confirmed.adding(balance.unconfirmed) ?? .max
        let next = Span(
            first: position, last: position, begins: time, ends: time, lowest: total,
            highest: total, total: total, available: balance.available)
        if let end = spans.indices.last, spans[end].last == position {
            // Several postings of one event are one change.
            return
        }
        changes += 1
        if let end = spans.indices.last, spans[end].changes < changesPerSpan {
            spans[end].add(next)
        } else {
            if spans.count == Self.mostSpans { halve() }
            spans.append(next)
        }
    }

    private mutating func halve() {
        spans = stride(from: 0, to: spans.count, by: 2).map { index in
            var span = spans[index]
            span.add(spans[index + 1])
            return span
        }
        changesPerSpan *= 2
    }

    /// Whether every change has a span of its own.
    var isWhole: Bool { changesPerSpan == 1 }
}

extension BookEntry.Asset {
    /// An amount in whole coins; in units where nobody has said what a whole coin is.
    func text(_ minor: UInt256) -> String {
        decimals.map { DecimalAmount.format(minor, decimals: $0) } ?? "\(minor.decimal) units"
    }

    /// An amount that came or went, with its sign.
    func text(_ amount: SignedAmount) -> String {
        (amount.isNegative ? "−" : "+") + text(amount.magnitude)
    }

    /// An amount of the coin in which the asset's chain takes its fees.
    func coin(_ minor: UInt256) -> String {
        let coin = chain.rules.coin
        return "\(DecimalAmount.format(minor, decimals: coin.decimals)) \(coin.asset)"
    }

    /// What people call it; of a token also what it is, because anyone can take any name.
    var label: String { isCoin ? symbol : "\(symbol) (token \(name))" }
}

extension BalanceSeries {
    /// A span in words, exact to the last digit.
    func describe(_ span: Span) -> String {
        let held = "\(asset.text(span.total)) \(asset.symbol)"
        let spendable = "\(asset.text(span.available)) spendable"
        if span.changes == 1 {
            return "\(Moment.text(span.begins)), event \(span.first): \(held), \(spendable)"
        }
        return "\(Moment.text(span.begins)) to \(Moment.text(span.ends)), "
            + "events \(span.first) to \(span.last): between \(asset.text(span.lowest)) and "
            + "\(asset.text(span.highest)), then \(held), \(spendable)"
    }
}
