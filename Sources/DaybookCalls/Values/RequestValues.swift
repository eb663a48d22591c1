package import Daybook
package import DaybookCommands
package import DaybookEncoding

extension WalletRequest {
    static let resultType = ResultType(
        "Request",
        [
            .init("request", .number), .init("status", .text), .optional("protocol", .text),
            .optional("method", .text), .optional("sender", .text), .init("summary", .text),
            .init("standing", .text), .optional("chain", .text), .optional("wallet", .number),
            .optional("asset", .text), .optional("symbol", .text), .optional("amount", .amount),
            .optional("minor", .minor), .optional("to", .text), .optional("fee", .amount),
            .optional("received", .time), .optional("decided", .time), .optional("ended", .time),
            .optional("code", .number, "the protocol's own number of a refusal"),
            .optional("refusal", .text), .optional("reason", .text),
            .optional("nodeReason", .text, "why a node did not take the transaction"),
            .optional("advice", .text), .optional("toldPaid", .flag),
            .optional("height", .number),
            .optional("blockTime", .time, "when that block was made, as the node says"),
            .optional("prompt", .object(PromptText.resultType)),
            .optional("otherWallets", .list(.number)), .optional("expires", .time),
            .optional("callback", .text, "the URL to open, then call `callback.delivered`"),
            .optional("txid", .text), .optional("mayStillExecute", .flag),
            .optional("into", .number, "the request that a coalesced one repeats"),
            .optional("label", .text, "of the request, or else of its transaction"),
            .optional("senderLabel", .text),
            .optional("toLabel", .text, "of the address that is paid"),
            .optional("error", .object(CommandFailure.resultType)),
        ])

    /// The type of a request with its events.
    static let resultTypeWithEvents = ResultType(
        "RequestWithEvents", adding: resultType,
        [.init("events", .list(.object(LogEvent.resultType)))])

    /// The request as an object, with its events or the command's `failure` if they are given.
    package func json(events: [LogEvent]? = nil, failure: CommandFailure? = nil) throws -> JSON {
        .record([
            "request": .int(id), "status": .string(status.rawValue),
            "protocol": protocolName.map(JSON.string), "method": method.map(JSON.string),
            "sender": sender.map(JSON.string), "summary": .string(summary),
            "standing": .string(standing),
            "chain": chain.map { .string($0.rawValue) }, "wallet": wallet.map { .int($0) },
            "asset": asset.map(JSON.string), "symbol": symbol.map(JSON.string),
            "amount": CoinAmount.json(amount, decimals: decimals),
            "minor": amount.map(JSON.minor), "to": recipient.map(JSON.string),
            "fee": CoinAmount.json(fee, decimals: chain?.decimals),
            "received": received.microseconds == 0 ? nil : .string(Timestamp.text(received)),
            "decided": decided.map { .string(Timestamp.text($0)) },
            "ended": ended.map { .string(Timestamp.text($0)) },
            "code": protocolCode.map { .int($0) },
            "refusal": refusal.map { .string($0.rawValue) }, "reason": reason.map(JSON.string),
            "nodeReason": nodeReason.map { .string($0.rawValue) },
            "advice": advice.map(JSON.string),
            "toldPaid": wasToldPaid ? .bool(true) : nil, "height": height.map { .int($0) },
            "blockTime": blockTime.map { .string(Timestamp.text($0)) },
            "prompt": prompt?.json,
            "otherWallets": otherWallets.isEmpty
                ? nil : .array(otherWallets.map { .int($0) }),
            "expires": expires.map { .string(Timestamp.text($0)) },
            "callback": callback.map(JSON.string), "txid": transaction.map(JSON.string),
            "mayStillExecute": mayStillExecute ? .bool(true) : nil,
            "into": coalescedInto.map { .int($0) }, "label": label.map(JSON.string),
            "senderLabel": senderLabel.map(JSON.string),
            "toLabel": recipientLabel.map(JSON.string),
            "events": try events.map { .array(try $0.map { try $0.json }) },
            "error": failure?.json,
        ])
    }

    /// The failure that a command reports if the request was refused.
    package var failure: CommandFailure? {
        switch status {
        case .refused:
            CommandFailure(
                refusal?.rawValue ?? "refused", .refused, reason ?? "the request is refused")
        case .failed:
            CommandFailure(
                refusal?.rawValue ?? "failed", isNodeAtFault ? .node : .refused,
                reason ?? "the request has failed")
        case .received, .deferred, .pending, .signed, .sent, .completed, .coalesced, .rejected,
            .expired, .cancelled:
            nil
        }
    }

