import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension WalletRequest {
    /// The request for `--json`, with the command's `failure` if there is one.
    func json(events: [LogEvent]? = nil, failure: CommandFailure? = nil) throws -> JSON {
        .record([
            "request": .int(id), "status": .string(status.rawValue),
            "protocol": protocolName.map(JSON.string), "method": method.map(JSON.string),
            "sender": sender.map(JSON.string), "code": protocolCode.map { .int($0) },
            "refusal": refusal.map { .string($0.rawValue) }, "reason": reason.map(JSON.string),
            "nodeReason": nodeReason.map(JSON.string), "advice": advice.map(JSON.string),
            "toldPaid": wasToldPaid ? .bool(true) : nil, "height": height.map { .int($0) },
            "prompt": prompt?.json,
            "otherWallets": otherWallets.isEmpty
                ? nil : .array(otherWallets.map { .int($0) }),
            "expires": expires.map { .string(Timestamp.text($0)) },
            "callback": callback.map(JSON.string), "txid": transaction.map(JSON.string),
            "mayStillExecute": mayStillExecute ? .bool(true) : nil,
            "into": coalescedInto.map { .int($0) },
            "events": try events.map { .array(try $0.map { try $0.json }) },
            "error": failure?.json,
        ])
    }

    /// The request for people: its status, its prompt, its result.
    var text: TerminalText {
        var facts = prompt?.pairs ?? []
        if prompt == nil, let method { facts.append(("method", method)) }
        if prompt == nil, let sender { facts.append(("sender", "\(sender) (unverified)")) }
        if let protocolCode { facts.append(("code", String(protocolCode))) }
        if let transaction { facts.append(("transaction", transaction)) }
        if let height { facts.append(("block", String(height))) }
        if let callback { facts.append(("callback", callback)) }
        if !otherWallets.isEmpty {
            let ids = otherWallets.map(\.description).joined(separator: ", ")
            facts.append(("other wallets", "\(ids) (approve \(id) --wallet W)"))
        }
        if status == .pending, let expires {
            facts.append(("expires", Timestamp.seconds(expires)))
        }
        if let advice { facts.append(("what to do", advice)) }
        let head: TerminalText = "request \(id) \(standing)"
        let table = Console.table(
            facts, columns: Terminal.columns(of: 1) ?? 80,
            whole: ["callback", "transaction", "what to do"])
        return facts.isEmpty ? head : "\(head)\n\(table)"
    }

    private var standing: String {
        switch status {
        case .received: "is recorded"
        case .deferred: "waits for its chain"
        case .pending: "waits for your decision"
        case .signed: "is signed; " + (reason ?? "the node has not answered yet")
        case .sent where method == "cancel": "is sent; the block that decides is awaited"
        case .sent: "is sent; " + (reason ?? "InstantSend's lock is awaited")
        case .completed: "is completed" + warning
        case .refused: "is refused: \(reason ?? "")"
        case .coalesced: "is the same as request \(coalescedInto?.description ?? "?")"
        case .rejected: "is rejected" + warning
        case .cancelled: "is cancelled: \(reason ?? "")"
        case .expired: "has expired"
        case .failed: "has failed: \(reason ?? "")" + told + warning
        }
    }

    private var told: String { wasToldPaid ? "; the caller was told that it is paid" : "" }

    private var warning: String {
        mayStillExecute ? "; its transaction is signed and may still be executed" : ""
    }

    /// The failure that a command reports if the request was refused.
    var failure: CommandFailure? {
        switch status {
        case .refused:
            CommandFailure(
                refusal?.rawValue ?? "refused", .refused, reason ?? "the request is refused")
        case .failed:
            CommandFailure(
                refusal?.rawValue ?? "failed", isNodeAtFault ? .node : .refused,
                reason ?? "the request has failed")
        default: nil
        }
    }

    private var isNodeAtFault: Bool {
        refusal == "refusedByNode" || refusal == "chainUnavailable"
    }
}

