import DaybookChains
import DaybookCrypto
package import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// A log as a page of HTML for people: one file that needs no others.
///
/// The template has the summary, the findings and the totals as HTML, which can be read without
/// scripts. All else is data, once, as JSON; the page's script draws what is looked at. The same
/// log, findings and scope give the same bytes.
package struct Report {
    let index: ReportIndex
    let findings: ReportFindings
    private let totals: ReportTotals

    /// A report of an indexed log, with what was found out about it.
    package init(_ index: ReportIndex, _ findings: ReportFindings) {
        self.index = index
        self.findings = findings
        totals = ReportTotals(index)
    }

    /// The first bytes of every page.
    package static let beginning = "<!DOCTYPE html>\n"

    /// Calls its argument with every record of a log, in order.
    package typealias Records = ((EventRecord) throws -> Void) throws -> Void

    /// Writes the page piece by piece; the records are folded into an empty state.
    package func write(
        to sink: @escaping (Bytes) throws -> Void, reading records: @escaping Records,
        into state: State = State(), by engines: Engines = .known
    ) throws {
        let title = [
            "policy": Template.Value.text(Self.policy), "style": .verbatim(Self.style),
            "script": .verbatim(Self.script), "shortID": .text(String(logID.prefix(8))),
            "data": .stream { write in
                try writeData(write, reading: records, into: state, by: engines)
            },
        ]
        let page = title.merging(heading) { one, _ in one }.merging(verdict) { one, _ in one }
            .merging(summary) { one, _ in one }.merging(sums) { one, _ in one }
        try Template(PackageResources.report_html).write(page, to: sink)
    }

    // MARK: - The page's own files

    static let style = PackageResources.report_css
    static let script =
        PackageResources.report_js + PackageResources.charts_js + PackageResources.stories_js

    /// The page's own style and script may be used, and nothing else.
    static let policy =
        "default-src 'none'; script-src '\(digest(script))'; style-src '\(digest(style))'; "
        + "base-uri 'none'; form-action 'none'"

    private static func digest(_ file: Bytes) -> String {
        "sha256-" + Base64.encode(SHA256.hash(file))
    }

    // MARK: - What can be read without scripts

    private var logID: String { Hex.encode(index.logID) }

    private var heading: Template.Scope {
        let scope = index.scope
        let begin = scope.from ?? index.times?.lowerBound
        let last = index.times?.upperBound
        return [
            "from": .text(begin.map(Timestamp.readable) ?? "the beginning"),
            "to": .text((scope.to ?? last).map(Timestamp.readable) ?? "the end"),
            "isPart": .when(scope.from != nil || scope.to != nil || scope.wallet != nil),
            "wallet": .text(
                scope.wallet.map { ReportText.name(of: $0, in: index.state) } ?? "all wallets"),
            "hasEvents": .when(scope.showsEvents),
        ]
    }

    private var summary: Template.Scope {
        let statuses = Standing.Status.allCases.compactMap { status in
            index.statuses[status].map { (status, $0) }
        }
        let wallets = index.state.wallets.rows().filter { index.scope.holds($0.key) }
        return [
            "logID": .text(logID), "events": .number(index.events),
            "root": .text(Hex.encode(index.root)),
            "digest": .text(Hex.encode(StateDigest.of(index.state))),
            "requests": .number(index.requestCount),
            "statuses": .items(
                statuses.map { ["status": .text($0.0.rawValue), "count": .number($0.1)] }),
            "isPlayMoney": .when(wallets.contains { $0.row.wallet.network == .sandbox }),
            "wallets": .items(
                wallets.map { id, row in
                    [
                        "name": .text(ReportText.name(of: id, in: index.state)),
                        "chain": .text(row.wallet.chain.rawValue),
                        "network": .text(row.wallet.network.rawValue),
                        "address": .text(row.address),
                        "state": .text(row.removed ? "removed" : ""),
                    ]
                }),
        ]
    }

    /// How many faults, payments and senders a page lists at most.
    private static let mostRows = 1000

    private var verdict: Template.Scope {
        let lost = index.lost.sorted { $0.key < $1.key }
        let faults = findings.faults
        return [
            "isGood": .when(faults.isEmpty), "isBad": .when(!faults.isEmpty),
            "isPartlyJudged": .when(!findings.unjudged.isEmpty),
            "faultCount": .text(faults.count == 1 ? "1 thing is" : "\(faults.count) things are"),
            "faults": .items(
                faults.prefix(Self.mostRows).map { fault in
                    [
                        "event": .items(
                            fault.position.map { [["position": .number($0.number)]] } ?? []),
                        "rule": .text(fault.rule), "message": .text(cut(fault.message)),
                    ]
                }),
            "unlisted": .items(
                faults.count > Self.mostRows
                    ? [["count": .number(faults.count - Self.mostRows)]] : []),
            "hasLost": .when(!lost.isEmpty),
            "lostCount": .text(lost.count == 1 ? "1 payment" : "\(lost.count) payments"),
            "lost": .items(
                lost.prefix(Self.mostRows).map { id, lost in
                    let callback = index.state.request(id)?.callback
                    return [
                        "request": .number(id.number), "event": .number(lost.position.number),
                        "what": .text(lost.loss.sentence),
                        "caller": .text(
                            callback == nil ? "was told nothing" : "was told that it is paid"),
                    ]
                }),
            "checked": .texts(findings.checked), "unchecked": .texts(findings.unchecked),
        ]
    }

    private func cut(_ message: String) -> String {
        message.utf8.count > 2048 ? "\(message.unicodeScalars.prefix(1024))…" : message
    }

    private var sums: Template.Scope {
        let accounts = totals.accounts.sorted { $0.key < $1.key }
        let months = totals.months.sorted { $0.key < $1.key }
        let senders = totals.senders.sorted {
            ($1.value.requests, $0.key) < ($0.value.requests, $1.key)
        }
        let gains = gains
        return [
            "accounts": .items(
                accounts.compactMap { key, account in
                    guard let asset = index.state.bookAsset(key.text, of: key.first)
                    else { return nil }
                    return columns(account.sum, asset).merging([
                        "wallet": .text(ReportText.name(of: key.first, in: index.state)),
                        "opening": .text(asset.text(account.opening)),
                        "closing": .text(asset.text(account.closing)),
                    ]) { one, _ in one }
                }),
            "months": .items(
                months.map { key, sum in
                    columns(sum, totals.assets[key.asset])
                        .merging(["month": .text(key.month)]) { one, _ in one }
                }),
            "gains": .items(gains), "hasGains": .when(!gains.isEmpty),
            "senders": .items(
                senders.map { name, sender in
                    let paid = sender.paid.sorted { $0.key < $1.key }
                    return [
                        "sender": .text(cut(name.text)), "requests": .number(sender.requests),
                        "completed": .number(sender.completed),
                        "paid": .items(
                            paid.map { columns($0.value, totals.assets[$0.key]) }),
                    ]
                }),
        ]
    }

    /// The gains of each year, where the page is about all wallets, over which lots are.
    private var gains: [Template.Scope] {
        guard index.scope.wallet == nil else { return [] }
        return BookWorth(index.state).allCurrencies.flatMap { currency in
            let gains = GainsByYear(of: index.state, currency: currency) { date in
                !index.scope.isBefore(date) && !index.scope.isAfter(date)
            }
            let decimals = Currency.decimals(of: currency)
            return gains.rows.map { key, sum in
                func text(_ ratio: ExactRatio) -> Template.Value {
                    let figure = ratio.text(decimals: decimals).replacing("-", with: "−")
                    return .text(sum.priced > 0 ? figure : "?")
                }
                return [
                    "year": .text(key.year), "symbol": .text(key.asset.symbol),
                    "contract": .items(key.asset.contract.map { [["name": .text($0)]] } ?? []),
                    "amount": .text(key.asset.text(SignedAmount(sum.amount))),
                    "currency": .text(currency), "proceeds": text(sum.proceeds),
                    "cost": text(sum.cost), "gain": text(sum.gain),
                    "unpriced": .items(
                        sum.unpriced > 0 ? [["count": .number(sum.unpriced)]] : []),
                ]
            }
        }
    }

    private func columns(_ sum: ReportTotals.Sum, _ asset: BookAsset) -> Template.Scope {
        [
            "symbol": .text(asset.symbol),
            "contract": .items(asset.contract.map { [["name": .text($0)]] } ?? []),
            "received": .text(asset.text(sum.received)),
            "sent": .text(asset.text(sum.sent.adding(sum.removed))),
            "fees": .text(asset.text(sum.fees)),
        ]
    }
}

