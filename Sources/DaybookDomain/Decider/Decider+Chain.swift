import DaybookChains
import DaybookEncoding

extension Decider {
    /// Decides on a node's answer: payments, confirmations, balances, and the request that waited
    /// for it.
    func observe(_ data: ChainObserved, _ input: Event, in state: State) -> [Outcome] {
        var outcomes: [Outcome] = []
        var confirmed: [Outcome] = []
        if data.chain.rules.ledger == .accounts {
            confirmed = confirmations(data, [], in: state)
            outcomes += confirmed + balances(data, confirmed, in: state)
        } else {
            let payments = self.payments(data, in: state)
            outcomes += payments + confirmations(data, payments, in: state)
        }
        if let id = input.request, let row = state.request(id), row.status == .deferred,
            let request = row.request
        {
            outcomes += resolveDeferred(
                request, id, with: data, freed: freed(by: confirmed, in: state), input: input,
                in: state)
        }
        return outcomes
    }

    /// Payments received by Dash and Axe wallets: new outputs that no transaction of ours made.
    private func payments(_ data: ChainObserved, in state: State) -> [Outcome] {
        var received: [PaymentReceived] = []
        let coin = data.chain.rules.coin.asset
        for output in data.outputs {
            let txid = output.outpoint.displayed
            guard let owner = state.owner(of: output.script, data.chain, data.network),
                !state.transactions.contains(TransactionKey(data.chain, data.network, txid))
            else { continue }
            var amount = UInt256(output.amount)
            let same = received.firstIndex { $0.wallet == owner.wallet && $0.txid == txid }
            if let same {
                // Amounts of outputs are below 2^64, and there are fewer than 2^64 of them.
                amount = amount.adding(received[same].amount) ?? .max
                received.remove(at: same)
            }
            received.append(
                PaymentReceived(wallet: owner.wallet, asset: coin, amount: amount, txid: txid))
        }
        return received.map { Outcome(.paymentReceived($0), request: nil) }
    }

    /// Outcomes for transactions that are newly confirmed, reorganized, locked or dropped.
    private func confirmations(
        _ data: ChainObserved, _ payments: [Outcome], in state: State
    ) -> [Outcome] {
        var outcomes: [Outcome] = []
        let statuses = data.statuses
        // A confirmation counts more than a node's report that the conflicting transaction is gone.
        let decisions = decisions(statuses, data, in: state)
        var ended: Set<RequestID?> = []
        for status in statuses {
            var known = state.transactions[
                TransactionKey(data.chain, data.network, status.txid)]
            if known == nil {
                known = payments.lazy.compactMap { Self.row($0, status.txid) }.first
            }
            guard let row = known else { continue }
            let request = row.request
            if row.height != nil, status.changesBlock(of: row) {
                let gone = TransactionReorganised(wallet: row.wallet, txid: status.txid)
                outcomes.append(Outcome(.transactionReorganised(gone), request: request))
            }
            if let height = status.height, status.changesBlock(of: row) {
                let confirmed = TransactionConfirmed(
                    wallet: row.wallet, txid: status.txid, height: height,
                    failure: status.failure, spent: spent(status, request, in: state),
                    blockTime: data.time(ofBlock: height))
                outcomes.append(Outcome(.transactionConfirmed(confirmed), request: request))
            }
            if status.locked, !row.locked {
                let locked = TransactionLocked(wallet: row.wallet, txid: status.txid)
                outcomes.append(Outcome(.transactionLocked(locked), request: request))
            }
            if status.drops(row, state), let request, let payment = state.request(request) {
                let all = end(payment, request, in: state)
                    + descendants(of: status.txid, in: state)
                let ends = all
                    .filter { !decisions.ends($0.request) && !ended.contains($0.request) }
                outcomes += ends
                ended.formUnion(ends.map(\.request))
            }
            outcomes += awaited(status, of: request, in: state) + decisions.of(status.txid)
        }
        return outcomes
    }

    /// The callback of a payment that waited for its InstantSend lock or its block.
    private func awaited(
        _ status: ChainObserved.TransactionStatus, of id: RequestID?, in state: State
    ) -> [Outcome] {
        guard let id, status.locked || status.height != nil, let row = state.request(id),
            row.status == .sent
        else { return [] }
        return tell(row, id, in: state)
    }

    private static func row(_ payment: Outcome, _ txid: Bytes) -> TransactionRow? {
        guard case .paymentReceived(let data) = payment.payload, data.txid == txid else {
            return nil
        }
        return TransactionRow(wallet: data.wallet, request: nil)
    }

