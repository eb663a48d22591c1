import DaybookChains
package import DaybookEncoding

extension ChainObserved {
    /// Events hold no more outputs than this, so that a large wallet's first look fits its limits.
    static let outputsPerEvent = 400

    /// What of an answer is new to the state, in as many events as it takes; none if nothing is.
    ///
    /// `scripts` are those of which `outputs` has all that the chain has, so that an output of ours
    /// that is missing there has vanished. An answer to a question that was asked for a request
    /// keeps its balances: the request is judged by them.
    package func news(in state: State, scripts: [Bytes], forRequest: Bool) -> [ChainObserved] {
        let known = state.chain(chain, network)
        var first = ChainObserved(chain: chain, network: network)
        if height != known.height || tip != known.tip {
            first.height = height
            first.tip = tip
        }
        if feeRate != known.feeRate { first.feeRate = feeRate }
        if let instantSend, instantSend != known.instantSend { first.instantSend = instantSend }
        if steps != known.steps { first.steps = steps }
        first.transactions = transactions.filter { isNews($0, state) }
        first.balances = forRequest ? balances : balances.filter { isNews($0, state, first) }
        first.tokens = tokens.filter {
            guard $0.decimals <= State.mostDecimals else { return false }
            let row: TokenRow? = state.get(Key.token(network, $0.contract))
            return row != TokenRow(symbol: $0.symbol, decimals: $0.decimals)
        }
        first.estimate = estimate
        var gone = vanished(scripts, state)[...]
        var changed = outputs.filter { isNews($0, state) }[...]
        first.takeOutputs(&gone, &changed)
        var events = first == ChainObserved(chain: chain, network: network) ? [] : [first]
        while !gone.isEmpty || !changed.isEmpty {
            var more = ChainObserved(chain: chain, network: network)
            more.takeOutputs(&gone, &changed)
            events.append(more)
        }
        return events
    }

    private mutating func takeOutputs(
        _ gone: inout ArraySlice<Outpoint>, _ changed: inout ArraySlice<Output>
    ) {
        vanished = Array(gone.prefix(Self.outputsPerEvent))
        gone = gone.dropFirst(vanished.count)
        outputs = Array(changed.prefix(Self.outputsPerEvent - vanished.count))
        changed = changed.dropFirst(outputs.count)
    }

    private func isNews(_ status: TransactionStatus, _ state: State) -> Bool {
        guard let row: TransactionRow = state.get(Key.transaction(chain, network, status.txid))
        else { return false }
        return row.height != status.height || (status.locked && !row.locked)
            || status.drops(row, state)
    }

    private func isNews(_ seen: Balance, _ state: State, _ news: ChainObserved) -> Bool {
        guard news.transactions.isEmpty else { return true }
        return state.wallets(of: chain).contains { wallet in
            wallet.row.wallet.network == network && wallet.row.address == seen.address
                && state.balance(wallet.id, seen.asset).confirmed != seen.amount
        }
    }

    private func isNews(_ output: Output, _ state: State) -> Bool {
        guard let owner = state.owner(of: output.script, chain, network) else { return false }
        let key = output.spentBy == nil ? Key.output : Key.spent
        let row: OutputRow? = state.get(key(owner.wallet, output.outpoint))
        return row?.output != output
    }

    /// Outputs that we hold as unspent and that the answer, which has all, does not have.
    private func vanished(_ scripts: [Bytes], _ state: State) -> [Outpoint] {
        guard !scripts.isEmpty else { return [] }
        let asked = Set(scripts)
        let seen = Set(outputs.map(\.outpoint))
        return state.wallets(of: chain).filter { $0.row.wallet.network == network }
            .flatMap { state.list(Key.outputs($0.id), OutputRow.self) }
            .map(\.row.output)
            .filter { asked.contains($0.script) && !seen.contains($0.outpoint) }
            .map(\.outpoint)
    }
}
