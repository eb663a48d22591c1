package import Daybook
package import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Method {
    package static let requestOpen = Method(
        "request.open", [Parameter("url", .text, at: "URL")], command: "open",
        does: """
            receive a request that another app sent
            With - as URL, each line of standard input is a URL. Quote the URL: it contains &.
            """,
        gives: WalletRequest.resultType,
        note: "a refused one is a result with `error`, not an error", changes: true
    ) { call in
        let request = try await call.store.receive(call.arguments.text("url") ?? "")
        return try MethodAnswer(offering: request, command: "open")
    }

    static let requestList = Method(
        "request.list",
        [
            .statuses,
            .optional(
                "before", .number, at: "--before N",
                "only requests before request N, for the next page"),
            .optional("after", .position), .limit("requests"),
        ] + Parameter.filters, command: "requests",
        does: """
            list open and past requests, newest first
            Each line has the request's status, when it came, what it asks for, and why it was
            refused or has failed. Conditions are combined. A text is looked for in all of a
            request, also in links that were refused.
            """,
        gives: .list(
            "Requests", "requests", of: WalletRequest.resultType, .optional("next", .number)),
        note: """
            newest first; with `after` (-1: from the first one on) oldest first; `status` is an \
            array of statuses; only those that meet all [conditions](COMMANDS.md#searching)
            """, pages: "before"
    ) { call in
        let filter = try call.arguments.filter()
        let size = try call.arguments.pageSize()
        let page: RequestPage
        if let next = call.arguments.next(after: "after") {
            guard !call.arguments.has("before") else {
                throw call.arguments.notBoth("before", "after")
            }
            let after = next == 0 ? nil : RequestID(next.number - 1)
            page = try await call.store.requests(matching: filter, after: after, limit: size)
        } else {
            page = try await call.store.requests(
                matching: filter, before: call.arguments.id("before"), limit: size)
        }
        return try MethodAnswer(
            "requests", page.requests, next: page.next.map { .int($0) },
            empty: call.arguments.isFiltered ? "no request is like that" : "no requests yet",
            json: { try $0.json() }, text: \.line)
    }

    static let requestShow = Method(
        "request.show", [.request], command: "show",
        does: """
            show request N with its whole history
            For a payment, also its state on the chain, why a node did not accept it, and what you
            can do.
            """, gives: WalletRequest.resultTypeWithEvents
    ) { call in
        let request = try await call.store.request(try call.arguments.id(required: "request"))
        var events: [LogEvent] = []
        try await EventPages(request: request.id).each(of: call.store) { events.append($0) }
        let found = events
        return MethodAnswer(try request.json(events: found)) {
            try ([request.text, ""] + found.map { try $0.text }).joined(separator: "\n")
        }
    }

    static let requestPrompt = Method(
        "request.prompt",
        [
            .request,
            .optional("wallet", .wallet, at: "--wallet W", "as for this wallet, by id or label"),
            .optional(
                "amount", .amount, at: "--amount A",
                "as for this amount in coins, or all, if the request has none"),
            .optional(
                "coins", .texts, at: "--coins A,B", "as if it were paid from these coins alone"),
        ], command: "prompt",
        does: """
            show what `approve N` would ask, with the digest that `approve --shown` takes
            Nothing is recorded.
            """,
        gives: ResultType(
            "RequestPrompt",
            [.init("request", .number), .init("prompt", .object(PromptText.resultType))]),
        note: """
            the prompt with its `digest`; `amount` may be `"all"`, `coins` is an array of \
            `TXID:INDEX`, at most 100
            """
    ) { call in
        let choice = try await DecisionChoice(call.arguments, call.store)
        let prompt = try await call.store.prompt(
            for: choice.request, wallet: choice.wallet, amount: choice.payment.amount,
            coins: choice.payment.coins)
        return MethodAnswer(.record(["request": .int(choice.request), "prompt": prompt.json])) {
            let columns = Terminal.columns(of: 1) ?? 80
            let digest = [("digest", prompt.digest.description)]
            return "request \(choice.request) asks:\n" + prompt.text(columns: columns) + "\n"
                + Console.table(digest, whole: ["digest"])
        }
    }

    package static let requestApprove = Method(
        "request.approve",
        [
            .request,
            Parameter(
                "shown", .text, at: "--shown DIGEST", "only if the prompt still has this digest"),
            .passphrase(required: false),
            .optional(
                "wallet", .wallet, at: "--wallet W", "the wallet to answer with, by id or label"),
            .optional(
                "amount", .amount, at: "--amount A",
                "the amount in coins, if the request leaves it to you; all pays everything"),
            .optional(
                "coins", .texts, at: "--coins A,B",
                "pay from these coins and no others, as `coin list` names them"),
        ], command: "approve",
        does: """
            approve request N: unlock the wallet, sign and send
            The request is shown again first; on a terminal you are asked once more.
            Of a wallet whose key is on another machine, --offline FILE writes what is to be
            signed there with `sign FILE`, and --signed FILE takes the result.
            """,
        gives: WalletRequest.resultType,
        note: """
            after signing and sending; `shown` is the digest of the prompt that the user saw, with \
            the same `wallet`, `amount` and `coins`
            """, changes: true
    ) { call in
        let choice = try await DecisionChoice(call.arguments, call.store)
        guard let shown = call.arguments.text("shown").flatMap({ PromptDigest(hex: $0) }) else {
            throw CommandFailure.usage("shown is a prompt's digest: 64 hexadecimal digits")
        }
        let request = try await call.store.approve(
            choice.request, shown: shown, wallet: choice.wallet, amount: choice.payment.amount,
            coins: choice.payment.coins, unlockedBy: try call.arguments.secret("passphrase"),
            progress: call.approvalProgress)
        return try MethodAnswer(request, failing: request.failureAfterApproval, of: "approve")
    }

    static let requestReject = Method(
        "request.reject",
        [
            .optional("request", .number, at: "[N]"),
            .optional(
                "sender", .text, at: "--sender S",
                "instead of N: all pending requests of this sender ('': none)"),
        ], command: "reject",
        does: """
            reject request N, or all pending requests of a sender
            `settings blockedSenders NAMES` blocks senders.
            """, gives: WalletRequest.resultType,
        .list("RejectedRequests", "requests", of: WalletRequest.resultType),
        note: "the second with `sender`", changes: true
    ) { call in
        let sender = call.arguments.text("sender")
        if let id: RequestID = call.arguments.id("request") {
            guard sender == nil else { throw call.arguments.notBoth("request", "sender") }
            return try MethodAnswer(try await call.store.reject(id))
        }
        guard let sender else {
            let arguments = call.arguments
            throw CommandFailure.usage(
                "give \(arguments.spelled("request")) or \(arguments.spelled("sender"))")
        }
        let rejected = try await call.store.rejectAll(from: sender.isEmpty ? nil : sender)
        return try MethodAnswer(
            "requests", rejected, empty: nil, json: { try $0.json() }, text: { $0.text + "\n" })
    }

    static let requestBump = Method(
        "request.bump", [.request], command: "bump",
        does: """
            speed up the unconfirmed payment of request N by a child that pays for it (CPFP)
            The child spends an output of the payment to your wallet, and pays the rest back to
            you. It is a separate request: approve it like any other.
            """, gives: WalletRequest.resultType, note: "a new one that speeds up a payment",
        changes: true
    ) { call in
        let request = try await call.store.bump(try call.arguments.id(required: "request"))
        return try MethodAnswer(offering: request, command: "bump")
    }

    static let requestCancel = Method(
        "request.cancel", [.request], command: "cancel",
        does: """
            replace the payment of request N, which no node has, by one to yourself
            It spends a coin of the payment, so that only one of the two can be executed. It is a
            separate request: approve it like any other.
            """, gives: WalletRequest.resultType, note: "a new one that replaces a payment",
        changes: true
    ) { call in
        let request = try await call.store.cancel(try call.arguments.id(required: "request"))
        return try MethodAnswer(offering: request, command: "cancel")
    }

    static let paymentList = Method(
        "payment.list", does: "list the payments in flight: signed, and not yet in a block",
        gives: .list("Payments", "payments", of: InFlightPayment.resultType),
        note: "those in flight, with what they hold"
    ) { call in
        try MethodAnswer(
            "payments", try await call.store.inFlight(), json: { try $0.json }, text: \.text)
    }

    /// The requests that wait for the user, then those in flight: for people, and as objects.
    package static let requestPending = Method(
        "request.pending", command: "pending",
        does: """
            list the requests that wait for you, then the payments in flight
            A payment is in flight if it is signed and not yet in a block: either no node has
            accepted it, with the reason and what you can do, or it is sent and not final.
            """
    ) { call in
        let requests = try await call.store.pending()
        let payments = try await call.store.inFlight()
        let entries = try requests.map { try $0.json() } + payments.map { try $0.json }
        let nothing: TerminalText = "nothing waits for you"
        return MethodAnswer("requests", entries, empty: nothing) {
            let waiting = requests.isEmpty ? [nothing] : requests.map { $0.text + "\n" }
            let inFlight = payments.isEmpty ? [] : ["\nin flight:"] + payments.map(\.text)
            return (waiting + inFlight).joined(separator: "\n")
        }
    }

    package static let callbackList = Method(
        "callback.list", [.optional("after", .number), .optional("limit", .number)],
        command: "callbacks",
        does: "list the callback URLs that have not been opened, oldest first",
        gives: .list(
            "Callbacks", "callbacks", of: Callback.resultType, .optional("next", .number)),
        note: "those that were not opened yet, oldest first", pages: "after"
    ) { call in
        let page = try await call.store.callbacks(
            after: call.arguments.id("after"), limit: try call.arguments.pageSize())
        return try MethodAnswer(
            "callbacks", page.callbacks, next: page.next.map { .int($0) },
            empty: "all callbacks are delivered", json: \.json
        ) { "request \($0.request)  \($0.url)" }
    }

    package static let callbackDelivered = Method(
        "callback.delivered",
        [
            Parameter(
                "request", .number, at: "--delivered N",
                "record that the callback of request N was opened")
        ], does: "record that the callback of a request was opened",
        gives: Callback.resultType
    ) { call in
        let callback = try await call.store.delivered(try call.arguments.id(required: "request"))
        return MethodAnswer(callback.json) {
            "the callback of request \(callback.request) is delivered"
        }
    }
}

