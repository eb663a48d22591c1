import DaybookChains
package import DaybookEncoding

/// Why a payment that counted as sent is not executed after all.
package enum PaymentLoss: String, CaseIterable, Sendable {
    /// No node has it, and none accepts it any more.
    case dropped
    /// Another transaction spends its coins.
    case conflicted
    /// ICON: a block has it, but its execution failed.
    case failedOnChain

    /// The event, in one clause.
    package var sentence: String {
        switch self {
        case .dropped: "no node has the transaction any more, and none accepts it"
        case .conflicted: "another transaction has spent the coins of this one"
        case .failedOnChain: "a block has the transaction, but it was executed without success"
        }
    }

    /// The user's remedy.
    package func advice(for id: RequestID) -> String {
        switch self {
        case .dropped, .conflicted:
            "tell the payee that it is not paid, and pay again if you still want to"
        case .failedOnChain:
            "only the fee is gone: see why with daybook show \(id), tell who asked, and ask for it"
                + " again"
        }
    }
}

/// Payments in flight: signed, and in no block.
extension State {
    /// The requests whose signed transactions may still fail, in order.
    ///
    /// No node has accepted them yet, or they are neither confirmed nor locked.
    package func inFlight() -> [RequestID] {
        let unsent = work.keys().filter { id in
            request(id).map { $0.status == .signed || $0.status == .sent } ?? false
        }
        let sent = followed.keys().compactMap { key -> RequestID? in
            guard let known = transactions[key], known.height == nil, !known.locked,
                let id = known.request, let row = request(id), row.status == .completed,
                loss(of: row) == nil
            else { return nil }
            return id
        }
        return Set(unsent + sent).sorted()
    }

    /// Why a request that counts as paid is not paid; nil if it is.
    package func loss(of row: RequestRow) -> PaymentLoss? {
        guard row.status == .completed, let payment = row.payment, let txid = row.txid,
            let owner = wallet(payment.wallet)?.wallet,
            let known = transaction(of: row)
        else { return nil }
        if known.isFailed { return .failedOnChain }
        if known.height != nil { return nil }
        let isFollowed = followed.contains(TransactionKey(owner.chain, owner.network, txid))
        guard !isFollowed || isGivenUp(row) else { return nil }
        return isConflicted(row) ? .conflicted : .dropped
    }

    /// Whether another transaction on the chain spends a coin of a request's transaction.
    package func isConflicted(_ row: RequestRow) -> Bool {
        guard let payment = row.payment else { return false }
        return payment.inputs.contains { outpoint in
            let spent = spentOutputs[OutputKey(payment.wallet, outpoint)]
            return spent?.output.spentBy.map { $0 != row.txid } ?? false
        }
    }

    /// The amounts that a request's transaction reserves, by asset.
    package func held(by id: RequestID, _ row: RequestRow) -> [TransactionPrepared.Reserve] {
        guard let payment = row.payment, let owner = wallet(payment.wallet)?.wallet else {
            return []
        }
        let rules = owner.chain.rules
        guard rules.ledger == .outputs else { return isHolding(row) ? payment.reserves : [] }
        let amounts = payment.inputs.compactMap { outpoint -> UInt256? in
            let row = outputs[OutputKey(payment.wallet, outpoint)]
            return row?.reservedBy == id ? row.map { UInt256($0.output.amount) } : nil
        }
        let sum = amounts.reduce(UInt256.zero) { $0.adding($1) ?? .max }
        if sum == .zero { return [] }
        return [TransactionPrepared.Reserve(asset: rules.coin.asset, amount: sum)]
    }

    /// Whether an ICON transaction still reserves its amounts.
    private func isHolding(_ row: RequestRow) -> Bool {
        if row.status.isGivenUp || isGivenUp(row) { return false }
        return transaction(of: row).map { $0.height == nil } ?? true
    }

    /// Why a request in flight can't end without the user; nil if it can.
    package func standstill(of id: RequestID, _ row: RequestRow) -> Standstill? {
        guard let payment = row.payment else { return nil }
        guard wallet(payment.wallet) != nil else { return .walletRemoved }
        let isOutOfSight = payment.inputs.contains { outpoint in
            reserved[OutputKey(payment.wallet, outpoint)]?.target == id
        }
        return isOutOfSight ? .coinsOutOfSight : nil
    }

    /// An obstacle that keeps a payment in flight until the user acts.
    package enum Standstill: String, CaseIterable, Sendable {
        case walletRemoved, coinsOutOfSight

        /// The obstacle, in one clause.
        package var sentence: String {
            switch self {
            case .walletRemoved: "its wallet was removed, so that no node is asked about it"
            case .coinsOutOfSight:
                "the chain no longer has its coins: a reorganisation took them away"
            }
        }

        /// The user's remedy.
        package func advice(for id: RequestID) -> String {
            switch self {
            case .walletRemoved:
                "add a wallet of the same keys: it sees what became of the payment"
            case .coinsOutOfSight:
                "ask who paid them to send them again; or end it with daybook reject \(id)"
            }
        }
    }
}