extension PromptText {
    /// All lines, and the digest; a name that is not unique is only in `lines`.
    var json: JSON {
        var members: [JSON.Member] = []
        for line in lines where !members.contains(where: { Text.equal($0.name, line.name) }) {
            members.append(.init(name: line.name, value: .string(line.text)))
        }
        members.removeAll { ["lines", "digest"].contains($0.name) }
        members.append(
            .init(
                name: "lines",
                value: .array(
                    lines.map { .record(["name": .string($0.name), "text": .string($0.text)]) })))
        members.append(.init(name: "digest", value: .string(digest.description)))
        return .object(members)
    }

    /// Whether the request is a payment whose amount is for the user to enter.
    var isAmountMissing: Bool { self["method"] == "pay" && self["minor"] == nil }

    /// The lines for people, with each amount's unit.
    var pairs: [(String, String)] {
        var pairs: [(String, String)] = []
        for line in lines {
            if Text.equal(line.name, "amount"), let asset = pairs.last,
                Text.equal(asset.0, "asset")
            {
                pairs[pairs.count - 1] = ("amount", "\(line.text) \(asset.1)")
            } else {
                pairs.append((line.name, line.text))
            }
        }
        return pairs
    }
}

extension InFlightPayment {
    /// The payment for `--json`: its request and the reserved amounts.
    var json: JSON {
        get throws {
            guard case .object(var members) = try request.json() else { return .null }
            let held = held.map { held in
                JSON.record([
                    "asset": .string(held.asset), "symbol": .string(held.symbol),
                    "minor": .string(held.minor),
                ])
            }
            members.append(.init(name: "held", value: .array(held)))
            if let since {
                members.append(.init(name: "since", value: .string(Timestamp.text(since))))
            }
            if let asked {
                members.append(.init(name: "asked", value: .string(Timestamp.text(asked))))
            }
            return .object(members)
        }
    }

    /// The payment for people: its status, the reserved amounts, and what the user can do.
    var text: TerminalText {
        var facts: [(String, String)] = []
        if let since { facts.append(("signed", Timestamp.seconds(since))) }
        if let asked { facts.append(("last tried", Timestamp.seconds(asked))) }
        for held in held { facts.append(("holds back", held.text)) }
        if let transaction = request.transaction { facts.append(("transaction", transaction)) }
        if let advice = request.advice { facts.append(("what to do", advice)) }
        let head: TerminalText = "request \(request.id) \(standing)"
        let table = Console.table(
            facts, columns: Terminal.columns(of: 1) ?? 80,
            whole: ["transaction", "what to do"])
        return facts.isEmpty ? head : "\(head)\n\(table)"
    }

    private var standing: String {
        switch request.status {
        case .signed: "is signed, and no node has it: \(request.reason ?? "none has answered yet")"
        default: "is sent; \(request.reason ?? "no block has it yet")"
        }
    }
}

extension PaymentChange {
    /// The change for `--json`.
    var json: JSON {
        .record([
            "request": .int(request.id), "what": .string(kind.rawValue),
            "status": .string(request.status.rawValue),
            "reason": request.reason.map(JSON.string),
            "nodeReason": request.nodeReason.map(JSON.string),
            "advice": request.advice.map(JSON.string),
            "toldPaid": request.wasToldPaid ? .bool(true) : nil,
        ])
    }

    /// The change on one line, and what the user can do on another.
    var text: TerminalText {
        let line: TerminalText = "request \(request.id) \(sentence)"
        return request.advice.map { "\(line)\n    \($0)" } ?? line
    }

    private var sentence: String {
        let reason = request.reason ?? "no reason is known"
        return switch kind {
        case .sent: "was sent, and a node took it"
        case .notTaken: "was sent, and no node took it: \(reason)"
        case .sentAgain: "was sent again, because the node had lost it, and the node took it"
        case .reorganised: "is no longer in a block: the chain was reorganised"
        case .failed: "has failed: \(reason)"
        case .lost where request.wasToldPaid:
            "is not paid, although its caller was told so: \(reason)"
        case .lost: "is not paid after all: \(reason)"
        case .cancelled: "is cancelled: \(reason)"
        case .executed: "had been given up, and a block has it after all"
        }
    }
}
