import DaybookChains
import DaybookEncoding

extension Decider {
    /// What forbids an ICON transaction now: an earlier attempt of it that may still be executed.
    ///
    /// Nothing that we can sign excludes it, so that only time does. The very same transaction is
    /// executed once, however often it is sent.
    func openAttempt(
        before request: Request, _ wallet: WalletID?, _ state: State
    ) -> Refusal? {
        guard request.chain == .icon, let wallet = wallet.flatMap({ state.wallet($0) })?.wallet
        else { return nil }
        var hash: Bytes?
        if case .sendTransaction(let params) = request.action {
            hash = (try? ICONTransaction(params: params))?.hash
        }
        let terms = request.attemptTerms(wallet, amount: nil)
        let open = state.attempts(of: terms, wallet.chain, wallet.network).filter {
            $0.txid != hash && state.isOpen($0)
        }
        guard !open.isEmpty else { return nil }
        let until = open.compactMap(\.row.until).max()
        return Refusal(.earlierAttemptOpen, parameter: until.map(Timestamp.seconds))
    }
}

extension State {
    /// Whether a request was approved and no node has shown that it has the transaction.
    ///
    /// Such a request can be rejected. Its transaction may be executed all the same, and stays on
    /// record for that.
    func isUnheard(_ row: RequestRow) -> Bool {
        guard row.status == .approved || row.status == .signed else { return false }
        if let known = transaction(of: row), known.height != nil || known.locked { return false }
        guard let payment = row.payment else { return true }
        // No node can have what was never signed.
        if row.txid == nil { return true }
        return !payment.inputs.contains { outpoint in
            let spent = spentOutputs[OutputKey(payment.wallet, outpoint)]
            return spent?.output.spentBy == row.txid
        }
    }

    /// Whether coins come to the transaction of an attempt whose caller was told that it is paid.
    func isAnswered(_ attempt: Attempt, by selection: CoinSelection) -> Bool {
        guard let row = request(attempt.row.request), row.status == .completed,
            let unsigned = row.payment?.unsigned
        else { return false }
        let bytes = UnsignedTransaction(selection).transaction.serialized()
        return unsigned == PaymentSummary.digest(ofUnsigned: bytes)
    }
}
