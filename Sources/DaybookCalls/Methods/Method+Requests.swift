package import Daybook
package import DaybookCommands
import DaybookEncoding

extension Method {
    static let requestOpen = Method(
        "request.open", [Parameter("url", .text)],
        does: "receives a request; a refused one is a result, not an error"
    ) { call in
        let request = try await call.store.receive(call.arguments.text("url") ?? "")
        return try request.json(failure: request.failure)
    }

    static let requestList = Method(
        "request.list",
        [
            .optional("status", .texts), .optional("before", .number),
            .optional("after", .position), .optional("limit", .number),
        ], does: "lists open and past requests, newest first; with `after`, oldest first"
    ) { call in
        let status = try call.arguments.statuses()
        let size = try call.arguments.pageSize()
        let page: RequestPage
        if let next = call.arguments.next(after: "after") {
            guard !call.arguments.has("before") else {
                throw CommandFailure.usage("give before or after, not both")
            }
            let after = next == 0 ? nil : RequestID(next.number - 1)
            page = try await call.store.requests(status: status, after: after, limit: size)
        } else {
            page = try await call.store.requests(
                status: status, before: call.arguments.id("before"), limit: size)
        }
        return .record([
            "requests": .array(try page.requests.map { try $0.json() }),
            "next": page.next.map { .int($0) },
        ])
    }

    static let requestShow = Method(
        "request.show", [Parameter("request", .number)],
        does: "shows a request with all of its events"
    ) { call in
        let request = try await call.store.request(try call.arguments.id(required: "request"))
        var events: [LogEvent] = []
        try await EventPages(request: request.id).each(of: call.store) { events.append($0) }
        return try request.json(events: events)
    }

    static let requestPrompt = Method(
        "request.prompt",
        [
            Parameter("request", .number), .optional("wallet", .wallet),
            .optional("amount", .amount), .optional("coins", .texts),
        ], does: "gives the prompt of a pending request, with its digest"
    ) { call in
        let choice = try await DecisionChoice(call)
        let prompt = try await call.store.prompt(
            for: choice.request, wallet: choice.wallet, amount: choice.payment.amount,
            coins: choice.payment.coins)
        return .record(["request": .int(choice.request), "prompt": prompt.json])
    }

    static let requestApprove = Method(
        "request.approve",
        [
            Parameter("request", .number), Parameter("shown", .text),
            .optional("passphrase", .secret), .optional("wallet", .wallet),
            .optional("amount", .amount), .optional("coins", .texts),
        ], does: "approves a request as it was shown: unlocks the wallet, signs and sends"
    ) { call in
        let choice = try await DecisionChoice(call)
        guard let shown = call.arguments.text("shown").flatMap({ PromptDigest(hex: $0) }) else {
            throw CommandFailure.usage("shown is a prompt's digest: 64 hexadecimal digits")
        }
        let request = try await call.store.approve(
            choice.request, shown: shown, wallet: choice.wallet, amount: choice.payment.amount,
            coins: choice.payment.coins, unlockedBy: call.arguments.secret("passphrase"),
            progress: call.approvalProgress)
        return try request.json(failure: request.failureAfterApproval)
    }

    static let requestReject = Method(
        "request.reject", [.optional("request", .number), .optional("sender", .text)],
        does: "rejects a request, or all pending requests of a sender"
    ) { call in
        if let id: RequestID = call.arguments.id("request") {
            guard !call.arguments.has("sender") else {
                throw CommandFailure.usage("give a request or a sender, not both")
            }
            return try await call.store.reject(id).json()
        }
        guard let sender = call.arguments.text("sender") else {
            throw CommandFailure.usage("give a request or a sender")
        }
        let rejected = try await call.store.rejectAll(from: sender.isEmpty ? nil : sender)
        return .record(["requests": .array(try rejected.map { try $0.json() })])
    }

    static let requestBump = Method(
        "request.bump", [Parameter("request", .number)],
        does: "requests a child payment that speeds up an unconfirmed one (CPFP)"
    ) { call in
        let request = try await call.store.bump(try call.arguments.id(required: "request"))
        return try request.json(failure: request.failure)
    }

    static let requestCancel = Method(
        "request.cancel", [Parameter("request", .number)],
        does: "requests to replace a payment that no node has by one to the wallet itself"
    ) { call in
        let request = try await call.store.cancel(try call.arguments.id(required: "request"))
        return try request.json(failure: request.failure)
    }

    static let paymentList = Method(
        "payment.list", does: "lists the payments in flight: signed, and not yet in a block"
    ) { call in
        let payments = try await call.store.inFlight()
        return .record(["payments": .array(try payments.map { try $0.json })])
    }

    static let callbackList = Method(
        "callback.list", [.optional("after", .number), .optional("limit", .number)],
        does: "lists the callback URLs that have not been opened, oldest first"
    ) { call in
        let page = try await call.store.callbacks(
            after: call.arguments.id("after"), limit: try call.arguments.pageSize())
        return .record([
            "callbacks": .array(page.callbacks.map(\.json)),
            "next": page.next.map { .int($0) },
        ])
    }

    static let callbackDelivered = Method(
        "callback.delivered", [Parameter("request", .number)],
        does: "records that the callback of a request was opened"
    ) { call in
        let callback = try await call.store.delivered(try call.arguments.id(required: "request"))
        return .record(["request": .int(callback.request), "delivered": .bool(true)])
    }
}

extension Arguments {
    /// The statuses that a list is limited to; nil for all.
    fileprivate func statuses() throws(CommandFailure) -> Set<WalletRequest.Status>? {
        guard let names = texts("status") else { return nil }
        var statuses: Set<WalletRequest.Status> = []
        for name in names { statuses.insert(try WalletRequest.Status(named: name)) }
        return statuses
    }

    /// The number of entries that a page has at most.
    func pageSize() throws(CommandFailure) -> Int {
        let limit = Int(clamping: number("limit") ?? 100)
        guard (1...1000).contains(limit) else { throw .usage("limit is 1 to 1000") }
        return limit
    }
}

extension WalletRequest.Status {
    /// The status with this name; an unknown one is an error that lists all.
    package init(named name: String) throws(CommandFailure) {
        guard let status = Self(rawValue: name) else {
            let names = Self.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("a status is one of \(names)")
        }
        self = status
    }
}

/// What the user chose about a request: the wallet, the amount and the coins.
private struct DecisionChoice {
    let request: RequestID
    let wallet: WalletID?
    let payment: PaymentChoice

    init(_ call: Call) async throws {
        request = try call.arguments.id(required: "request")
        wallet = try await call.arguments.wallet("wallet", in: call.store)?.id
        payment = try PaymentChoice(
            amount: call.arguments.text("amount"), coins: call.arguments.texts("coins") ?? [])
    }
}

extension Call {
    /// Reports the steps of an approval, if the door has notifications.
    fileprivate var approvalProgress: ApprovalProgress? {
        guard let progress else { return nil }
        return { step in progress(.record(["step": .string(step.name)])) }
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
