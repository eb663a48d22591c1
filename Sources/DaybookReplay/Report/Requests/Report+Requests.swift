import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog

extension Report {
    func writeRequests(_ page: inout Markup, reading records: Records) throws {
        if survey.requestCount == 0 { page.element(.p, "No request came.") }
        page.element(
            .p,
            "Who asked is what the caller says of itself: nobody verified it. A part of the page "
                + "opens when it is clicked; on paper all are open.")
        var queue = RequestTimeline(lastEvents: survey.lastEvents)
        var pages = RequestPages()
        try records { record in
            for story in queue.take(Recorded(record).event, at: record.id) {
                let part = pages.add(story)
                if !part.isEmpty { try write(part, &page) }
            }
        }
        if !pages.stories.isEmpty { try write(pages.stories, &page) }
    }

    private func write(_ stories: [Story], _ page: inout Markup) throws {
        guard let first = stories.first else { return }
        let isShort = survey.requestCount <= RequestPages.most
        try page.details([.style("part")], isOpen: isShort) { page in
            page.element(.h3) { page in
                page.text(Moment.day(first.received))
                let count = stories.count
                page.element(
                    .span, [.style("quiet")],
                    " \(count) \(count == 1 ? "request" : "requests"), from "
                        + "\(Moment.clock(first.received)) on")
            }
        } _: { page in
            for story in stories {
                page.details([.id(.request(story.id)), .style("story")]) { page in
                    writeHeadline(story, &page)
                } _: { page in
                    page.element(.ol, [.style("steps")]) { page in
                        for event in story.events { write(event, of: story, &page) }
                    }
                }
                try page.drain()
            }
        }
    }

    private func writeHeadline(_ story: Story, _ page: inout Markup) {
        let row = survey.state.request(story.id)
        let status = row?.status ?? .received
        if let lost = survey.lost[story.id] {
            page.badge("not paid", .bad)
            page.text(" ")
            page.element(.span, [.style("quiet")], lost.loss.sentence)
        } else {
            page.badge(status.rawValue, Self.standing(status))
        }
        page.text(" ")
        page.element(.b, headline(row, story))
        if let prompt = prompt(of: story), let amount = prompt["amount"] {
            page.text(" ")
            page.element(.b) { page in
                page.shown(amount)
                if let asset = prompt["asset"] {
                    page.text(" ")
                    page.shown(asset)
                }
            }
        }
        if let caller = row?.request?.caller?.scheme {
            page.text(" for ")
            page.excerpt(caller, longest: 128)
            page.element(.span, [.style("quiet")], " (unverified)")
        }
        page.text(" ")
        if let wallet = row?.wallet ?? story.wallet {
            let owner = survey.state.wallets[wallet]
            if let owner { badge(owner.wallet.network, &page) }
            page.text(" ")
        }
        page.element(.span, [.style("quiet")]) { page in
            page.text("request \(story.id), ")
            page.element(.time, Moment.clock(story.received))
            if let refusal = row?.refusal {
                page.text(": ")
                page.excerpt(refusal.reason)
            }
        }
    }

    private func headline(_ row: RequestRow?, _ story: Story) -> String {
        guard let request = row?.request else { return row?.link ?? "not understood" }
        return "\(request.action.method) on \(request.chain.rawValue)"
    }

    /// What the user decided about, or else was offered.
    private func prompt(of story: Story) -> Prompt? {
        story.events.lazy.compactMap { survey.prompts[$0.position] }.last ?? story.offer?.prompt
    }

    private static func standing(_ status: RequestRow.Status) -> Markup.Standing {
        switch status {
        case .completed: .good
        case .refused, .failed: .bad
        case .rejected, .expired, .coalesced, .cancelled: .quiet
        case .received, .deferred, .pending, .approved, .signed, .sent: .open
        }
    }
}
