import DaybookChains
import DaybookEncoding

/// Keeps the record of attempts: signed transactions that may be executed, whatever nodes say.
extension State {
    /// Puts a request's signed transaction on record.
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
            AttemptTerms.remedy(wallet.chain, wallet.network, remedy, of: id)
        default: payment.terms
        }
    }

    /// Notes that an attempt's request has ended without success.
    mutating func giveUpAttempt(_ row: RequestRow) {
        change(attemptOf: row) { $0.isGivenUp = true }
    }

    /// Notes that an attempt's request counts as paid again: its transaction was in a block.
    mutating func takeUpAttempt(_ row: RequestRow) {
        change(attemptOf: row) { $0.isGivenUp = false }
    }

    private mutating func change(
        attemptOf row: RequestRow, _ change: (inout AttemptRow) -> Void
    ) {
        guard let txid = row.txid, let owner = owner(of: row) else { return }
        attempts.update(TransactionKey(owner.chain, owner.network, txid), change)
    }

    /// Whether a request's transaction is an attempt whose coins are held back no longer.
    func isGivenUp(_ row: RequestRow) -> Bool {
        guard let txid = row.txid, let owner = owner(of: row) else { return false }
        return attempt(txid, owner.chain, owner.network)?.row.isGivenUp ?? false
    }

    /// Whether a request's transaction may be executed although the request has ended without it.
    package func mayStillExecute(_ row: RequestRow) -> Bool {
        guard let txid = row.txid, let owner = owner(of: row),
            let attempt = attempt(txid, owner.chain, owner.network)
        else { return false }
        return attempt.row.isGivenUp && isOpen(attempt)
    }

    /// Removes a request's transaction from the record, because the network has it.
    ///
    /// Whoever paid to the same terms knew by then of all that was executed before.
    mutating func settleAttempt(_ row: RequestRow) {
        guard let txid = row.txid, let owner = owner(of: row),
            let own = attempt(txid, owner.chain, owner.network)
        else { return }
        let others = attempts(of: [own.row.terms], owner.chain, owner.network)
        for other in others where other.txid == txid || !isOpen(other) { forget(other) }
    }

    /// Removes a request's transaction from the record, because it will never pay anybody.
    mutating func forgetAttempt(_ row: RequestRow) {
        guard let txid = row.txid, let owner = owner(of: row) else { return }
        if let attempt = attempt(txid, owner.chain, owner.network) { forget(attempt) }
    }

    /// Whether a request's transaction is an attempt that no ICON node takes any more.
    func isAttemptOver(_ row: RequestRow, at time: UInt64) -> Bool {
        guard let txid = row.txid, let owner = owner(of: row) else { return false }
        return attempt(txid, owner.chain, owner.network)?.isOver(at: time) ?? false
    }

    /// Removes the ICON transactions that no block has, although no node takes them any more.
    mutating func forgetAttempts(_ data: ChainObserved, at time: UInt64) {
        for status in data.transactions where status.isGone {
            guard let attempt = attempt(status.txid, data.chain, data.network),
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

    private func owner(of row: RequestRow) -> WalletAdded? {
        row.wallet.flatMap { wallets[$0] }?.wallet
    }
}

extension Attempt {
    /// Whether an ICON transaction's time has passed.
    func isOver(at time: UInt64) -> Bool {
        row.until.map { $0 <= time } ?? false
    }
}
