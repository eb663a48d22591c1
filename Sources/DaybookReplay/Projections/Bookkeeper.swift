import DaybookChains
package import DaybookDomain
import DaybookEncoding

/// Folds events from the log's start, and returns the postings and movements of each.
///
/// For example:
///
///     var keeper = Bookkeeper()
///     for event in events { if let entry = keeper.take(event) { show(entry) } }
package struct Bookkeeper {
    /// The state after the last event.
    package private(set) var state: State
    /// The transactions in the last answer of a node, which on ICON have the fees.
    private var statuses: [ChainObserved.TransactionStatus] = []

    /// A bookkeeper that begins with the state before the first event.
    package init(_ state: State = State()) {
        self.state = state
        self.state.balances.trackReplaced()
        self.state.externalAccounts.trackReplaced()
        self.state.outputs.trackReplaced()
        self.state.spentOutputs.trackReplaced()
    }

    /// Takes the next event; returns nil if it moved nothing.
    package mutating func take(_ event: Event) -> BookEntry? {
        if case .chainObserved(let data) = event.payload { statuses = data.transactions }
        state.evolve(event)
        let postings =
            state.balances.takeReplaced().flatMap { walletPostings($0.key, $0.row) }
            + state.externalAccounts.takeReplaced().flatMap { worldPostings($0.key, $0.row) }
        let outputs = OutputMovements(&state)
        if postings.isEmpty, outputs.isEmpty { return nil }
        return BookEntry(
            position: event.position, time: event.time, type: type(of: event.payload.data).type,
            request: event.request, postings: postings,
            movements: movements(of: event, postings, outputs))
    }

    // MARK: - Postings

    private func walletPostings(_ key: BalanceKey, _ old: BalanceRow?) -> [BookEntry.Posting] {
        let wallet = key.first
        guard let asset = asset(key.text, of: wallet) else { return [] }
        let before = old ?? BalanceRow()
        let after = state.balances[key] ?? BalanceRow()
        return BalanceRow.Part.allCases.compactMap { part in
            let change = SignedAmount(from: before[part], to: after[part])
            guard change != .zero else { return nil }
            return BookEntry.Posting(
                account: .wallet(wallet, part), asset: asset, amount: change,
                balance: after[part])
        }
    }

    private func worldPostings(_ key: AssetKey, _ old: ExternalAccountRow?) -> [BookEntry.Posting] {
        let (chain, network) = (key.first.chain, key.first.network)
        let before = old ?? ExternalAccountRow()
        let after = state.externalAccounts[key] ?? ExternalAccountRow()
        // Both totals only grow: the one adds to the external account, the other is taken from it.
        let change = SignedAmount(from: before.paidOut, to: after.paidOut)
            .adding(SignedAmount(from: before.paidIn, to: after.paidIn).negated)
        if change == .zero { return [] }
        let unit = state.unit(of: key.text, chain, network)
        return [
            BookEntry.Posting(
                account: .external(chain, network),
                asset: BookEntry.Asset(
                    chain: chain, network: network, name: key.text, symbol: unit.symbol,
                    decimals: unit.decimals),
                amount: change, balance: nil)
        ]
    }

    // MARK: - Movements

    private func movements(
        of event: Event, _ postings: [BookEntry.Posting], _ outputs: OutputMovements
    ) -> [BookEntry.Movement] {
        switch event.payload {
        case .chainObserved:
            return outputs.sums.compactMap { sum in
                guard let row = state.wallets[sum.wallet],
                    let coin = UTXOParameters.of(row.wallet.chain, row.wallet.network)?.coinName,
                    let asset = asset(coin, of: sum.wallet)
                else { return nil }
                return movement(sum.wallet, asset, sum.amount, in: sum.txid, isUndone: sum.isUndone)
            }
        case .walletRemoved:
            return totals(postings).compactMap {
                movement($0.wallet, $0.asset, $0.amount, in: nil, kind: .removed)
            }
        case .transactionReorganised(let data):
            return totals(postings).compactMap {
                movement($0.wallet, $0.asset, $0.amount, in: data.txid, kind: .reversed)
            }
        case .transactionConfirmed(let data):
            return totals(postings).compactMap {
                movement($0.wallet, $0.asset, $0.amount, in: data.txid)
            }
        default:
            return totals(postings).compactMap {
                movement($0.wallet, $0.asset, $0.amount, in: nil)
            }
        }
    }

    private func movement(
        _ wallet: WalletID, _ asset: BookEntry.Asset, _ amount: SignedAmount, in txid: Bytes?,
        isUndone: Bool = false, kind: BookEntry.Kind? = nil
    ) -> BookEntry.Movement? {
        if amount == .zero { return nil }
        let row: TransactionRow? = txid.flatMap {
            state.transactions[TransactionKey(asset.chain, asset.network, $0)]
        }
        let request = row?.request.flatMap { state.request($0) }
        let direction: BookEntry.Kind = amount.isNegative ? .sent : .received
        let kind = kind ?? (isUndone ? .reversed : direction)
        // A wallet that the transaction only pays bears none of its fee.
        let isPayer = kind == .sent && row?.wallet == wallet
        return BookEntry.Movement(
            wallet: wallet, asset: asset, kind: kind, amount: amount,
            fee: isPayer ? fee(txid, asset.chain, request) : nil, txid: txid,
            request: row?.request, caller: request?.request?.caller?.scheme)
    }

    /// The fee: on UTXO chains it is known beforehand, on ICON only from the node's answer.
    private func fee(_ txid: Bytes?, _ chain: Chain, _ request: RequestRow?) -> UInt256? {
        guard let request else { return nil }
        if chain.rules.ledger == .outputs { return request.payment?.fee }
        return statuses.first { $0.txid == txid }?.fee
    }

    /// The change of each wallet's balance in each asset, in the order of the postings.
    private func totals(
        _ postings: [BookEntry.Posting]
    ) -> [(wallet: WalletID, asset: BookEntry.Asset, amount: SignedAmount)] {
        var totals: [(wallet: WalletID, asset: BookEntry.Asset, amount: SignedAmount)] = []
        for posting in postings {
            guard case .wallet(let wallet, _) = posting.account else { continue }
            if let index = totals.firstIndex(
                where: { $0.wallet == wallet && $0.asset == posting.asset })
            {
                totals[index].amount = totals[index].amount.adding(posting.amount)
            } else {
                totals.append((wallet, posting.asset, posting.amount))
            }
        }
        return totals
    }

    // MARK: - Names

    private func asset(_ name: String, of wallet: WalletID) -> BookEntry.Asset? {
        guard let row = state.wallets[wallet] else { return nil }
        let unit = state.unit(of: name, row.wallet.chain, row.wallet.network)
        return BookEntry.Asset(
            chain: row.wallet.chain, network: row.wallet.network, name: name,
            symbol: unit.symbol, decimals: unit.decimals)
    }
}