// MARK: - The data

extension Report {
    private func writeData(
        _ write: (Template.Scope) throws -> Void, reading records: Records, into state: State,
        by engines: Engines
    ) throws {
        try withoutActuallyEscaping(write) { write in
            func script(_ kind: String, _ value: JSON) throws {
                try write(["kind": .text(kind), "json": .verbatim(HTML.data(value))])
            }
            try script("about", about)
            var data = ReportData(index, into: state, by: engines, write: script)
            try records { try data.take($0) }
            try data.finish()
            try data.writeMovements(totals)
        }
    }

    /// The values that the script needs before anything else.
    private var about: JSON {
        let wallets = index.state.wallets.rows().map { id, row in
            JSON.record([
                "id": .int(id.number),
                "name": .string(Text.escaped(ReportText.name(of: id, in: index.state))),
                "network": .string(row.wallet.network.rawValue),
            ])
        }
        let series = index.balances.compactMap { series in
            totals.asset(series.key, index.state).map { series.json(asset: $0) }
        }
        return .record([
            "events": .int(index.events), "root": .string(Base64.encode(index.root)),
            "begin": (index.scope.from ?? index.times?.lowerBound).map { .int($0) },
            "end": (index.scope.to ?? index.times?.upperBound).map { .int($0) },
            "showsEvents": .bool(index.scope.showsEvents),
            "wallets": .array(wallets), "assets": .array(totals.assets.map(\.json)),
            "series": .array(series),
        ])
    }
}
