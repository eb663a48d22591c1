import DaybookChains
import DaybookEncoding

extension Decider {
    /// Decides on the user's request to bump or cancel a payment.
    ///
    /// It is deferred: what can be done depends on whether a node has the payment.
    func receive(_ data: RemedyRequested, _ input: Event, in state: State) -> [Outcome] {
        let id = RequestID(input.position)
        if let refusal = state.validate(data.remedy, of: data.payment) {
            return refuse(refusal, id)
        }
        guard let chain = state.request(data.payment)?.request?.chain else {
            return refuse(Refusal(.noPayment), id)
        }
        if let open = state.openRemedy(data.remedy, of: data.payment) {
            return [Outcome(.requestCoalesced(RequestCoalesced(into: open)), request: id)]
        }
        let request = Request(data.remedy, of: data.payment, on: chain)
        return [Outcome(.requestDeferred(RequestDeferred(request: request)), request: id)]
    }

    private func refuse(_ refusal: Refusal, _ id: RequestID) -> [Outcome] {
        let refused = RequestRefused(
            refusal: refusal, protocolCode: nil, link: Request.ownLink)
        return [Outcome(.requestRefused(refused), request: id)]
    }

    /// Decides on a deferred bump or cancellation with the node's answer about the payment.
    func resolveDeferred(
        _ remedy: Remedy, of payment: RequestID, _ request: Request, _ id: RequestID,
        with data: ChainObserved, input: Event, in state: State
    ) -> [Outcome] {
        let subject = state.request(state.subject(of: remedy, payment))
        let seen = data.transactions.first { $0.txid == subject?.txid }
        if seen?.height != nil { return refuse(Refusal(.alreadyConfirmed), id) }
        switch remedy {
        case .bump where seen == nil: return refuse(Refusal(.notSent), id)
        case .cancel where seen != nil: return refuse(Refusal(.alreadySent), id)
        case .bump, .cancel: break
        }
        if case .failure(let refusal) = state.spending(for: remedy, of: payment) {
            return refuse(refusal, id)
        }
        return accept(request, id, input, in: state)
    }

    /// Prepares the transaction of an approved bump or cancellation.
    func prepare(
        _ spending: RemedySpending, from wallet: WalletID, for id: RequestID
    ) -> [Outcome] {
        let unsigned = UnsignedTransaction(spending.selection)
        let inputs = zip(spending.selection.inputs, unsigned.digests).map { coin, digest in
            TransactionPrepared.Input(
                outpoint: coin.outpoint, amount: coin.amount, digest: digest,
                path: spending.address.path, publicKey: spending.address.publicKey)
        }
        let prepared = TransactionPrepared(
            wallet: wallet, bytes: unsigned.transaction.serialized(), inputs: inputs,
            changePath: spending.own.path, fee: UInt256(spending.selection.fee), reserves: [])
        return [Outcome(.transactionPrepared(prepared), request: id)]
    }

    // MARK: - Payment or cancellation

    /// The outcomes by which a node's answer settles payments against their cancellations.
    struct Decisions {
        private var outcomes: [(txid: Bytes, outcomes: [Outcome])] = []

        /// Adds the outcomes of a confirmed or locked transaction.
        mutating func add(_ outcomes: [Outcome], of txid: Bytes) {
            // A request that one transaction has ended is not ended again by another.
            let new = outcomes.filter { !ends($0.request) }
            if !new.isEmpty { self.outcomes.append((txid, new)) }
        }

        func of(_ txid: Bytes) -> [Outcome] {
            outcomes.first { $0.txid == txid }?.outcomes ?? []
        }

        /// Whether one of the outcomes belongs to a request.
        func ends(_ request: RequestID?) -> Bool {
            outcomes.contains { $0.outcomes.contains { $0.request == request } }
        }
    }

    /// The outcomes for the payments and cancellations whose transactions an answer settles.
    func decisions(
        _ statuses: [ChainObserved.TransactionStatus], _ data: ChainObserved, in state: State
    ) -> Decisions {
        var decisions = Decisions()
        if data.chain.rules.ledger == .accounts { return decisions }
        for status in statuses where status.locked || status.height != nil {
            let row = state.transactions[TransactionKey(data.chain, data.network, status.txid)]
            decisions.add(decided(status, row?.request, in: state), of: status.txid)
        }
        return decisions
    }

    /// Ends the payment or the cancellation that a confirmed or locked transaction of ours
    /// excludes.
    private func decided(
        _ status: ChainObserved.TransactionStatus, _ id: RequestID?, in state: State
    ) -> [Outcome] {
        guard let id, status.locked || status.height != nil, status.failure == nil,
            let row = state.request(id)
        else { return [] }
        if case .remedy(.cancel, let payment) = row.request?.action {
            return cancelled(payment, by: id, in: state)
        }
        guard let cancel = row.cancel, let other = state.request(cancel), state.isInFlight(other)
        else { return [] }
        return endCancellation(other, cancel, in: state)
            + (other.txid.map { descendants(of: $0, in: state) } ?? [])
    }

    /// Ends a payment that its confirmed cancellation excludes, and tells a caller that still
    /// waits.
    private func cancelled(
        _ id: RequestID, by cancellation: RequestID, in state: State
    ) -> [Outcome] {
        guard let row = state.request(id), let request = row.request, let txid = row.txid,
            !row.status.isGivenUp, row.status.isTerminal || state.isInFlight(row)
        else { return [] }
        let wasAnswered = row.status == .completed && row.callback != nil
        let data = RequestCancelled(by: cancellation, wasAnswered: wasAnswered)
        let ended = [Outcome(.requestCancelled(data), request: id)]
        let told = row.status == .completed
            ? [] : callback(.refused(data.refusal), to: request, id: id, in: state)
        return ended + told + descendants(of: txid, in: state)
    }

    private func endCancellation(
        _ row: RequestRow, _ id: RequestID, in state: State
    ) -> [Outcome] {
        if row.status == .completed { return end(row, id, in: state) }
        let refusal = Refusal(.alreadyConfirmed)
        return row.request.map { fail($0, id, because: refusal, in: state) } ?? []
    }
}