/// The changes that an event made to outputs, summed by transaction.
struct OutputMovements {
    /// The net amount that a transaction paid a wallet.
    struct Sum {
        let wallet: WalletID
        let txid: Bytes
        var amount: SignedAmount
        /// Whether all of it undoes earlier changes.
        var isUndone: Bool
    }

    /// The sums, in the order in which the transactions were found.
    private(set) var sums: [Sum] = []

    var isEmpty: Bool { sums.isEmpty }

    /// The changes since the last call of `takeReplaced` on the tables of outputs.
    init(_ state: inout State) {
        for (key, old) in state.outputs.takeReplaced() {
            add(key.first, old, state.outputs[key])
        }
        for (key, old) in state.spentOutputs.takeReplaced() {
            add(key.first, old, state.spentOutputs[key])
        }
        // An output that only moved from one table to the other cancels out.
        sums.removeAll { $0.amount == .zero }
    }

    private mutating func add(_ wallet: WalletID, _ before: OutputRow?, _ after: OutputRow?) {
        // An output that was only reserved or mined has not moved.
        if let before, let after, Self.isSame(before.output, after.output) { return }
        if let before { add(before, wallet, undoes: true) }
        if let after { add(after, wallet, undoes: false) }
    }

    private static func isSame(
        _ left: ChainObserved.Output, _ right: ChainObserved.Output
    ) -> Bool {
        left.amount == right.amount && left.spentBy == right.spentBy
    }

    /// Adds an output to the transaction that made it, and takes it from the one that spent it.
    private mutating func add(_ row: OutputRow, _ wallet: WalletID, undoes: Bool) {
        let amount = SignedAmount(UInt256(row.output.amount), isNegative: undoes)
        add(row.output.outpoint.displayed, wallet, amount, undoes: undoes)
        if let spender = row.output.spentBy { add(spender, wallet, amount.negated, undoes: undoes) }
    }

    private mutating func add(
        _ txid: Bytes, _ wallet: WalletID, _ amount: SignedAmount, undoes: Bool
    ) {
        if let index = sums.firstIndex(where: { $0.txid == txid && $0.wallet == wallet }) {
            sums[index].amount = sums[index].amount.adding(amount)
            sums[index].isUndone = sums[index].isUndone && undoes
        } else {
            sums.append(Sum(wallet: wallet, txid: txid, amount: amount, isUndone: undoes))
        }
    }
}
