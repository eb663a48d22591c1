import DaybookChains
import DaybookEncoding

/// What a prompt shows of a payment on Dash or Axe.
extension State {
    func describePayment(
        of amount: UInt64?, to address: String, lockable: Bool, _ wallet: UInt64,
        _ row: WalletAdded, _ lines: inout PromptLines
    ) {
        guard let parameters = UTXOParameters.of(row.chain, row.network) else { return }
        let coin = parameters.coinName
        guard let amount else {
            lines.add("to", address)
            lines.add("asset", coin)
            lines.add("amount", "to be entered")
            return
        }
        switch Spending.payment(
            of: amount, to: address, lockable: lockable, from: wallet, self)
        {
        case .success(let payment):
            let fee = payment.selection.fee
            let terms = PaymentTerms(
                chain: row.chain, network: row.network, recipient: address, amount: amount,
                highestFee: fee)
            lines.add(terms.parts)
            lines.terms = .payment(terms)
            lines.add("total", Duffs.text(amount + fee))
            warn(ofFee: fee, row, coin, &lines)
        case .failure(let refusal):
            lines.add("to", address)
            lines.add(amount: UInt256(amount), decimals: Duffs.decimals, asset: coin)
            lines.add("problem", refusal.reason)
        }
        if ownsAddress(address, row) { lines.add("warning", "this address is in your wallet") }
    }

    private func ownsAddress(_ address: String, _ row: WalletAdded) -> Bool {
        guard let script = UTXOAddress(address, chain: row.chain)?.scriptPubKey else {
            return false
        }
        return scripts.contains(ScriptKey(row.chain, row.network, script))
    }

    private func warn(
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
