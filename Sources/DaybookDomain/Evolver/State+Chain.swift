import DaybookChains
import DaybookEncoding

extension State {
    mutating func evolve(_ data: ChainObserved, _ event: Event) {
        var chain: ChainRow = chains[ChainID(data.chain, data.network)] ?? ChainRow()
        let isLower = data.height.map { $0 < chain.height } ?? false
        if let height = data.height { chain.height = height }
        if let tip = data.tip { chain.tip = tip }
        if let identity = data.identity { chain.identity = identity }
        if let feeRate = data.feeRate { chain.feeRate = feeRate }
        if let isEstimated = data.isFeeEstimated { chain.lacksFeeEstimate = !isEstimated }
        if let instantSend = data.instantSend { chain.instantSend = instantSend }
        if let fees = data.iconFees { chain.iconFees = fees }
        if let setAside = data.setAside { chain.setAside = setAside }
        if data.tip != nil, event.request == nil { chain.outage = nil }
        if data.isWhole { chain.compared = chain.height }
        chains[ChainID(data.chain, data.network)] = chain
        if isLower { noteUnconfirmed(on: data.chain) }
        if data.tip != nil { markAsked(on: data.chain, data.network) }
        // An amount has at most 77 digits: with more decimals a node could make prompts show any
        // amount.
        for token in data.tokens where token.decimals <= State.maxDecimals {
            let key = TokenKey(data.network, token.contract)
            let first = tokens[key] ?? TokenRow(symbol: token.symbol, decimals: token.decimals)
            tokens[key] = first.updated(symbol: token.symbol, decimals: token.decimals)
        }
        if data.chain.rules.ledger == .accounts { forgetAttempts(data, at: event.time) }
        for outpoint in data.removed { removeOutput(outpoint) }
        for output in data.outputs { apply(output, from: data, at: chain.height) }
        if data.height != nil, data.chain.rules.ledger == .outputs { mature(data, chain.height) }
        if let estimate = data.estimate, let id = event.request {
            requests.update(id) { row in row.estimate = estimate }
        }
    }

    /// Notes that a scan failed; a request that lacked an answer says nothing of the scans.
    mutating func evolve(_ data: ChainUnavailable, _ event: Event) {
        guard event.request == nil else { return }
        var chain = chain(data.chain, data.network)
        var outage = chain.outage
            ?? .init(lastRead: data.lastRead, since: event.time, reason: data.reason)
        outage.reason = data.reason
        chain.outage = outage
        chains[ChainID(data.chain, data.network)] = chain
    }

    /// The most decimals with which one whole unit still fits a 256-bit amount.
    static let maxDecimals: UInt64 = 77

    /// Records an incoming payment.
    ///
    /// On ICON it changes the balance; on Dash and Axe its transaction is followed from now on.
    mutating func evolve(_ data: PaymentReceived, _ event: Event) {
        guard let owner = chainID(of: data.wallet) else { return }
        let (chain, network) = (owner.chain, owner.network)
        if let txid = data.txid {
            transactions[TransactionKey(chain, network, txid)] = TransactionRow(
                wallet: data.wallet, request: nil)
            followed[TransactionKey(chain, network, txid)] = PointerRow(event.position)
        } else {
            move(
                data.amount, of: data.asset, from: .external(chain, network),
                to: .wallet(data.wallet, .confirmedFree))
            note(SignedAmount(data.amount), of: data.asset, in: data.wallet, by: nil)
        }
    }

    mutating func evolve(_ data: PaymentMade) {
        guard let wallet = wallets[data.wallet] else { return }
        spend(data.amount, of: data.asset, by: data.wallet, wallet.wallet, in: nil, at: nil)
    }

    // MARK: - Outputs

