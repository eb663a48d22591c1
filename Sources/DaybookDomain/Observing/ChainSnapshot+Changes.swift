package import DaybookChains
import DaybookEncoding

/// The outputs of ours in which an answer differs from a state.
package struct OutputChanges: Sendable {
    /// As the answer has them.
    var changed: [ChainObserved.Output] = []
    /// Recorded ones that no longer exist.
    var removed: [Outpoint] = []
}

extension ChainSnapshot {
    /// The maximum number of outputs and transactions in an event.
    ///
    /// A first scan of a large wallet, or a block with thousands of small payments, then respects
    /// the limits of an event.
    static let itemsPerEvent = 400
    /// Up to this number, the outputs of one transaction stay together, because they are one
    /// payment.
    static let outputsOfOneTransaction = 1_000

    /// Returns what differs from the state, in as few events as possible; none if nothing differs.
    ///
    /// An answer for a request keeps all its balances, because the request is decided by them, and
    /// has no outputs. A whole comparison says that it is one. A transaction's absence is a change
    /// only once it has expired. `outputs` are its output changes from this state, if known.
    package func changes(
        from state: State, forRequest: Bool, isWhole: Bool = false, at time: UInt64 = 0,
        outputs: OutputChanges? = nil
    ) -> [ChainObserved] {
        let known = state.chain(chain, network)
        var first = ChainObserved(chain: chain, network: network)
        // Recorded even if nothing differs, because the next comparison depends on it.
        first.isWhole = isWhole && known.compared != height
        let hasBeenOut = known.outage != nil && !forRequest
        if height != known.height || tip != known.tip || hasBeenOut {
            first.height = height
            first.tip = tip
        }
        if identity != known.identity { first.identity = identity }
        if feeRate != known.feeRate { first.feeRate = feeRate }
        if feeRate != nil, isFeeEstimated == known.lacksFeeEstimate {
            first.isFeeEstimated = isFeeEstimated
        }
        if let instantSend, instantSend != known.instantSend { first.instantSend = instantSend }
        if iconFees != known.iconFees { first.iconFees = iconFees }
        var statuses = transactions.filter { isChange($0, state, at: time) }[...]
        // On ICON all transactions stay in the first event, because the balances depend on them.
        first.transactions = Array(
            chain.rules.ledger == .accounts ? statuses : statuses.prefix(Self.itemsPerEvent))
        statuses = statuses.dropFirst(first.transactions.count)
        first.balances =
            forRequest ? balances : balances.filter { isChange($0, from: state, in: first) }
        first.tokens = tokens.filter {
            guard $0.decimals <= State.maxDecimals else { return false }
            let row = state.tokens[TokenKey(network, $0.contract)]
            return row == nil || row != row?.updated(symbol: $0.symbol, decimals: $0.decimals)
        }
        first.estimate = estimate
        if !forRequest {
            let setAside = standingAside(in: state, known)
            if setAside != known.setAside { first.setAside = setAside }
        }
        let outputs = outputs ?? outputChanges(from: state)
        var gone = outputs.removed[...]
        var rest = outputs.changed[...]
        first.moveOutputs(&gone, &rest)
        var events = first == ChainObserved(chain: chain, network: network) ? [] : [first]
        while !statuses.isEmpty || !gone.isEmpty || !rest.isEmpty {
            var more = ChainObserved(chain: chain, network: network)
            more.transactions = Array(statuses.prefix(Self.itemsPerEvent))
            statuses = statuses.dropFirst(more.transactions.count)
            more.moveOutputs(&gone, &rest)
            events.append(more)
        }
        for index in events.indices where !blocks.isEmpty {
            let heights = events[index].heights
            events[index].blocks = blocks.filter { heights.contains($0.height) }
        }
        return events
    }

    /// All that is set aside now: what this answer leaves unclear, and what it says nothing about.
    ///
    /// An answer that continues from the last tip lists no older entries of used addresses. A
    /// contract that never answered as a token is none.
    private func standingAside(in state: State, _ known: ChainRow) -> [SetAside] {
        let setAside = setAside.filter { item in
            guard item.kind == .token, let contract = item.address else { return true }
            return state.tokens.contains(TokenKey(network, contract))
        }
        let older = known.setAside.filter { item in
            item.kind == .listing && since > 0 && item.height.map { $0 < since } ?? true
        }
        return Array((older + setAside).inOrder.prefix(SetAside.limit))
    }

