import DaybookChains
import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// A log as a page of HTML for people: one file that needs no others.
///
/// Its only script shows the proof of an event, from its leaf hash to the tree's root. The same log
/// and findings give the same bytes.
package struct Report {
    let index: ReportIndex
    let findings: [ReportFinding]
    let checks: [String]

    /// A report of an indexed log, with its faults and, in sentences, what was checked.
    package init(_ index: ReportIndex, findings: [ReportFinding], checks: [String]) {
        self.index = index
        self.findings = findings
        self.checks = checks
    }

    /// The first bytes of every page.
    package static let beginning = "<!DOCTYPE html>\n"

    /// Calls its argument with every record of a log, in order.
    package typealias Records = ((EventRecord) throws -> Void) throws -> Void

    /// Writes the page piece by piece; `records` is called several times.
    package func write(to sink: @escaping (Bytes) throws -> Void, reading records: Records) throws {
        var page = Markup(to: sink)
        page.doctype()
        try page.element(.html, [.fixed("lang", "en")]) { page in
            page.element(.head) { writeHead(&$0) }
            try page.element(.body) { page in
                page.element(.header) { writeTitle(&$0) }
                page.element(.nav, [.label("Parts of the page")]) { writeContents(&$0) }
                try page.element(.main) { try writeSections(&$0, reading: records) }
                page.proofScript()
            }
        }
        try page.drain(isEnd: true)
    }

    private func writeHead(_ page: inout Markup) {
        page.empty(.meta, [.fixed("charset", "utf-8")])
        page.empty(.meta, [.fixed("http-equiv", "Content-Security-Policy"), .policy])
        page.empty(
            .meta,
            [.fixed("name", "viewport"), .fixed("content", "width=device-width, initial-scale=1")])
        page.empty(.meta, [.fixed("name", "referrer"), .fixed("content", "no-referrer")])
        page.element(.title, "Daybook report of log \(shortID)")
        page.stylesheet()
    }

    private func writeTitle(_ page: inout Markup) {
        page.element(.h1) { page in
            page.text("Daybook report ")
            page.element(.span, [.style("quiet")], "of log \(shortID)…")
        }
        guard let times = index.times else { return }
        page.element(.p, [.style("quiet")]) { page in
            page.time(times.lowerBound)
            page.text(" to ")
            page.time(times.upperBound)
            page.text(". All times are UTC.")
        }
    }

    private func writeContents(_ page: inout Markup) {
        page.element(.ul) { page in
            for section in Anchor.Section.allCases {
                page.element(.li) { $0.link(to: .section(section), section.heading) }
            }
        }
    }

    private func writeSections(_ page: inout Markup, reading records: Records) throws {
        page.section(.findings) { writeFindings(&$0) }
        page.section(.summary) { writeSummary(&$0) }
        try page.drain()
        try page.section(.requests) { try writeRequests(&$0, reading: records) }
        try page.section(.balances) { try writeBalances(&$0) }
        try page.section(.bindings) { try writeBindings(&$0) }
        try page.section(.history) { try writeHistory(&$0) }
        try page.section(.sessions) { try writeSessions(&$0) }
        try page.section(.events) { try writeEvents(&$0, reading: records) }
    }

    private var shortID: String { String(Hex.encode(index.logID).prefix(8)) }
}

extension Markup {
    mutating func section<Failure: Error>(
        _ section: Anchor.Section, _ content: (inout Markup) throws(Failure) -> Void
    ) throws(Failure) {
        try element(.section, [.id(.section(section))]) { page throws(Failure) in
            page.element(.h2, section.heading)
            try content(&page)
        }
    }
}

extension Report {
    func writeSummary(_ page: inout Markup) {
        page.element(.dl) { page in
            page.pair("log") { $0.code(Hex.encode(index.logID)) }
            page.pair("events") { $0.text(String(index.events)) }
            if let times = index.times {
                page.pair("from") { $0.time(times.lowerBound) }
                page.pair("to") { $0.time(times.upperBound) }
            }
            page.pair("sessions") { $0.text(String(index.sessions.count)) }
            page.pair("requests") { $0.text(requestCounts) }
            page.pair("tree root") { $0.code(Hex.encode(index.root)) }
            page.pair("state digest") { $0.code(Hex.encode(StateDigest.of(index.state))) }
        }
        writeWallets(&page)
    }

