import DaybookChains
import DaybookEncoding

/// What a prompt shows of a bump or a cancellation: the payment, the coin, and where it goes.
extension State {
    func describeRemedy(
        _ remedy: Remedy, of id: RequestID, _ row: WalletAdded, _ lines: inout PromptLines
    ) {
        lines.add("request", id.description)
        let subject = subject(of: remedy, id)
        if let payment = request(subject), let txid = payment.txid {
            lines.add("payment", Hex.encode(txid))
            if let fee = payment.payment.flatMap({ UInt64(exactly: $0.fee) }) {
                lines.add("paymentFee", Duffs.text(fee))
            }
        }
        switch spending(for: remedy, of: id) {
        case .failure(let refusal): lines.add("problem", refusal.reason)
        case .success(let spending): describe(spending, remedy, row, &lines)
        }
    }

    private func describe(
        _ spending: RemedySpending, _ remedy: Remedy, _ row: WalletAdded,
        _ lines: inout PromptLines
    ) {
        let selection = spending.selection
        if remedy == .bump { describeRates(spending, &lines) }
        for coin in selection.inputs {
            lines.add("spends", "\(coin.outpoint.text), \(Duffs.text(coin.amount))")
        }
        let terms = PaymentTerms(
            chain: row.chain, network: row.network, recipient: spending.own.text,
            amount: selection.payment.amount, highestFee: selection.fee, returns: true)
        lines.add(terms.parts)
        lines.terms = .payment(terms)
        warn(ofFee: selection.fee, row, terms.asset, &lines)
        if selection.fee > selection.payment.amount {
            lines.add("warning", "the fee is more than what comes back")
        }
        lines.add("consequence", Self.consequence(of: remedy))
    }

    /// What the payment pays now, and what it pays together with its child.
    private func describeRates(_ spending: RemedySpending, _ lines: inout PromptLines) {
        var both = spending.ancestors
        lines.add("paymentRate", Self.rate(both))
        both.add(fee: spending.selection.fee, size: RemedySpending.size)
        lines.add("rateOfBoth", Self.rate(both))
        if both.needsOthers {
            lines.add(
                "warning",
                "the payment spends coins of somebody else's transaction that no block has: its fee"
                    + " is not known here, and is not counted in these rates")
        }
    }

    private static func rate(_ package: RemedySpending.Package) -> String {
        "\(package.rate) duffs for 1000 bytes"
    }

    private static func consequence(of remedy: Remedy) -> String {
        switch remedy {
        case .bump:
            "a block that takes this transaction takes the payment too; the rest comes back"
        case .cancel:
            "only one of the payment and this transaction can be executed; until a block has one,"
                + " both may be"
        }
    }
}