    private func isChange(
        _ status: ChainObserved.TransactionStatus, _ state: State, at time: UInt64
    ) -> Bool {
        if status.isGone, let attempt = state.attempt(status.txid, on: chain, network),
            attempt.row.isGivenUp, attempt.isOver(at: time)
        {
            return true
        }
        guard let row = state.transactions[TransactionKey(chain, network, status.txid)]
        else { return false }
        return status.changesBlock(of: row) || (status.locked && !row.locked)
            || status.drops(row, state)
    }

    private func isChange(_ seen: ChainObserved.Balance, from state: State, in event: ChainObserved)
        -> Bool
    {
        guard event.transactions.isEmpty else { return true }
        return state.wallets(of: chain).contains { wallet in
            wallet.row.wallet.network == network && wallet.row.address == seen.address
                && state.balance(wallet.id, seen.asset).confirmed != seen.amount
        }
    }

    // MARK: - Outputs

    /// Compares the outputs with the recorded ones.
    package func outputChanges(from state: State) -> OutputChanges {
        guard chain.rules.ledger == .outputs else { return OutputChanges() }
        let spent = provenSpends
        var seen = Set<Outpoint>(minimumCapacity: outputs.count)
        var changed: [ChainObserved.Output] = []
        for output in outputs where seen.insert(output.outpoint).inserted {
            var now = output.spent(by: spent[output.outpoint])
            guard let owner = state.owner(of: output.script, chain, network) else { continue }
            let known = state.output(
                output.outpoint, of: owner.wallet, spent: now.spentBy != nil)
            if now.spentBy == nil, let known, isUnclear(known.spentBy) {
                (now.spentBy, now.spentHeight) = (known.spentBy, known.spentHeight)
            }
            if let known { now.keepSpend(of: known, in: ..<since) }
            if known != now { changed.append(now) }
        }
        var removed: [Outpoint] = []
        let older = spends.map(\.outpoint).filter { !seen.contains($0) }
        for (id, row) in state.wallets(of: chain) where row.wallet.network == network {
            for known in unsettled(of: id, in: state, among: older, apartFrom: seen)
            where seen.insert(known.outpoint).inserted {
                guard let now = standing(known, spent) else {
                    removed.append(known.outpoint)
                    continue
                }
                if now != known { changed.append(now) }
            }
        }
        return OutputChanges(changed: changed, removed: removed)
    }

    /// Whether a transaction is set aside, so that the answer says neither that it is there nor
    /// that it is not.
    private func isUnclear(_ txid: Bytes?) -> Bool {
        guard let txid, !setAside.isEmpty else { return false }
        return setAside.contains { $0.txid == txid }
    }

    /// The spends with a valid signature, by outpoint.
    private var provenSpends: [Outpoint: Spend] {
        var proven = [Outpoint: Spend](minimumCapacity: spends.count)
        for spend in spends where spend.script != nil && proven[spend.outpoint] == nil {
            proven[spend.outpoint] = spend
        }
        return proven
    }

    /// Returns an output of ours that the answer calls spent without a signature of its key.
    ///
    /// No honest node has such a transaction in a block or in its mempool. A node that reports one
    /// wants us to pay with another coin while the first payment can still be mined.
    package func unprovenSpend(in state: State) -> Outpoint? {
        guard chain.rules.ledger == .outputs else { return nil }
        var listed = [Outpoint: Bytes](minimumCapacity: outputs.count)
        for output in outputs where listed[output.outpoint] == nil {
            listed[output.outpoint] = output.script
        }
        let ahead = Set(ahead)
        let wallets = state.wallets(of: chain).filter { $0.row.wallet.network == network }
        return spends.first { spend in
            if let script = listed[spend.outpoint], script != spend.script,
                ahead.contains(script) || state.owner(of: script, chain, network) != nil
            {
                return true
            }
            // Recorded spends were checked before; checking them again would be slow in large
            // wallets.
            if isRecorded(spend, state) { return false }
            return wallets.contains { wallet in
                state.output(spend.outpoint, of: wallet.id).map { $0.script != spend.script }
                    ?? false
            }
        }?.outpoint
    }