    private mutating func apply(
        _ output: ChainObserved.Output, from data: ChainObserved, at height: UInt64
    ) {
        guard let owner = owner(of: output.script, data.chain, data.network) else { return }
        markUsed(owner.address, of: owner.wallet)
        let outpoint = output.outpoint
        let key = OutputKey(owner.wallet, outpoint)
        let transaction = transactions[TransactionKey(data.chain, data.network, outpoint.displayed)]
        let old = outputs[key]
        let wasSound = (old ?? spentOutputs[key])?.isSound ?? false
        let request = transaction?.request
        var new = OutputRow(
            output: output, address: owner.address, reservedBy: old?.reservedBy,
            isOurs: request.map { output.height != nil || hasCoins($0) } ?? false)
        if old == nil { new.reservedBy = removeReservation(of: outpoint, in: owner.wallet) }
        new.isFrozen = frozen.contains(key)
        let matures = output.height.map { Self.maturing(minedAt: $0) }
        new.isMature = matures.map { $0 <= height } ?? false
        settle(old ?? spentOutputs[key], new, in: owner.wallet)
        if output.spentBy == nil {
            spentOutputs[key] = nil
            outputs[key] = new
        } else {
            outputs[key] = nil
            spentOutputs[key] = new
        }
        if let spender = new.reservedBy, new.isSound != wasSound {
            reconsiderOutputs(of: spender)
        }
        noteUnconfirmed(output, of: owner.wallet, at: height)
        if output.coinbase, let matures, matures > height {
            immature[MaturityKey(owner.wallet, Pair(matures, outpoint))] = PointerRow(owner.wallet)
        }
    }

    /// Undoes an unconfirmed transaction of ours, because the network will not have it.
    ///
    /// The coins that it spends become unspent again, and the outputs that it made are removed.
    mutating func revertSpend(_ row: RequestRow) {
        guard let txid = row.txid, let payment = row.payment,
            let owner = wallet(payment.wallet)?.wallet
        else { return }
        let tip = chain(owner.chain, owner.network).height
        for outpoint in payment.inputs {
            let key = OutputKey(payment.wallet, outpoint)
            guard let spent = spentOutputs[key], spent.output.spentBy == txid,
                spent.output.spentHeight == nil
            else { continue }
            var free = spent
            free.output.spentBy = nil
            settle(spent, free, in: payment.wallet)
            spentOutputs[key] = nil
            outputs[key] = free
            noteUnconfirmed(free.output, of: payment.wallet, at: tip)
        }
        for (id, _) in wallets(of: owner.chain) {
            for row in outputs(of: id, madeBy: txid) where row.output.height == nil {
                removeOutput(row.output.outpoint)
            }
        }
    }

    private mutating func removeOutput(_ outpoint: Outpoint) {
        for wallet in wallets.keys() {
            let key = OutputKey(wallet, outpoint)
            if let spent = spentOutputs[key] { settle(spent, nil, in: wallet) }
            spentOutputs[key] = nil
            unconfirmed[key] = nil
            guard let row = outputs[key] else { continue }
            settle(row, nil, in: wallet)
            outputs[key] = nil
            if let request = row.reservedBy {
                reserved[key] = PointerRow(request)
                reconsiderOutputs(of: request)
            }
        }
    }

    /// Whether each coin that a request's transaction spends is in a block, or is change of ours
    /// of which the same holds.
    ///
    /// A reorganization can take a coin away; then the change of what spends it can't be spent.
    private func hasCoins(_ id: RequestID) -> Bool {
        guard let payment = request(id)?.payment else { return true }
        return payment.inputs.allSatisfy { outpoint in
            let key = OutputKey(payment.wallet, outpoint)
            return (spentOutputs[key] ?? outputs[key])?.isSound ?? false
        }
    }

    /// Marks whether the unconfirmed outputs of a request's transaction can be spent, and those of
    /// the transactions that spend them.
    private mutating func reconsiderOutputs(of id: RequestID) {
        var next = [id]
        while let id = next.popLast() {
            guard let row = request(id), let txid = row.txid, let payment = row.payment,
                let owner = chainID(of: payment.wallet)
            else { continue }
            let isOurs = hasCoins(id)
            for (wallet, _) in wallets(of: owner.chain) {
                for output in outputs(of: wallet, madeBy: txid)
                where output.output.height == nil && output.isOurs != isOurs {
                    let outpoint = output.output.outpoint
                    change(outpoint, of: wallet, in: \.outputs) { $0.isOurs = isOurs }
                    change(outpoint, of: wallet, in: \.spentOutputs) { $0.isOurs = isOurs }
                    if let spender = output.reservedBy { next.append(spender) }
                }
            }
        }
    }

    /// Removes and returns the reservation of an output that was removed or spent until now.
    private mutating func removeReservation(
        of outpoint: Outpoint, in wallet: WalletID
    ) -> RequestID? {
        let key = OutputKey(wallet, outpoint)
        if let gone = reserved[key] {
            reserved[key] = nil
            return gone.target
        }
        return spentOutputs[key]?.reservedBy
    }

