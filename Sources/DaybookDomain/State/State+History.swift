import DaybookChains
package import DaybookEncoding

/// The meaning of an entry of a wallet's history.
package struct HistoryMeaning: Equatable, Sendable {
    package let kind: Kind
    /// The transaction's cost to the wallet, in the entry's asset; a part of its amount.
    ///
    /// Nil if another wallet paid for it, or if it was made elsewhere.
    package let fee: UInt256?
    /// The request that made the transaction.
    package let request: RequestID?
    /// Whether the wallet paid for the transaction.
    package let isPayer: Bool

    /// The transaction's kind, as the wallet sees it.
    package enum Kind: String, CaseIterable, Sendable {
        case received, sent
        /// All came back to the wallet but the fee.
        case moved
        /// ICON: the fee of a transaction that moved no ICX of the wallet's.
        case fee
        /// ICON: a block has the transaction, and its execution failed: only the fee is gone.
        case failed
        /// The chain no longer has the transaction: it has changed nothing.
        case undone
        /// The wallet was removed, with its balance.
        case removed
    }
}

extension State {
    /// The meaning of an entry of a wallet's history.
    package func meaning(of entry: HistoryRow, in wallet: WalletID) -> HistoryMeaning {
        let owner = wallets[wallet]?.wallet
        let known = entry.txid.flatMap { txid in
            owner.flatMap { transactions[TransactionKey($0.chain, $0.network, txid)] }
        }
        let request = known?.request.flatMap { self.request($0) }
        let isPayer = request != nil && known?.wallet == wallet
        var fee: UInt256?
        if isPayer, entry.amount.isNegative, let owner, let request,
            Text.equal(owner.chain.rules.coin.asset, entry.asset)
        {
            fee = self.fee(of: request)
        }
        var kind = HistoryMeaning.Kind.sent
        if entry.isRemoval {
            kind = .removed
        } else if entry.amount == .zero {
            kind = .undone
        } else if !entry.amount.isNegative {
            kind = .received
        } else if isPayer, known?.isFailed == true {
            kind = .failed
        } else if entry.amount.magnitude == fee {
            // On ICON nothing can be sent to the own address.
            kind = owner?.chain.rules.ledger == .outputs ? .moved : .fee
        }
        return HistoryMeaning(kind: kind, fee: fee, request: known?.request, isPayer: isPayer)
    }

    /// The cost of a request's transaction: on ICON, until a block has it, the highest one.
    package func fee(of row: RequestRow) -> UInt256? {
        guard let payment = row.payment else { return nil }
        guard let known = accountTransaction(of: row), known.height != nil,
            let coin = chainID(of: payment.wallet)?.chain.rules.coin.asset,
            let spent = known.spent.first(where: { Text.equal($0.asset, coin) })?.amount,
            let most = payment.reserves.first(where: { Text.equal($0.asset, coin) })?.amount
        else { return payment.fee }
        let value = known.isFailed ? .zero : most.subtracting(payment.fee) ?? .zero
        return spent.subtracting(value) ?? .zero
    }

    private func accountTransaction(of row: RequestRow) -> TransactionRow? {
        guard let txid = row.txid, let owner = row.wallet.flatMap({ chainID(of: $0) }),
            owner.chain.rules.ledger == .accounts
        else { return nil }
        return transactions[TransactionKey(owner, KeyBytes(txid))]
    }
}

extension State {
    /// Describes the first balance that its history does not add up to; nil if all do.
    package func historyDifference() -> String? {
        var sums: [BalanceKey: SignedAmount] = [:]
        history.walk { key, row in
            let account = BalanceKey(key.first, row.asset)
            sums[account] = (sums[account] ?? .zero).adding(row.amount)
            return true
        }
        for (account, balance) in balances.rows() {
            let held = SignedAmount(balance.confirmed).adding(SignedAmount(balance.unconfirmed))
            let sum = sums.removeValue(forKey: account) ?? .zero
            if sum != held {
                return "wallet \(account.first) holds \(held.decimal) of "
                    + "\(Text.escaped(account.text)), and its history adds up to \(sum.decimal)"
            }
        }
        return sums.filter { $0.value != .zero }.keys.min().map { account in
            "wallet \(account.first) has a history of \(Text.escaped(account.text)) and holds none"
        }
    }
}