    /// Whether the same spend of an output of ours is recorded.
    private func isRecorded(_ spend: Spend, _ state: State) -> Bool {
        guard let script = spend.script, let owner = state.owner(of: script, chain, network)
        else { return false }
        let isSame = state.spentOutputs.read(OutputKey(owner.wallet, spend.outpoint)) { row in
            row.output.script == script && row.output.spentBy == spend.spender
        }
        return isSame == true
    }

    /// The recorded outputs that the answer can change without listing them.
    ///
    /// If the answer continues from the last tip, these are few; `older` are those that it calls
    /// spent.
    private func unsettled(
        of wallet: WalletID, in state: State, among older: [Outpoint],
        apartFrom seen: Set<Outpoint>
    ) -> [ChainObserved.Output] {
        guard since > 0, since - 1 == state.chain(chain, network).height
        else { return state.outputs(of: wallet).map(\.output) }
        let unconfirmed = state.unconfirmed.keys(.first(wallet)).map(\.second)
        return (unconfirmed + older).filter { !seen.contains($0) }
            .compactMap { state.output($0, of: wallet) }
    }

    /// The current state of a recorded output that the answer does not list; nil if it no longer
    /// exists.
    private func standing(_ known: ChainObserved.Output, _ spent: [Outpoint: Spend])
        -> ChainObserved.Output?
    {
        if isUnclear(known.outpoint.displayed) { return known }
        if spent[known.outpoint] == nil, isUnclear(known.spentBy) { return known }
        // Of older blocks, the answer lists only what has changed.
        guard let height = known.height, height < since else {
            return known.spentBy == nil ? nil : known.outOfSight.spent(by: spent[known.outpoint])
        }
        if let spend = spent[known.outpoint] { return known.spent(by: spend) }
        if let spentHeight = known.spentHeight, spentHeight < since { return known }
        return known.unspent
    }
}

extension ChainObserved {
    /// The blocks of its transactions, of its outputs and of what spends them.
    fileprivate var heights: Set<UInt64> {
        Set(transactions.compactMap(\.height)).union(outputs.compactMap(\.height))
            .union(outputs.compactMap(\.spentHeight))
    }

    /// Moves removed and changed outputs into the event until it is full.
    fileprivate mutating func moveOutputs(
        _ gone: inout ArraySlice<Outpoint>, _ changed: inout ArraySlice<Output>
    ) {
        removed = Array(gone.prefix(max(ChainSnapshot.itemsPerEvent - transactions.count, 0)))
        gone = gone.dropFirst(removed.count)
        while let next = changed.first {
            let used = transactions.count + removed.count + outputs.count
            let most =
                used == 0
                ? ChainSnapshot.outputsOfOneTransaction : ChainSnapshot.itemsPerEvent - used
            let txid = next.outpoint.txid
            let together = changed.prefix { $0.outpoint.txid == txid }
            guard used == 0 || together.count <= most else { break }
            outputs += together.prefix(most)
            changed = changed.dropFirst(min(together.count, most))
        }
    }
}

extension ChainObserved.Output {
    fileprivate func spent(by spend: ChainSnapshot.Spend?) -> Self {
        guard let spend, spend.script == script else { return self }
        var output = self
        output.spentBy = spend.spender
        output.spentHeight = spend.height
        return output
    }

    /// Keeps a recorded spend in one of these blocks, if no spend is known.
    ///
    /// An answer that lists an old output and not its spend has left the spend out.
    fileprivate mutating func keepSpend(of known: Self, in blocks: PartialRangeUpTo<UInt64>) {
        guard spentBy == nil, let height = known.spentHeight, blocks.contains(height)
        else { return }
        spentBy = known.spentBy
        spentHeight = height
    }

    /// The output without its block.
    ///
    /// Its spending transaction is kept, because it may have to be sent again.
    fileprivate var outOfSight: Self {
        var output = self
        output.height = nil
        output.spentHeight = nil
        return output
    }

    fileprivate var unspent: Self {
        var output = self
        output.spentBy = nil
        output.spentHeight = nil
        return output
    }
}