    /// How many blocks after its own block a coinbase output can be spent.
    package static let maturity: UInt64 = UInt64(RelayPolicy.coinbaseMaturity) - 1

    private static func maturing(minedAt height: UInt64) -> UInt64 {
        let (sum, isBeyondAllBlocks) = height.addingReportingOverflow(maturity)
        return isBeyondAllBlocks ? .max : sum
    }

    /// Marks the coinbase outputs that can be spent as of the new tip.
    private mutating func mature(_ data: ChainObserved, _ height: UInt64) {
        for (id, wallet) in wallets.rows()
        where wallet.wallet.chain == data.chain && wallet.wallet.network == data.network {
            while let due = immature.rows(.first(id), limit: 1).first {
                let (matures, outpoint) = (due.key.second.first, due.key.second.second)
                guard matures <= height else { break }
                immature[due.key] = nil
                change(outpoint, of: id, in: \.outputs) { $0.isMature = true }
            }
        }
    }

    /// Freezes or unfreezes coins, and lists those that are frozen: a coin that a reorganization
    /// takes away and brings back is still frozen.
    mutating func freeze(_ coins: [Outpoint], of wallet: WalletID, _ isFrozen: Bool) {
        guard self.wallet(wallet) != nil else { return }
        for outpoint in coins {
            frozen[OutputKey(wallet, outpoint)] = isFrozen ? PointerRow(wallet) : nil
            change(outpoint, of: wallet, in: \.outputs) { $0.isFrozen = isFrozen }
            change(outpoint, of: wallet, in: \.spentOutputs) { $0.isFrozen = isFrozen }
        }
    }

    /// Changes an output's row in `outputs` or `spentOutputs`, if it exists, and updates the
    /// balance.
    mutating func change(
        _ outpoint: Outpoint, of wallet: WalletID,
        in table: WritableKeyPath<State, StateTable<OutputKey, OutputRow>>,
        _ change: (inout OutputRow) -> Void
    ) {
        let key = OutputKey(wallet, outpoint)
        guard let old = self[keyPath: table][key] else { return }
        var new = old
        change(&new)
        settle(old, new, in: wallet)
        self[keyPath: table][key] = new
    }

    /// Moves an output's amount between the parts of the balance when its row changes, and lists
    /// the output among the coins while it can be spent.
    private mutating func settle(_ old: OutputRow?, _ new: OutputRow?, in wallet: WalletID) {
        let listed = old.flatMap { CoinKey($0, in: wallet) }
        let key = new.flatMap { CoinKey($0, in: wallet) }
        if listed != key {
            if let listed { spendable[listed] = nil }
            if let key { spendable[key] = PointerRow(wallet) }
        }
        guard let owner = chainID(of: wallet) else { return }
        let coin = owner.chain.rules.coin.asset
        note(old?.output, new?.output, of: coin, in: wallet)
        let external = LedgerAccount.external(owner.chain, owner.network)
        let before = old?.part.map { LedgerAccount.wallet(wallet, $0) } ?? external
        let after = new?.part.map { LedgerAccount.wallet(wallet, $0) } ?? external
        let amounts = (old: UInt256(old?.output.amount ?? 0), new: UInt256(new?.output.amount ?? 0))
        if let old, let new, old.output.amount != new.output.amount {
            // No chain changes an amount, but a node can claim it: its latest answer counts.
            move(amounts.old, of: coin, from: before, to: external)
            move(amounts.new, of: coin, from: external, to: after)
        } else {
            move(max(amounts.old, amounts.new), of: coin, from: before, to: after)
        }
    }
}

extension OutputRow {
    /// Whether the output is in a block, or is change of ours that can be spent.
    var isSound: Bool { output.height != nil || isOurs }

    /// Whether a payment may spend it now.
    package var isSpendable: Bool { part == .confirmedFree || part == .unconfirmedFree }

    /// The part of the balance that the output counts in; nil once a transaction spends it.
    var part: BalanceRow.Part? {
        guard output.spentBy == nil else { return nil }
        let isConfirmed = output.height != nil
        if reservedBy != nil { return isConfirmed ? .confirmedReserved : .unconfirmedReserved }
        if isFrozen { return isConfirmed ? .confirmedFrozen : .unconfirmedFrozen }
        if isConfirmed { return output.coinbase && !isMature ? .confirmedHeld : .confirmedFree }
        return isOurs ? .unconfirmedFree : .unconfirmedHeld
    }
}
