import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLog

extension Report {
    func writeRequests(_ page: inout Markup, reading records: Records) throws {
        if index.requestCount == 0 { page.element(.p, "No request came.") }
        page.element(
            .p,
            "Who asked is what the caller says of itself: nobody verified it. A part of the page "
                + "opens when it is clicked; on paper all are open.")
        var collector = TimelineCollector(lastEvents: index.lastEvents)
        var pages = RequestPages()
        try records { record in
            for timeline in collector.take(try? record.event(), at: record.id) {
                let part = pages.add(timeline)
                if !part.isEmpty { try write(part, &page) }
            }
        }
        if !pages.timelines.isEmpty { try write(pages.timelines, &page) }
    }

    private func write(_ timelines: [RequestTimeline], _ page: inout Markup) throws {
        guard let first = timelines.first else { return }
        let isShort = index.requestCount <= RequestPages.most
        try page.details([.style("part")], isOpen: isShort) { page in
            page.element(.h3) { page in
                page.text(Timestamp.day(first.received))
                let count = timelines.count
                page.element(
                    .span, [.style("quiet")],
                    " \(count) \(count == 1 ? "request" : "requests"), from "
                        + "\(Timestamp.clock(first.received)) on")
            }
        } _: { page in
            for timeline in timelines {
                page.details([.id(.request(timeline.id)), .style("story")]) { page in
                    writeHeadline(timeline, &page)
                } _: { page in
                    page.element(.ol, [.style("steps")]) { page in
                        for event in timeline.events { write(event, of: timeline, &page) }
                    }
                }
                try page.drain()
            }
        }
    }

    private func writeHeadline(_ timeline: RequestTimeline, _ page: inout Markup) {
        let row = index.state.request(timeline.id)
        let standing = row.map { row in
            index.state.standing(
                of: timeline.id, row, PaymentCourse(of: timeline.id, timeline.events))
        }
        let status = standing?.status ?? .received
        page.badge(status.rawValue, Self.style(of: status))
        if index.lost[timeline.id] != nil {
            page.text(" ")
            page.badge("not paid", .bad)
        }
        page.text(" ")
        if let prompt = prompt(of: timeline) {
            page.element(.b) { $0.shown(prompt.content.headline) }
        } else {
            page.element(.b, headline(row, timeline))
            if let caller = row?.request?.caller?.scheme {
                page.text(" for ")
                page.excerpt(caller, longest: 128)
                page.element(.span, [.style("quiet")], " (unverified)")
            }
        }
        page.text(" ")
        if let wallet = row?.wallet ?? timeline.wallet {
            let owner = index.state.wallets[wallet]
            if let owner { badge(owner.wallet.network, &page) }
            page.text(" ")
        }
        page.element(.span, [.style("quiet")]) { page in
            page.text("request \(timeline.id), ")
            page.element(.time, Timestamp.clock(timeline.received))
            if let standing {
                page.text(": it ")
                page.excerpt(standing.sentence)
            }
        }
    }

    private func headline(_ row: RequestRow?, _ timeline: RequestTimeline) -> String {
        guard let request = row?.request else { return row?.link ?? "not understood" }
        return "\(request.action.method) on \(request.chain.rawValue)"
    }

    /// The prompt that the user decided on, or else the first one that was shown.
    private func prompt(of timeline: RequestTimeline) -> Prompt? {
        timeline.events.lazy.compactMap { index.prompts[$0.position] }.last
            ?? timeline.offer?.prompt
    }

    private static func style(of status: Standing.Status) -> Markup.Standing {
        switch status {
        case .completed: .good
        case .refused, .failed: .bad
        case .rejected, .expired, .coalesced, .cancelled: .quiet
        case .received, .deferred, .pending, .signed, .sent: .open
        }
    }
}

extension Report {
    /// Writes one step of a request: its time, what happened, and a link to the event.
    func write(_ event: Event, of timeline: RequestTimeline, _ page: inout Markup) {
        page.element(.li) { page in
            page.element(.time, Timestamp.clock(event.time))
            page.text(" ")
            writeStep(event, of: timeline, &page)
            page.text(" ")
            page.element(.span, [.style("source")]) {
                source(event: event.position, "event \(event.position)", &$0)
            }
        }
    }

