import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension InFlightPayment {
    /// The payment as `--json` has it: its request, and what it holds back.
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

    /// The payment for people: how it stands, what it holds back, and what to do about it.
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

extension PaymentNews {
    /// The news as `--json` has it.
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

    /// The news in one line, and what to do about it in another.
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
