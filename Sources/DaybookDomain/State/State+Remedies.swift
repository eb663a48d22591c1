import DaybookChains
package import DaybookEncoding

/// Payments that can be bumped or cancelled, and the requests that do so.
extension State {
    /// Whether a request's transaction reserves its coins and may be executed.
    func isInFlight(_ row: RequestRow) -> Bool {
        switch row.status {
        case .approved, .signed, .sent: true
        case .completed: row.txid != nil && !isGivenUp(row)
        case .received, .deferred, .pending, .refused, .coalesced, .rejected, .expired, .failed,
            .cancelled:
            false
        }
    }

    /// Whether a block has a request's transaction.
    func isConfirmed(_ id: RequestID) -> Bool {
        request(id).flatMap { transaction(of: $0) }?.height != nil
    }

    /// Whether a block has a request's transaction, or InstantSend has locked it.
    package func isSettled(_ row: RequestRow) -> Bool {
        guard let known = transaction(of: row) else { return false }
        return known.height != nil || known.locked
    }

    /// Whether a request to cancel a payment waits for its user or is in flight.
    ///
    /// Meanwhile the payment is not sent, so that no node accepts it.
    func isBeingCancelled(_ row: RequestRow) -> Bool {
        guard let other = row.cancel.flatMap({ request($0) }) else { return false }
        return isAwaited(other) || isInFlight(other)
    }

    /// Whether a request waits for a node's answer or for its user.
    private func isAwaited(_ row: RequestRow) -> Bool {
        row.status == .deferred || row.status == .pending
    }

    /// The request whose transaction a bump spends from: the last bump in flight, or the payment.
    func bumped(by payment: RequestID) -> RequestID {
        var last = payment
        // Each bump is newer than the request that it bumps, so this loop ends.
        while let next = request(last)?.bump, let row = request(next), isInFlight(row) {
            last = next
        }
        return last
    }

    /// The request whose transaction a remedy of a payment acts on.
    package func subject(of remedy: Remedy, _ payment: RequestID) -> RequestID {
        switch remedy {
        case .bump: bumped(by: payment)
        case .cancel: payment
        }
    }

    /// An open request for the same remedy of the same payment.
    func openRemedy(_ remedy: Remedy, of payment: RequestID) -> RequestID? {
        let row = request(subject(of: remedy, payment))
        let latest = remedy == .bump ? row?.bump : row?.cancel
        return latest.flatMap { id in request(id).flatMap { isAwaited($0) ? id : nil } }
    }

    /// The payment that a request cancels, if the payment also spends an output of a transaction.
    func payment(cancelledBy id: RequestID, spending txid: Bytes) -> RequestID? {
        guard case .remedy(.cancel, let payment) = request(id)?.request?.action,
            let inputs = request(payment)?.payment?.inputs,
            inputs.contains(where: { $0.displayed == txid })
        else { return nil }
        return payment
    }

    /// An unconfirmed Dash or Axe payment.
    struct UnconfirmedPayment {
        let id: RequestID
        let row: RequestRow
        let txid: Bytes
        let payment: PaymentSummary
        let wallet: WalletAdded
    }

    /// The unconfirmed payment of a request, or the reason why there is none.
    func unconfirmedPayment(_ id: RequestID) -> Result<UnconfirmedPayment, Refusal> {
        guard let row = request(id) else { return .failure(Refusal(.unknownRequest)) }
        guard let request = row.request else { return .failure(Refusal(.noPayment)) }
        if request.chain.rules.ledger == .accounts { return .failure(Refusal(.notOnICON)) }
        guard let payment = row.payment, let txid = row.txid,
            let owner = wallet(payment.wallet)?.wallet
        else { return .failure(Refusal(.noPayment)) }
        if row.status == .cancelled { return .failure(Refusal(.alreadyCancelled)) }
        if transaction(of: row)?.height != nil { return .failure(Refusal(.alreadyConfirmed)) }
        return .success(
            UnconfirmedPayment(id: id, row: row, txid: txid, payment: payment, wallet: owner))
    }

    /// Returns why a payment can't be bumped or cancelled, according to the log; nil if it can.
    ///
    /// A node may know more.
    func validate(_ remedy: Remedy, of id: RequestID) -> Refusal? {
        switch unconfirmedPayment(id) {
        case .failure(let refusal): refusal
        case .success(let payment):
            switch remedy {
            case .bump: validate(bumping: payment)
            case .cancel: validate(cancelling: payment)
            }
        }
    }

    private func validate(bumping payment: UnconfirmedPayment) -> Refusal? {
        if isBeingCancelled(payment.row) { return Refusal(.alreadyCancelled) }
        guard isInFlight(payment.row), payment.row.status != .signed else {
            return Refusal(payment.row.status.isGivenUp ? .noPayment : .notSent)
        }
        return nil
    }

    private func validate(cancelling payment: UnconfirmedPayment) -> Refusal? {
        if payment.row.isCancellation { return Refusal(.isCancellation) }
        if let other = payment.row.cancel.flatMap({ request($0) }), isInFlight(other) {
            return Refusal(.alreadyCancelled)
        }
        if transaction(of: payment.row)?.locked == true { return Refusal(.alreadySent) }
        let mayBeExecuted = isInFlight(payment.row) || mayStillExecute(payment.row)
        return mayBeExecuted ? nil : Refusal(.noPayment)
    }
}

extension RequestRow {
    /// Whether its transaction cancels a payment.
    var isCancellation: Bool {
        if case .remedy(.cancel, _) = request?.action { true } else { false }
    }

    /// Whether its transaction bumps a payment.
    var isBump: Bool {
        if case .remedy(.bump, _) = request?.action { true } else { false }
    }
}