    private func writeStep(_ event: Event, of timeline: RequestTimeline, _ page: inout Markup) {
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
            page.time(data.expires)
            write(data.prompt, &page)
        case .requestRefused(let data): end("Refused", data.refusal, code: data.protocolCode, &page)
        case .requestCoalesced(let data):
            say("The same", " as ", &page)
            link(request: data.into, &page)
            page.text(", which counts")
        case .requestRejected: say("Rejected", ": the request ends", &page)
        case .requestExpired: say("Expired", ": nobody decided in time", &page)
        case .decisionMade(let data): write(data, event, of: timeline, &page)
        case .decisionRefused(let data):
            end("The decision can't stand", data.refusal, code: nil, &page)
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
        _ data: DecisionMade, _ event: Event, of timeline: RequestTimeline, _ page: inout Markup
    ) {
        say(data.decision == .approve ? "Approved" : "Rejected", " by the user", &page)
        if let wallet = data.wallet {
            page.text(", with ")
            link(wallet: wallet, &page)
        }
        if let amount = data.amount { page.text(", entering \(Self.coins(amount))") }
        if data.coins.isAll { page.text(", paying all") }
        if !data.coins.named.isEmpty {
            page.text(", from \(data.coins.named.map(\.text).joined(separator: " and "))")
        }
        guard let shown = data.prompt else { return }
        if shown == timeline.offer?.digest {
            page.text(". What was shown is what stands above.")
        } else if let prompt = index.prompts[event.position] {
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

    func end(_ what: String, _ refusal: Refusal, code: Int64?, _ page: inout Markup) {
        say(what, ": ", &page)
        page.excerpt(refusal.reason)
        page.text(" (")
        page.element(.code, refusal.code.rawValue)
        if let code { page.text(", the protocol's code \(code)") }
        page.text(")")
    }

    /// An amount that the user entered: those are always in duffs.
    private static func coins(_ duffs: UInt64) -> String {
        DecimalAmount.format(UInt256(duffs), decimals: Duffs.decimals)
    }

    /// A link's bytes as text; bytes above 0x7f are percent-encoded unless the whole is UTF-8.
    private static func text(of bytes: Bytes) -> String {
        if let text = Text.utf8String(bytes) { return text }
        return bytes.map { byte in
            byte < 0x80 ? String(UnicodeScalar(byte)) : "%" + Hex.encode([byte]).uppercased()
        }.joined()
    }
}

/// The steps of a request that signs or sends a transaction.
extension Report {
    func writeTransactionStep(_ event: Event, _ page: inout Markup) {
        switch event.payload {
        case .transactionPrepared(let data): write(data, &page)
        case .signatureMade(let data):
            let count = data.signatures.count
            say("Signed", " by the keystore: \(count == 1 ? "1 key" : "\(count) inputs")", &page)
        case .signatureFailed(let data):
            say("Not signed", ": ", &page)
            page.excerpt(data.reason)
        case .transactionSigned(let data):
            say("The signatures hold", ": the transaction is ready", &page)
            write(data, &page)
        case .broadcastAnswered(let data): write(data, &page)
        case .transactionSent: say("Sent", ": the network has it", &page)
        case .transactionFailed(let data):
            end("Failed", data.refusal, code: data.protocolCode, &page)
        case .transactionLocked: say("Final", ": InstantSend or a ChainLock holds it", &page)
        case .transactionConfirmed(let data):
            say("In a block", " at height \(data.height)", &page)
            if let failure = data.failure {
                page.text(", but it was run without success: ")
                page.excerpt(failure)
            }
        case .transactionReorganised:
            say("Out of its block again", ": the chain was reorganised", &page)
        case .transactionDropped: say("Dropped", ": the network will never have it", &page)
        default: page.element(.b, type(of: event.payload.data).type)
        }
    }

    private func write(_ data: TransactionPrepared, _ page: inout Markup) {
        say("Prepared", ": \(Self.size(data.bytes)) to be signed, paid by ", &page)
        link(wallet: data.wallet, &page)
        let row = index.state.wallets[data.wallet]
        let rules = (row?.wallet.chain ?? .dash).rules
        let fee = DecimalAmount.format(data.fee, decimals: rules.coin.decimals)
        page.text(", for a fee of \(rules.ledger == .accounts ? "at most " : "")\(fee)")
    }

    private func write(_ data: TransactionSigned, _ page: inout Markup) {
        page.element(.dl) { page in
            page.pair("txid") { $0.code(Hex.encode(data.txid)) }
            page.pair("bytes") { page in
                page.text("\(Self.size(data.bytes)), SHA-256 ")
                page.code(Hex.encode(SHA256.hash(data.bytes)))
            }
        }
    }

    private func write(_ data: BroadcastAnswered, _ page: inout Markup) {
        switch data.answer {
        case .accepted: say("The node took it", "", &page)
        case .refused: say("The node refused it", "", &page)
        case .unknown: say("No node took it yet", "", &page)
        }
        if let reason = NodeReason(data) { page.text(": \(reason.sentence)") }
        if let code = data.code { page.text("; code \(code)") }
        if let message = data.message {
            page.text(", in the log as ")
            page.excerpt(message)
        }
    }

    private static func size(_ bytes: Bytes) -> String { "\(bytes.count) bytes" }
}
