package import Daybook
package import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension WalletRequest {
    /// The request for people: its status, its prompt, its result.
    package var text: TerminalText {
        var facts: [(String, String)] = []
        if prompt == nil, let method { facts.append(("method", method)) }
        if prompt == nil, let sender { facts.append(("sender", "\(sender) (unverified)")) }
        facts += labelFacts
        if let protocolCode { facts.append(("code", String(protocolCode))) }
        if let transaction { facts.append(("transaction", transaction)) }
        if let height {
            let made = blockTime.map { ", made \(Timestamp.seconds($0)) as the node says" }
            facts.append(("block", "\(height)\(made ?? "")"))
        }
        if let callback { facts.append(("callback", callback)) }
        if !otherWallets.isEmpty {
            let ids = otherWallets.map(\.description).joined(separator: ", ")
            facts.append(("other wallets", "\(ids) (approve \(id) --wallet W)"))
        }
        if prompt == nil, status == .pending, let expires {
            facts.append(("expires", Timestamp.seconds(expires)))
        }
        if let advice { facts.append(("what to do", advice)) }
        var head: TerminalText = "request \(id) \(("\(standing)" as TerminalText).styled(style))"
        if let prompt { head = "\(head)\n\(prompt.text(columns: Terminal.columns(of: 1) ?? 80))" }
        let table = Console.table(
            facts, columns: Terminal.columns(of: 1) ?? 80,
            whole: ["callback", "transaction", "what to do"])
        return facts.isEmpty ? head : "\(head)\n\(table)"
    }

    /// The user's labels of the request, its sender and the address that is paid.
    fileprivate var labelFacts: [(String, String)] {
        [("label", label), ("sender's label", senderLabel), ("address's label", recipientLabel)]
            .compactMap { name, label in label.map { (name, Text.escaped($0)) } }
    }

    /// The request on one line for people.
    var line: TerminalText {
        let why = reason.map { ": \($0)" } ?? ""
        let names = [label, senderLabel, recipientLabel].compactMap(\.self)
            .map { "  \"\(Text.escaped($0))\"" }.joined()
        return "\(id)  \(Timestamp.seconds(received))  \(status.rawValue)  \(summary)\(names)\(why)"
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
    /// The prompt for people: the sentence, what speaks against it, the amounts, and the rest.
    package func text(columns: Int?) -> TerminalText {
        var lines = [("  \(headline)" as TerminalText).styled(.heading)]
        if let problem { lines.append("  \(("problem: \(problem)" as TerminalText).styled(.bad))") }
        for warning in warnings {
            let pieces = Console.folded(warning.text, to: columns.map { $0 - 4 } ?? .max)
            for (index, piece) in pieces.enumerated() {
                let line: TerminalText = "  \(index == 0 ? "!" : " ") \(piece)"
                lines.append(line.styled(.waiting))
            }
        }
        return lines.joined(separator: "\n") + "\n" + Console.table(facts, columns: columns)
    }

    /// The amounts with their units, what is as of now, and the details.
    package var facts: [(String, String)] {
        var facts = amounts.map { amount in
            let share = amount.share.map { " (\($0))" } ?? ""
            return (amount.name, "\(amount.amount) \(amount.unit)\(share)")
        }
        if let left { facts.append(("left afterwards", left)) }
        if let expires { facts.append(("expires", Timestamp.seconds(expires))) }
        for detail in details {
            facts.append((detail.name, detail.text))
            if let groups = Self.groups(of: detail) { facts.append(("", groups)) }
        }
        return facts
    }

    /// The address that is paid in groups of four, which can be compared; nil for other details.
    private static func groups(of detail: Line) -> String? {
        let text = Array(detail.text)
        guard Text.equal(detail.name, "to"), text.count >= 20 else { return nil }
        return stride(from: 0, to: text.count, by: 4)
            .map { String(text[$0..<min($0 + 4, text.count)]) }.joined(separator: " ")
    }
}

extension InFlightPayment {
    /// The payment for people: its status, the reserved amounts, and what the user can do.
    package var text: TerminalText {
        var facts = [("request", request.summary)]
        if let wallet {
            let label = walletLabel.map { "  \"\(Text.escaped($0))\"" } ?? ""
            facts.append(("wallet", "\(wallet)\(label)"))
        }
        facts += request.labelFacts
        if let since { facts.append(("signed", Timestamp.seconds(since))) }
        if let asked { facts.append(("last tried", Timestamp.seconds(asked))) }
        for held in held { facts.append(("holds back", held.text)) }
        if let transaction = request.transaction { facts.append(("transaction", transaction)) }
        if let advice = request.advice { facts.append(("what to do", advice)) }
        let head: TerminalText = "request \(request.id) \(request.standing)"
        let table = Console.table(
            facts, columns: Terminal.columns(of: 1) ?? 80,
            whole: ["transaction", "what to do"])
        return "\(head)\n\(table)"
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
