import DaybookChains
import DaybookDomain
import DaybookEncoding

extension Report {
    func writeBalances(_ page: inout Markup) throws {
        if index.balances.isEmpty { page.element(.p, "No wallet ever held anything.") }
        for series in index.balances {
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
                    page.time(last.ends)
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
                    page.cell { $0.time(span.begins) }
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

/// The balance of a wallet in an asset over time.
///
/// A series has at most 256 spans: when there are more changes, neighbouring spans are merged into
/// one that keeps the lowest and the highest amount.
struct BalanceSeries {
    let wallet: WalletID
    /// The asset under the name that it had last.
    private(set) var asset: BookEntry.Asset
    private(set) var spans: [Span] = []
    private(set) var changes: UInt64 = 0
    /// How many changes each span but the last one has.
    private var changesPerSpan: UInt64 = 1

    /// The most spans that are kept.
    static let mostSpans = 256

    /// A change of a balance, or several in a row.
    struct Span: Equatable {
        /// The event of the first change, and that of the last one.
        let first: Position
        var last: Position
        let begins: UInt64
        var ends: UInt64
        /// All that the wallet held, reserved amounts included.
        var lowest: UInt256
        var highest: UInt256
        var total: UInt256
        /// The part that could be spent.
        var available: UInt256
        /// How many changes the span has.
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
    /// An amount in whole coins, or in minor units where the number of decimals is unknown.
    func text(_ minor: UInt256) -> String {
        decimals.map { DecimalAmount.format(minor, decimals: $0) } ?? "\(minor.decimal) units"
    }

    /// A signed amount, always with its sign.
    func text(_ amount: SignedAmount) -> String {
        (amount.isNegative ? "−" : "+") + text(amount.magnitude)
    }

    /// An amount in the coin of the asset's chain, in which fees are paid.
    func coin(_ minor: UInt256) -> String {
        let coin = chain.rules.coin
        return "\(DecimalAmount.format(minor, decimals: coin.decimals)) \(coin.asset)"
    }

    /// The symbol, and the contract of a token, because a token can call itself anything.
    var label: String { isCoin ? symbol : "\(symbol) (token \(name))" }
}

extension BalanceSeries {
    /// Describes a span in words, with exact amounts.
    func describe(_ span: Span) -> String {
        let held = "\(asset.text(span.total)) \(asset.symbol)"
        let spendable = "\(asset.text(span.available)) spendable"
        if span.changes == 1 {
            return "\(Timestamp.readable(span.begins)), event \(span.first): \(held), \(spendable)"
        }
        return "\(Timestamp.readable(span.begins)) to \(Timestamp.readable(span.ends)), "
            + "events \(span.first) to \(span.last): between \(asset.text(span.lowest)) and "
            + "\(asset.text(span.highest)), then \(held), \(spendable)"
    }
}
