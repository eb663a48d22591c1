import DaybookDomain
import DaybookEncoding

extension Report {
    /// A page lists so many findings at most; who has more looks at the first ones first.
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
        page.element(.p, "What was checked, on \(survey.events) events:")
        page.element(.ul) { page in
            for check in checks { page.element(.li, check) }
        }
    }

    /// Payments whose callers may go on as if they had been paid: nothing is wrong with the log.
    private func writeLost(_ page: inout Markup) {
        let lost = survey.lost.sorted { $0.key < $1.key }
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
                        survey.state.request(id)?.callback == nil
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
