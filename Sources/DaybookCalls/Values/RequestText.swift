package import Daybook
package import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension WalletRequest {
    /// The request for people: its status, its prompt, its result.
    package var text: TerminalText {
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
        let head: TerminalText = "request \(id) \(("\(standing)" as TerminalText).styled(style))"
        let table = Console.table(
            facts, columns: Terminal.columns(of: 1) ?? 80,
            whole: ["callback", "transaction", "what to do"])
        return facts.isEmpty ? head : "\(head)\n\(table)"
    }

    /// The request on one line for people.
    var line: TerminalText {
        let why = reason.map { ": \($0)" } ?? ""
        return "\(id)  \(Timestamp.seconds(received))  \(status.rawValue)  \(summary)\(why)"
    }

    private var style: TerminalText.Style? {
        switch status {
        case .pending, .deferred, .signed: .waiting
        case .completed: .good
        case .refused, .failed, .expired: .bad
        case .received, .sent, .coalesced, .rejected, .cancelled: nil
        }
    }
}

extension PromptText {
    /// The lines for people, with each amount's unit.
    package var pairs: [(String, String)] {
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
    /// The payment for people: its status, the reserved amounts, and what the user can do.
    package var text: TerminalText {
        var facts: [(String, String)] = []
        if let since { facts.append(("signed", Timestamp.seconds(since))) }
        if let asked { facts.append(("last tried", Timestamp.seconds(asked))) }
        for held in held { facts.append(("holds back", held.text)) }
        if let transaction = request.transaction { facts.append(("transaction", transaction)) }
        if let advice = request.advice { facts.append(("what to do", advice)) }
        let head: TerminalText = "request \(request.id) \(request.standing)"
        let table = Console.table(
            facts, columns: Terminal.columns(of: 1) ?? 80,
            whole: ["transaction", "what to do"])
        return facts.isEmpty ? head : "\(head)\n\(table)"
    }
}

extension PaymentChange {
    /// The change on one line, and what the user can do on another.
    package var text: TerminalText {
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
