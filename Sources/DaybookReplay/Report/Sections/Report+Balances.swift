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