    /// The amounts that a confirmed ICON transaction moved: its fee, and its value unless it
    /// failed.
    private func spent(
        _ status: ChainObserved.TransactionStatus, _ id: RequestID?, in state: State
    ) -> [TransactionPrepared.Reserve] {
        guard let payment = id.flatMap({ state.request($0) })?.payment,
            !payment.reserves.isEmpty
        else { return [] }
        let fee = status.fee ?? payment.fee
        return payment.reserves.compactMap { reserve in
            if reserve.asset != "ICX" { return status.failure == nil ? reserve : nil }
            let value = reserve.amount.subtracting(payment.fee) ?? .zero
            let amount = status.failure == nil ? value.adding(fee) ?? .max : fee
            return TransactionPrepared.Reserve(asset: reserve.asset, amount: amount)
        }
    }

    /// The reserves that these confirmations release, with their wallets.
    private func freed(by confirmed: [Outcome], in state: State)
        -> [(wallet: WalletID, reserve: TransactionPrepared.Reserve)]
    {
        confirmed.flatMap { outcome -> [(WalletID, TransactionPrepared.Reserve)] in
            guard case .transactionConfirmed(let data) = outcome.payload,
                let row = outcome.request.flatMap({ state.request($0) })
            else { return [] }
            return (row.payment?.reserves ?? []).map { (data.wallet, $0) }
        }
    }

    /// Payments on ICON: differences between the node's balances and those that our transactions
    /// explain.
    private func balances(
        _ data: ChainObserved, _ confirmed: [Outcome], in state: State
    ) -> [Outcome] {
        var outcomes: [Outcome] = []
        let wallets = state.wallets(of: .icon).filter { $0.row.wallet.network == data.network }
        for (index, seen) in data.balances.enumerated() {
            // A balance that a node lists twice counts once.
            let isRepeated = data.balances[..<index].contains {
                $0.address == seen.address && $0.asset == seen.asset
            }
            if isRepeated { continue }
            for wallet in wallets where wallet.row.address == seen.address {
                let expected = expected(of: seen.asset, in: wallet.id, confirmed, data, in: state)
                if let more = seen.amount.subtracting(expected), more != .zero {
                    let payment = PaymentReceived(
                        wallet: wallet.id, asset: seen.asset, amount: more, txid: nil)
                    outcomes.append(Outcome(.paymentReceived(payment), request: nil))
                } else if let less = expected.subtracting(seen.amount), less != .zero {
                    let payment = PaymentMade(
                        wallet: wallet.id, asset: seen.asset, amount: less)
                    outcomes.append(Outcome(.paymentMade(payment), request: nil))
                }
            }
        }
        return outcomes
    }

    /// The balance that our own transactions explain, including those that this answer confirms.
    private func expected(
        of asset: String, in wallet: WalletID, _ confirmed: [Outcome], _ data: ChainObserved,
        in state: State
    ) -> UInt256 {
        var expected = state.balance(wallet, asset).confirmed
        for outcome in confirmed {
            switch outcome.payload {
            case .transactionReorganised(let item) where item.wallet == wallet:
                let row = state.transactions[
                    TransactionKey(data.chain, data.network, item.txid)]
                for spent in row?.spent ?? [] where spent.asset == asset {
                    expected = expected.adding(spent.amount) ?? .max
                }
            case .transactionConfirmed(let item) where item.wallet == wallet:
                for spent in item.spent where spent.asset == asset {
                    expected = expected.subtracting(spent.amount) ?? .zero
                }
            default: break
            }
        }
        return expected
    }
}

extension ChainObserved {
    /// The states of transactions: those listed, and those that outputs refer to.
    package var statuses: [TransactionStatus] {
        var statuses: [TransactionStatus] = []
        func add(_ status: TransactionStatus) {
            guard !statuses.contains(where: { $0.txid == status.txid }) else { return }
            statuses.append(status)
        }
        func add(_ txid: Bytes, _ height: UInt64?) {
            add(TransactionStatus(txid: txid, height: height, locked: false))
        }
        for status in transactions { add(status) }
        for output in outputs {
            add(output.outpoint.displayed, output.height)
            if let spender = output.spentBy { add(spender, output.spentHeight) }
        }
        for outpoint in removed { add(outpoint.displayed, nil) }
        return statuses
    }
}

extension ChainObserved.TransactionStatus {
    /// Whether this status names another block than the recorded one, or another result in it.
    ///
    /// Only ICON executes transactions without success.
    func changesBlock(of row: TransactionRow) -> Bool {
        row.height != height || (height != nil && row.isFailed != (failure != nil))
    }

    /// Whether this status drops a transaction of ours: it was sent, no block has it, and it is
    /// gone.
    func drops(_ row: TransactionRow, _ state: State) -> Bool {
        guard isGone, row.height == nil, let request = row.request else { return false }
        guard let owner = state.request(request) else { return false }
        switch owner.status {
        case .completed: return !state.isGivenUp(owner)
        case .sent: return true
        case .received, .deferred, .pending, .approved, .signed, .refused, .coalesced, .rejected,
            .expired, .failed, .cancelled:
            return false
        }
    }
}
