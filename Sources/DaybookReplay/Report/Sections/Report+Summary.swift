import DaybookChains
import DaybookDomain
import DaybookEncoding

extension Report {
    func writeSummary(_ page: inout Markup) {
        page.element(.dl) { page in
            page.pair("log") { $0.code(Hex.encode(survey.logID)) }
            page.pair("events") { $0.text(String(survey.events)) }
            if let times = survey.times {
                page.pair("from") { $0.moment(times.lowerBound) }
                page.pair("to") { $0.moment(times.upperBound) }
            }
            page.pair("sessions") { $0.text(String(survey.sessions.count)) }
            page.pair("requests") { $0.text(requestCounts) }
            page.pair("tree root") { $0.code(Hex.encode(survey.root)) }
            page.pair("state digest") { $0.code(Hex.encode(StateDigest.of(survey.state))) }
        }
        writeWallets(&page)
    }

    private var requestCounts: String {
        let rows = survey.state.requests.rows()
        let counts: [(status: RequestRow.Status, count: Int)] =
            ([
                .completed, .cancelled, .rejected, .refused, .failed, .expired, .coalesced,
                .pending, .deferred, .approved, .signed, .sent, .received,
            ] as [RequestRow.Status]).map { status in
                (status, rows.count { $0.row.status == status && survey.lost[$0.key] == nil })
            }
        var parts = counts.filter { $0.count > 0 }.map { "\($0.count) \($0.status.rawValue)" }
        if !survey.lost.isEmpty { parts.append("\(survey.lost.count) not paid after all") }
        return parts.isEmpty ? "none" : "\(rows.count): " + parts.joined(separator: ", ")
    }

    private func writeWallets(_ page: inout Markup) {
        let wallets = survey.state.wallets.rows()
        if wallets.isEmpty { return page.element(.p, "There are no wallets.") }
        if wallets.contains(where: { $0.row.wallet.network == .sandbox }) {
            page.element(.p) { page in
                badge(.sandbox, &page)
                page.text(" wallets are on the embedded chain: their coins are play money.")
            }
        }
        let columns = ["wallet", "chain", "network", "first address", "added by", ""]
        page.table("Wallets", columns) { page in
            for (key, row) in wallets {
                let id = key
                page.element(.tr, [.id(.wallet(id))]) { page in
                    page.element(.th, [.fixed("scope", "row")], name(of: id))
                    page.cell(row.wallet.chain.rawValue)
                    page.cell { badge(row.wallet.network, &$0) }
                    page.cell { $0.code(row.address) }
                    page.cell { source(event: id.position, "event \(id)", &$0) }
                    page.cell(row.removed ? "removed" : "")
                }
            }
        }
    }
}
