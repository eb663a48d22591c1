package import DaybookEncoding
package import DaybookLog

/// A log as a page that a person reads: one file of HTML that needs nothing else.
///
/// Nothing runs in it but its own script, which shows how an event leads to the tree's root.
///
/// The same log and findings give the same bytes.
package struct Report {
    let survey: Survey
    let findings: [ReportFinding]
    let checks: [String]

    /// A report of a survey, with what is wrong with the log and, in sentences, what was checked.
    package init(_ survey: Survey, findings: [ReportFinding], checks: [String]) {
        self.survey = survey
        self.findings = findings
        self.checks = checks
    }

    /// What every page begins with.
    package static let beginning = "<!DOCTYPE html>\n"

    /// Goes over all records of a log, in order.
    package typealias Records = ((EventRecord) throws -> Void) throws -> Void

    /// Writes the page piece by piece; `records` must give the surveyed records each time.
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
        guard let times = survey.times else { return }
        page.element(.p, [.style("quiet")]) { page in
            page.moment(times.lowerBound)
            page.text(" to ")
            page.moment(times.upperBound)
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

    private var shortID: String { String(Hex.encode(survey.logID).prefix(8)) }
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
