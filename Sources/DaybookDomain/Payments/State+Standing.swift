import DaybookChains
package import DaybookEncoding

/// Reads from a request's row, and from its payment, where the request stands.
extension State {
    /// Where a request stands; `course` has what only its events say.
    ///
    /// Without the course the standing lacks what nodes said, and whether the caller was told.
    package func standing(
        of id: RequestID, _ row: RequestRow, _ course: PaymentCourse? = nil
    ) -> Standing {
        var known = Circumstances(id, paymentState(of: row))
        known.isDone = row.status == .completed
        known.refusal = row.refusal
        known.link = row.link
        known.loss = known.state == .failedOnChain ? .failedOnChain : loss(of: row)
        known.nodeReason = course?.reason
        known.wasToldPaid = course?.isAnswered ?? false
        known.mayStillExecute = mayStillExecute(row)
        switch known.state {
        case .approved, .signed, .sent:
            known.standstill = standstill(of: id, row)
            known.cancellation = cancellation(of: id, row)
            if row.isCancellation {
                known.waitsFor = .deciding
            } else if row.waitsForLock {
                known.waitsFor = .lock
            }
        case .coalesced:
            known.original = row.into.map { ($0, canBeApproved($0)) }
        case .failed, .dropped: known.repetition = repetition(of: row)
        case .received, .deferred, .pending, .locked, .confirmed, .answered, .refused, .rejected,
            .expired, .cancelled, .failedOnChain:
            break
        }
        return Standing(known)
    }

    /// The status of a request that other programs see; its row is enough for it.
    package func status(of row: RequestRow) -> Standing.Status {
        var known = Circumstances(0, paymentState(of: row))
        known.isDone = row.status == .completed
        return Standing(known).status
    }

    /// The state of a request and its payment, as the request's events have left it.
    package func paymentState(of row: RequestRow) -> PaymentState {
        switch row.status {
        case .received: .received
        case .deferred: .deferred
        case .pending: .pending
        case .approved: .approved
        case .signed: onChain(row) ?? .signed
        case .sent: onChain(row) ?? .sent
        case .completed: completed(row)
        case .refused: .refused
        case .coalesced: .coalesced
        case .rejected: .rejected
        case .expired: .expired
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }

    private func completed(_ row: RequestRow) -> PaymentState {
        guard let known = sentTransaction(of: row) else { return .answered }
        if known.height == nil, loss(of: row) != nil { return .dropped }
        return onChain(row) ?? .sent
    }

    /// The state of a payment that the chain shows; nil while it shows none.
    private func onChain(_ row: RequestRow) -> PaymentState? {
        guard let known = sentTransaction(of: row) else { return nil }
        if known.height != nil { return known.isFailed ? .failedOnChain : .confirmed }
        return known.locked ? .locked : nil
    }

    /// The transaction that a request sends, also if its wallet was removed since.
    private func sentTransaction(of row: RequestRow) -> TransactionRow? {
        if case .sign = row.request?.action { return nil }
        guard let txid = row.txid, let owner = row.wallet.flatMap({ chainID(of: $0) }) else {
            return nil
        }
        return transactions[TransactionKey(owner, KeyBytes(txid))]
    }

    // MARK: - What its user can do

    private func cancellation(of id: RequestID, _ row: RequestRow) -> Circumstances.Cancellation {
        let isPossible: Bool
        if case .success = spending(for: .cancel, of: id) {
            isPossible = true
        } else {
            isPossible = false
        }
        guard let other = row.cancel, let cancel = request(other) else {
            return isPossible ? .possible : .none
        }
        switch cancel.status {
        case .deferred: return .asked(other, canBeApproved: false, isDeferred: true)
        case .pending: return .asked(other, canBeApproved: isPossible, isDeferred: false)
        case .received, .approved, .signed, .sent, .completed, .refused, .coalesced, .rejected,
            .expired, .failed, .cancelled:
            if isInFlight(cancel) { return .inFlight(other) }
            return isPossible ? .possible : .none
        }
    }

    /// Whether a request waits for its user, and nothing is in the way of its approval.
    private func canBeApproved(_ id: RequestID) -> Bool {
        guard let row = request(id), row.status == .pending, let request = row.request else {
            return false
        }
        let wallet = offered(for: request, id, repeats: row.repeats)
        return prompt(for: request, id: id, wallet: wallet, amount: nil, repeats: row.repeats)[
            "problem"] == nil
    }

    /// When the payment of a request that was given up can be made again.
    private func repetition(of row: RequestRow) -> Circumstances.Repetition {
        guard mayStillExecute(row), let txid = row.txid, let wallet = row.wallet,
            let owner = owner(of: row), let attempt = attempt(txid, on: owner.chain, owner.network)
        else { return .now }
        switch owner.chain.rules.ledger {
        case .accounts: return attempt.row.until.map { .after(Timestamp.seconds($0)) } ?? .now
        case .outputs:
            let own = WalletCoins(of: wallet, owner, self)
            return coins(excluding: [attempt], at: { own[$0] }) == nil ? .afterConflict : .now
        }
    }
}

extension PaymentState {
    /// Whether the events say more of it than the row: what nodes answered, whom it was told.
    package var hasCourse: Bool {
        switch self {
        case .signed, .sent, .failed, .dropped, .failedOnChain: true
        case .received, .deferred, .pending, .approved, .locked, .confirmed, .answered, .refused,
            .coalesced, .rejected, .expired, .cancelled:
            false
        }
    }
}
