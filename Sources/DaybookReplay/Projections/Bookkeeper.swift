import DaybookChains
package import DaybookDomain
import DaybookEncoding

/// Folds events from the log's start, and returns the postings and movements of each.
package struct Bookkeeper {
    /// The state after the last event.
    package private(set) var state: State

    /// A bookkeeper that begins with the state before the first event.
    package init(_ state: State = State()) {
        self.state = state
        self.state.balances.trackReplaced()
        self.state.externalAccounts.trackReplaced()
        self.state.history.trackReplaced()
    }

    /// Takes the next event; returns nil if it moved nothing.
    package mutating func take(_ event: Event) -> BookEntry? {
        state.evolve(event)
        let postings =
            state.balances.takeReplaced().flatMap { walletPostings($0.key, $0.row) }
            + state.externalAccounts.takeReplaced().flatMap { worldPostings($0.key, $0.row) }
        let movements = state.history.takeReplaced().compactMap { movement($0.key, $0.row) }
        if postings.isEmpty, movements.isEmpty { return nil }
        return BookEntry(
            position: event.position, time: event.time, type: type(of: event.payload.data).type,
            request: event.request, postings: postings,
            movements: movements)
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

    /// What the event changed in an entry of a wallet's history.
    private func movement(_ key: HistoryKey, _ old: HistoryRow?) -> BookEntry.Movement? {
        guard let row = state.history[key], let asset = asset(row.asset, of: key.first)
        else { return nil }
        let amount = row.amount.adding((old?.amount ?? .zero).negated)
        if amount == .zero { return nil }
        let meaning = state.meaning(of: row, in: key.first)
        let kind: BookEntry.Kind =
            switch meaning.kind {
            case .removed: .removed
            case .undone: .reversed
            case .received, .sent, .moved, .fee, .failed:
                amount.isNegative ? .sent : .received
            }
        return BookEntry.Movement(
            wallet: key.first, asset: asset, kind: kind, amount: amount,
            fee: kind == .sent ? meaning.fee : nil, txid: row.txid, request: meaning.request,
            caller: meaning.request.flatMap { state.request($0)?.request?.caller?.scheme })
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