    private var requestCounts: String {
        let rows = index.state.requests.rows()
        let statuses = rows.filter { index.lost[$0.key] == nil }
            .map { index.state.status(of: $0.row) }
        let counts: [(status: Standing.Status, count: Int)] =
            ([
                .completed, .cancelled, .rejected, .refused, .failed, .expired, .coalesced,
                .pending, .deferred, .signed, .sent, .received,
            ] as [Standing.Status]).map { status in
                (status, statuses.count { $0 == status })
            }
        var parts = counts.filter { $0.count > 0 }.map { "\($0.count) \($0.status.rawValue)" }
        if !index.lost.isEmpty { parts.append("\(index.lost.count) not paid after all") }
        return parts.isEmpty ? "none" : "\(rows.count): " + parts.joined(separator: ", ")
    }

    private func writeWallets(_ page: inout Markup) {
        let wallets = index.state.wallets.rows()
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

/// A fault of a log that replaying or auditing it has found.
package struct ReportFinding: Equatable, Sendable {
    /// The event at fault; nil when the whole log is.
    package let position: Position?
    /// The rule that was broken, such as `replay`.
    package let rule: String
    package let message: String

    package init(position: Position?, rule: String, message: String) {
        self.position = position
        self.rule = rule
        self.message = message
    }
}

extension Report {
    /// How many findings a page lists at most.
    private static let mostFindings = 1000

    func writeFindings(_ page: inout Markup) {
        if findings.isEmpty {
            page.element(.p, [.style("verdict good")], "✓ Nothing wrong was found.")
        } else {
            let count = findings.count
            page.element(
                .p, [.style("verdict bad")],
                "✗ \(count) \(count == 1 ? "thing is" : "things are") wrong with this log. "
                    + "What follows is what it says, not what is true.")
            writeTable(&page)
        }
        writeLost(&page)
        page.element(.p, "What was checked, on \(index.events) events:")
        page.element(.ul) { page in
            for check in checks { page.element(.li, check) }
        }
    }

    /// Writes the payments that were lost after their callers were told of them.
    ///
    /// Nothing is wrong with the log, but the callers believe that they were paid.
    private func writeLost(_ page: inout Markup) {
        let lost = index.lost.sorted { $0.key < $1.key }
        guard !lost.isEmpty else { return }
        let count = lost.count
        page.element(
            .p, [.style("verdict bad")],
            "✗ \(count) \(count == 1 ? "payment" : "payments") came to nothing after the network "
                + "had been told of \(count == 1 ? "it" : "them").")
        let columns = ["request", "event", "what happened", "its caller"]
        page.table("Payments that came to nothing", columns) { page in
            for (id, lost) in lost.prefix(Self.mostFindings) {
                page.row { page in
                    page.cell { link(request: id, &$0) }
                    page.cell { source(event: lost.position, "\(lost.position)", &$0) }
                    page.cell(lost.loss.sentence)
                    page.cell(
                        index.state.request(id)?.callback == nil
                            ? "was told nothing" : "was told that it is paid")
                }
            }
        }
    }

    private func writeTable(_ page: inout Markup) {
        page.table("Violations and divergences", ["event", "rule", "what is wrong"]) { page in
            for finding in findings.prefix(Self.mostFindings) {
                page.row { page in
                    page.cell { page in
                        if let position = finding.position {
                            source(event: position, "\(position)", &page)
                        } else {
                            page.text("the log")
                        }
                    }
                    page.cell(finding.rule)
                    page.cell { $0.excerpt(finding.message) }
                }
            }
        }
        if findings.count > Self.mostFindings {
            page.element(.p, "\(findings.count - Self.mostFindings) more are not listed here.")
        }
    }
}