    /// The failure that an approval reports; also if no node has accepted the transaction yet.
    package var failureAfterApproval: CommandFailure? {
        guard status == .signed else { return failure }
        let isNamed = nodeReason.map { $0 != .noAnswer } ?? false
        let reason = isNamed ? reason : nil
        return CommandFailure(
            "sendUnanswered", .node,
            "the transaction is signed, and no node has said that it took it"
                + (reason.map { " (\($0))" } ?? "")
                + "; the next sync, open or approve sends the same one again")
    }

    private var isNodeAtFault: Bool {
        refusal == .refusedByNode || refusal == .chainUnavailable
    }
}

extension PromptText {
    static let resultType = ResultType(
        "Prompt",
        [
            .init("headline", .text, "what an approval does, in one sentence"),
            .optional("problem", .text, "why it can't be approved as it stands"),
            .init(
                "warnings",
                .list(
                    .object(.init("PromptWarning", [.init("code", .text), .init("text", .text)])))),
            .init("amounts", .list(.object(Amount.resultType))),
            .optional("amountMissing", .flag, "true if `request.approve` needs an `amount`"),
            .init(
                "details",
                .list(.object(.init("PromptLine", [.init("name", .text), .init("text", .text)]))),
                "everything else; the recipient comes first"),
            .optional("left", .text, "what can be spent afterwards, as of now"),
            .optional("expires", .time),
            .init("digest", .text, "what `request.approve` takes as `shown`"),
        ])

    /// The prompt in its order, and the digest.
    package var json: JSON {
        .record([
            "headline": .string(headline), "problem": problem.map { .string($0) },
            "warnings": .array(
                warnings.map { .record(["code": .string($0.code), "text": .string($0.text)]) }),
            "amounts": .array(
                amounts.map {
                    .record([
                        "name": .string($0.name), "amount": .string($0.amount),
                        "unit": .string($0.unit), "share": $0.share.map { .string($0) },
                    ])
                }),
            "amountMissing": isAmountMissing ? .bool(true) : nil,
            "details": .array(
                details.map { .record(["name": .string($0.name), "text": .string($0.text)]) }),
            "left": left.map { .string($0) },
            "expires": expires.map { .string(Timestamp.text($0)) },
            "digest": .string(digest.description),
        ])
    }
}

extension PromptText.Amount {
    fileprivate static let resultType = ResultType(
        "PromptAmount",
        [
            .init("name", .text, "`amount`, `fee`, `highestFee` or `total`"),
            .init("amount", .amount), .init("unit", .text),
            .optional("share", .text, "the share of a fee in the amount, such as `0.02 %`"),
        ])
}

extension InFlightPayment {
    static let resultType = ResultType(
        "Payment", adding: WalletRequest.resultType,
        [
            .init("held", .list(.object(heldType))),
            .optional("since", .time), .optional("asked", .time),
            .optional("walletLabel", .text),
        ])

    private static let heldType = ResultType(
        "Held", [.init("asset", .text), .init("symbol", .text), .init("minor", .minor)])

    /// The payment as an object: its request and the reserved amounts.
    package var json: JSON {
        get throws {
            guard case .object(var members) = try request.json() else { return .null }
            let held = held.map { held in
                JSON.record([
                    "asset": .string(held.asset), "symbol": .string(held.symbol),
                    "minor": .minor(held.amount),
                ])
            }
            members.append(.init(name: "held", value: .array(held)))
            if let since {
                members.append(.init(name: "since", value: .string(Timestamp.text(since))))
            }
            if let asked {
                members.append(.init(name: "asked", value: .string(Timestamp.text(asked))))
            }
            if let walletLabel {
                members.append(.init(name: "walletLabel", value: .string(walletLabel)))
            }
            return .object(members)
        }
    }
}

extension PaymentChange {
    static let resultType = ResultType(
        "PaymentChange",
        [
            .init("request", .number), .init("what", .text), .init("status", .text),
            .init("standing", .text), .optional("reason", .text), .optional("nodeReason", .text),
            .optional("advice", .text), .optional("toldPaid", .flag),
        ])

    /// The change as an object.
    package var json: JSON {
        .record([
            "request": .int(request.id), "what": .string(kind.rawValue),
            "status": .string(request.status.rawValue),
            "standing": .string(request.standing),
            "reason": request.reason.map(JSON.string),
            "nodeReason": request.nodeReason.map { .string($0.rawValue) },
            "advice": request.advice.map(JSON.string),
            "toldPaid": request.wasToldPaid ? .bool(true) : nil,
        ])
    }
}

extension Callback {
    static let resultType = ResultType(
        "Callback", [.init("request", .number), .init("url", .text), .init("delivered", .flag)])

    /// The callback as an object.
    package var json: JSON {
        .record([
            "request": .int(request), "url": .string(url), "delivered": .bool(isDelivered),
        ])
    }
}
