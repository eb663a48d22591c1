import DaybookChains
import DaybookEncoding

/// What a prompt shows of a payment on Dash or Axe.
extension State {
    func describePayment(
        _ request: Request, of amount: UInt64?, to address: String, _ wallet: WalletID,
        _ row: WalletAdded, _ lines: inout PromptLines
    ) {
        guard let parameters = UTXOParameters.of(row.chain, row.network) else { return }
        let coin = parameters.coinName
        guard let amount else {
            lines.add("to", address)
            lines.add("asset", coin)
            lines.add("amount", "to be entered")
            describeProof(request, spending: nil, &lines)
            return
        }
        switch Spending.payment(for: request, of: amount, from: wallet, self) {
        case .success(let payment):
            let fee = payment.selection.fee
            let terms = PaymentTerms(
                chain: row.chain, network: row.network, recipient: address, amount: amount,
                highestFee: fee)
            lines.add(terms.parts)
            lines.terms = .payment(terms)
            lines.add("total", Duffs.text(amount + fee))
            describeProof(request, spending: payment.selection.inputs.count, &lines)
            warn(ofFee: fee, row, coin, &lines)
        case .failure(let refusal):
            lines.add("to", address)
            lines.add(amount: UInt256(amount), decimals: Duffs.decimals, asset: coin)
            lines.add("problem", refusal.reason)
        }
        if ownsAddress(address, row) { lines.add("warning", "this address is in your wallet") }
    }

    /// What the sender learns of the payment beside its txid, or why it learns nothing.
    private func describeProof(
        _ request: Request, spending coins: Int?, _ lines: inout PromptLines
    ) {
        switch request.proof {
        case nil: return
        case .declined:
            lines.add("proof", "none is sent: the URL that the link asks for may not be opened")
        case .wanted, .required:
            guard request.sendsProof(spending: coins ?? 0) else {
                return lines.add(
                    "proof", "none is sent: the transaction is too long for a callback")
            }
            lines.add("proof", "the sender gets the whole transaction once it is sent")
        }
    }

    private func ownsAddress(_ address: String, _ row: WalletAdded) -> Bool {
        guard let script = UTXOAddress(address, chain: row.chain)?.scriptPubKey else {
            return false
        }
        return scripts.contains(ScriptKey(row.chain, row.network, script))
    }

    func warn(
        ofFee fee: UInt64, _ row: WalletAdded, _ coin: String, _ lines: inout PromptLines
    ) {
        let usual = UsualFee.of(row.chain, row.network)
        if let rate = chain(row.chain, row.network).feeRate, !usual.isUsual(UInt256(rate)) {
            lines.add(
                "warning",
                "the node asks for \(rate) duffs for 1000 bytes; usual are \(usual.price.decimal)")
        }
        if UInt256(fee) > usual.highestFee {
            let highest = DecimalAmount.format(usual.highestFee, decimals: Duffs.decimals)
            lines.add("warning", "the fee is high: usual is less than \(highest) \(coin)")
        }
    }
}
