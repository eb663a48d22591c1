import DaybookChains
import DaybookEncoding

extension Decider {
    /// The user asks to have a payment bumped or cancelled.
    ///
    /// Whether a node has the payment decides upon it, so that the chain is asked first.
    func receive(_ data: RemedyRequested, _ input: Event, _ state: State) -> [Outcome] {
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

    /// A node has said whether it has the payment that a deferred request is about.
    func resolveDeferred(
        _ remedy: Remedy, of payment: RequestID, _ id: RequestID, _ request: Request,
        _ data: ChainObserved, _ input: Event, _ state: State
    ) -> [Outcome] {
        let subject = state.request(state.subject(of: remedy, payment))
        let seen = data.transactions.first { $0.txid == subject?.txid }
        if seen?.height != nil { return refuse(Refusal(.alreadyConfirmed), id) }
        switch remedy {
        case .bump where seen == nil: return refuse(Refusal(.notSent), id)
        case .cancel where seen != nil: return refuse(Refusal(.alreadySent), id)
        default: break
        }
        if case .failure(let refusal) = state.spending(for: remedy, of: payment) {
            return refuse(refusal, id)
        }
        return accept(request, id, input, state)
    }

    /// The transaction of a bump or cancellation that its user approved.
    func prepare(_ spending: RemedySpending, _ wallet: WalletID, _ id: RequestID) -> [Outcome] {
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

    // MARK: - Only one of both

    /// What an answer decides between payments and their cancellations.
    struct Decisions {
        private var outcomes: [(txid: Bytes, outcomes: [Outcome])] = []

        mutating func add(_ outcomes: [Outcome], of txid: Bytes) {
            // Ended by one transaction, a request is not ended by another.
            let new = outcomes.filter { !ends($0.request) }
            if !new.isEmpty { self.outcomes.append((txid, new)) }
        }

        func of(_ txid: Bytes) -> [Outcome] {
            outcomes.first { $0.txid == txid }?.outcomes ?? []
        }

        func ends(_ request: RequestID?) -> Bool {
            outcomes.contains { $0.outcomes.contains { $0.request == request } }
        }
    }

    func decisions(
        _ statuses: [ChainObserved.TransactionStatus], _ data: ChainObserved, _ state: State
    ) -> Decisions {
        var decisions = Decisions()
        if data.chain == .icon { return decisions }
        for status in statuses where status.locked || status.height != nil {
            let row = state.transactions[TransactionKey(data.chain, data.network, status.txid)]
            decisions.add(decided(status, row?.request, state), of: status.txid)
        }
        return decisions
    }

    /// What a block, or a lock, that has a transaction of ours decides between a payment and its
    /// cancellation.
    private func decided(
        _ status: ChainObserved.TransactionStatus, _ id: RequestID?, _ state: State
    ) -> [Outcome] {
        guard let id, status.locked || status.height != nil, status.failure == nil,
            let row = state.request(id)
        else { return [] }
        if case .remedy(.cancel, let payment) = row.request?.action {
            return cancelled(payment, by: id, state)
        }
        guard let cancel = row.cancel, let other = state.request(cancel), state.isInFlight(other)
        else { return [] }
        return endCancellation(other, cancel)
            + (other.txid.map { descendants(of: $0, state) } ?? [])
    }

    /// The end of a payment that its cancellation excludes; who waits for it is told.
    private func cancelled(
        _ id: RequestID, by cancellation: RequestID, _ state: State
    ) -> [Outcome] {
        guard let row = state.request(id), let request = row.request, let txid = row.txid,
            !row.status.isGivenUp, row.status.isTerminal || state.isInFlight(row)
        else { return [] }
        let wasAnswered = row.status == .completed && row.callback != nil
        let data = RequestCancelled(by: cancellation, wasAnswered: wasAnswered)
        let ended = [Outcome(.requestCancelled(data), request: id)]
        let told =
            row.status == .completed ? [] : callback(.refused(data.refusal), to: request, id: id)
        return ended + told + descendants(of: txid, state)
    }

    private func endCancellation(_ row: RequestRow, _ id: RequestID) -> [Outcome] {
        if row.status == .completed { return end(row, id) }
        return row.request.map { fail(Refusal(.alreadyConfirmed), id, $0) } ?? []
    }
}
