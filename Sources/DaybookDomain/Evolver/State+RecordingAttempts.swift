import DaybookChains
import DaybookEncoding

/// Keeps the table of attempts: signed transactions that may be executed, whatever nodes report.
extension State {
    /// Records a request's signed transaction as an attempt.
    mutating func noteAttempt(_ row: RequestRow, _ id: RequestID) {
        guard let txid = row.txid, let wallet = row.wallet, let payment = row.payment,
            let owner = wallets[wallet], let terms = terms(of: row, payment, owner.wallet)
        else { return }
        var attempt = AttemptRow(wallet: wallet, request: id, terms: terms)
        attempt.inputs = payment.inputs
        attempt.until = payment.until
        attempts[TransactionKey(owner.wallet.chain, owner.wallet.network, txid)] = attempt
        attemptsByTerms[TermsKey(terms, txid)] = PointerRow(id)
    }

    private func terms(
        of row: RequestRow, _ payment: PaymentSummary, _ wallet: WalletAdded
    ) -> Bytes? {
        switch row.request?.action {
        case .pay(let address, let fixed, _):
            UTXOAddress(address, chain: wallet.chain).map {
                AttemptTerms.payment(
                    wallet.chain, wallet.network, to: $0.scriptPubKey, of: fixed)
            }
        case .remedy(let remedy, let id):
            AttemptTerms.remedy(wallet.chain, wallet.network, by: remedy, of: id)
        case .sign, .sendICX, .sendToken, .sendTransaction, .address, .masterPublicKey, .bind, nil:
            payment.terms
        }
    }

    /// Marks an attempt whose request has ended without success.
    mutating func giveUpAttempt(_ row: RequestRow) {
        change(attemptOf: row) { $0.isGivenUp = true }
    }

    /// Marks an attempt whose request counts as paid again, because its transaction was in a block.
    mutating func resumeAttempt(_ row: RequestRow) {
        change(attemptOf: row) { $0.isGivenUp = false }
    }

    private mutating func change(
        attemptOf row: RequestRow, _ change: (inout AttemptRow) -> Void
    ) {
        guard let txid = row.txid, let owner = owner(of: row) else { return }
        attempts.update(TransactionKey(owner.chain, owner.network, txid), change)
    }

    /// Removes a request's attempt because the network has its transaction.
    ///
    /// Other attempts with the same terms that can no longer be executed are removed too: the
    /// prompt of this payment has warned of those that were executed before.
    mutating func settleAttempt(_ row: RequestRow) {
        guard let txid = row.txid, let owner = owner(of: row),
            let own = attempt(txid, on: owner.chain, owner.network)
        else { return }
        let others = attempts(of: [own.row.terms], owner.chain, owner.network)
        for other in others where other.txid == txid || !isOpen(other) { forget(other) }
    }

    /// Removes a request's attempt because its transaction will never be executed.
    mutating func forgetAttempt(_ row: RequestRow) {
        guard let txid = row.txid, let owner = owner(of: row) else { return }
        if let attempt = attempt(txid, on: owner.chain, owner.network) { forget(attempt) }
    }

    /// Removes expired ICON attempts that, according to an observation, no block has.
    mutating func forgetAttempts(_ data: ChainObserved, at time: UInt64) {
        for status in data.transactions where status.isGone {
            guard let attempt = attempt(status.txid, on: data.chain, data.network),
                attempt.isOver(at: time), attempt.row.isGivenUp, !isExecuted(attempt)
            else { continue }
            forget(attempt)
        }
    }

    private mutating func forget(_ attempt: Attempt) {
        attempts[TransactionKey(attempt.chain, attempt.network, attempt.txid)] = nil
        attemptsByTerms[TermsKey(attempt.row.terms, attempt.txid)] = nil
        if attempt.row.isGivenUp {
            followed[TransactionKey(attempt.chain, attempt.network, attempt.txid)] = nil
        }
    }
}
