import DaybookChains
import DaybookDomain
import DaybookEncoding

extension Report {
    /// One step of a request: what happened, when, and by which event.
    func write(_ event: Event, of story: Story, _ page: inout Markup) {
        page.element(.li) { page in
            page.element(.time, Moment.clock(event.time))
            page.text(" ")
            writeStep(event, of: story, &page)
            page.text(" ")
            page.element(.span, [.style("source")]) {
                source(event: event.position, "event \(event.position)", &$0)
            }
        }
    }

    private func writeStep(_ event: Event, of story: Story, _ page: inout Markup) {
        switch event.payload {
        case .requestReceived(let data):
            say("Received", " from the front end ", &page)
            page.excerpt(data.frontEnd)
            page.element(.div) { $0.code(Self.text(of: data.text)) }
        case .remedyRequested(let data):
            say(data.remedy == .bump ? "Bump" : "Cancellation", " asked for by the user of ", &page)
            page.excerpt(data.frontEnd)
            page.text(", of ")
            link(request: data.payment, &page)
        case .requestCancelled(let data):
            say("Cancelled", ": the chain has the transaction of ", &page)
            link(request: data.by, &page)
            page.text(data.wasAnswered ? "; its caller had been told of the payment" : "")
        case .requestDeferred: say("Understood", "; only the chain can say if it can be met", &page)
        case .requestAccepted(let data):
            say("Shown to the user", ", to be decided before ", &page)
            page.moment(data.expires)
            write(data.prompt, &page)
        case .requestRefused(let data): end("Refused", data.refusal, data.protocolCode, &page)
        case .requestCoalesced(let data):
            say("The same", " as ", &page)
            link(request: data.into, &page)
            page.text(", which counts")
        case .requestRejected: say("Rejected", ": the request ends", &page)
        case .requestExpired: say("Expired", ": nobody decided in time", &page)
        case .decisionMade(let data): write(data, event, story, &page)
        case .decisionRefused(let data): end("The decision can't stand", data.refusal, nil, &page)
        case .bindingGranted(let data): write(data, &page)
        case .callbackEmitted(let data):
            say("Answered", " with this callback", &page)
            page.element(.div) { $0.code(data.url) }
        case .callbackDelivered: say("Delivered", ": the front end opened the callback", &page)
        case .chainObserved(let data):
            say("The chain answered", data.height.map { " at height \($0)" } ?? "", &page)
        case .chainUnavailable(let data):
            say("The chain gave no usable answer", ": ", &page)
            page.excerpt(data.reason)
        default: writeTransactionStep(event, &page)
        }
    }

    private func write(
        _ data: DecisionMade, _ event: Event, _ story: Story, _ page: inout Markup
    ) {
        say(data.decision == .approve ? "Approved" : "Rejected", " by the user", &page)
        if let wallet = data.wallet {
            page.text(", with ")
            link(wallet: wallet, &page)
        }
        if let amount = data.amount { page.text(", entering \(Self.coins(amount))") }
        guard let shown = data.prompt else { return }
        if shown == story.offer?.digest {
            page.text(". What was shown is what stands above.")
        } else if let prompt = survey.prompts[event.position] {
            page.text(". This was shown:")
            write(prompt, &page)
        } else {
            page.text(". What was shown is not what would have been done; its digest is ")
            page.code(Hex.encode(shown))
        }
    }

    private func write(_ data: BindingGranted, _ page: inout Markup) {
        page.element(.b, "The caller now knows")
        page.text(" \(data.kind.sentence)")
        for value in data.values { page.element(.div) { $0.code(value) } }
    }

    private func write(_ prompt: Prompt, _ page: inout Markup) {
        page.element(.dl, [.style("prompt")]) { page in
            for line in prompt.lines {
                page.element(.div) { page in
                    page.element(.dt) { $0.shown(line.name) }
                    page.element(.dd) { $0.shown(line.text) }
                }
            }
        }
    }

    func say(_ what: String, _ rest: String, _ page: inout Markup) {
        page.element(.b, what)
        page.text(rest)
    }

    func end(_ what: String, _ refusal: Refusal, _ code: Int64?, _ page: inout Markup) {
        say(what, ": ", &page)
        page.excerpt(refusal.reason)
        page.text(" (")
        page.element(.code, refusal.code.rawValue)
        if let code { page.text(", the protocol's code \(code)") }
        page.text(")")
    }

    /// Only on chains that count in duffs does a user enter an amount.
    private static func coins(_ duffs: UInt64) -> String {
        DecimalAmount.format(UInt256(duffs), decimals: Duffs.decimals)
    }

    /// A link's bytes as text; those that are no UTF-8 as they are percent-encoded.
    private static func text(of bytes: Bytes) -> String {
        if let text = Text.utf8String(bytes) { return text }
        return bytes.map { byte in
            byte < 0x80 ? String(UnicodeScalar(byte)) : "%" + Hex.encode([byte]).uppercased()
        }.joined()
    }
}