extension MethodAnswer {
    /// A request after a decision; a command fails with `failure`, which its object has as well.
    package init(
        _ request: WalletRequest, failing failure: CommandFailure? = nil, of command: String = ""
    ) throws {
        self.init(try request.json(failure: failure)) { request.text }
        guard let failure else { return }
        notes.append("daybook: \(command): \(failure.message) (\(failure.code))")
        status = failure.status
    }

    /// A new request, and how to decide it.
    package init(offering request: WalletRequest, command: String) throws {
        try self.init(request, failing: request.failure, of: command)
        if let advice = Self.advice(request) { text = { "\(request.text)\n\(advice)" } }
    }

    private static func advice(_ request: WalletRequest) -> TerminalText? {
        if request.failure != nil { return nil }
        if let problem = request.prompt?.problem {
            return "it can't be approved as it stands: \(problem)\n"
                + "fix that and see it again with daybook pending, or daybook reject \(request.id)"
        }
        guard request.status == .pending else { return nil }
        let amount = request.prompt?.isAmountMissing == true ? " --amount A" : ""
        return "decide: daybook approve \(request.id)\(amount), or daybook reject \(request.id)"
    }
}

extension Parameter {
    /// The statuses that a list is limited to.
    static let statuses = Parameter.optional(
        "status", .texts, of: WalletRequest.Status.words, at: "--status STATUS",
        "only these statuses, such as pending or completed,failed")

    /// The further conditions of a list.
    static let filters: [Parameter] = [
        .optional("sender", .text, at: "--sender S", "only those of this sender"),
        .optional("address", .text, at: "--address A", "only those that pay this address"),
        .optional("amount", .amount, at: "--amount A", "only those of this amount in coins"),
        .optional("text", .text, at: "--text T", "only those with this text in them"),
        .optional(
            "from", .text, at: "--from T",
            "only from this time on (UTC), such as 2026-01-31 or 2026-01-31T12:00Z"),
        .optional("to", .text, at: "--to T", "only before this time"),
    ]
}

extension Arguments {
    /// The conditions of a list.
    func filter() throws(CommandFailure) -> RequestFilter {
        let statuses = texts("status").map { Set($0.compactMap(WalletRequest.Status.init)) }
        var filter = RequestFilter(status: statuses)
        (filter.sender, filter.address) = (text("sender"), text("address"))
        (filter.amountInCoins, filter.text) = (text("amount"), text("text"))
        (filter.from, filter.to) = (try time("from"), try time("to"))
        return filter
    }

    /// A time, as the user writes it.
    func time(_ name: String) throws(CommandFailure) -> Timestamp? {
        try text(name).map { (text) throws(CommandFailure) in
            Timestamp(microseconds: try CommandFailure.time(text, for: spelled(name)))
        }
    }

    /// Whether a list is asked for with a condition, or for entries before or after one.
    var isFiltered: Bool {
        (["status", "before", "after"] + Parameter.filters.map(\.name)).contains { has($0) }
    }

    /// The number of entries that a page has at most.
    func pageSize() throws(CommandFailure) -> Int {
        let limit = Int(clamping: number("limit") ?? 100)
        guard (1...1000).contains(limit) else { throw .usage("limit is 1 to 1000") }
        return limit
    }
}

/// The user's choices about a request: the wallet, the amount and the coins.
package struct DecisionChoice {
    package let request: RequestID
    package let wallet: WalletID?
    package let payment: PaymentChoice

    package init(_ arguments: Arguments, _ store: Store) async throws {
        request = try arguments.id(required: "request")
        wallet = try await arguments.wallet("wallet", in: store)?.id
        payment = try PaymentChoice(
            amount: arguments.text("amount"), coins: arguments.texts("coins") ?? [])
    }
}

extension Call {
    /// Reports the steps of an approval, if the door has notifications.
    fileprivate var approvalProgress: ApprovalProgress? {
        guard let progress else { return nil }
        return { progress(.approval($0)) }
    }
}

extension ApprovalStep {
    /// The step's name in notifications.
    package var name: String {
        switch self {
        case .askingNode: "askingNode"
        case .unlocking: "unlocking"
        case .comparingNodes: "comparingNodes"
        case .signing: "signing"
        case .sending: "sending"
        case .waitingForLock: "waitingForLock"
        }
    }
}
