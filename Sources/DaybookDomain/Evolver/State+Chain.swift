import DaybookChains
import DaybookEncoding

extension State {
    mutating func evolve(_ data: ChainObserved, _ event: Event) {
        var chain: ChainRow = get(Key.chain(data.chain, data.network)) ?? ChainRow()
        let isLower = data.height.map { $0 < chain.height } ?? false
        if let height = data.height { chain.height = height }
        if let tip = data.tip { chain.tip = tip }
        if let identity = data.identity { chain.identity = identity }
        if let feeRate = data.feeRate { chain.feeRate = feeRate }
        if let instantSend = data.instantSend { chain.instantSend = instantSend }
        if let steps = data.steps { chain.steps = steps }
        put(Key.chain(data.chain, data.network), chain)
        if isLower { noteUnconfirmed(on: data.chain) }
        if data.tip != nil { noteAsked(on: data.chain, data.network) }
        // No amount has more decimals; who says so would have prompts show anything.
        for token in data.tokens where token.decimals <= Self.mostDecimals {
            let key = Key.token(data.network, token.contract)
            let first = get(key) ?? TokenRow(symbol: token.symbol, decimals: token.decimals)
            put(key, first.hearing(symbol: token.symbol, decimals: token.decimals))
        }
        if data.chain == .icon { forgetAttempts(data, at: event.time) }
        for outpoint in data.vanished { vanish(outpoint) }
        for output in data.outputs { take(output, data, chain.height) }
        if data.height != nil, data.chain != .icon { mature(data, chain.height) }
        if let estimate = data.estimate, let id = event.request {
            update(Key.request(id)) { (row: inout RequestRow) in row.estimate = estimate }
        }
    }

    /// The most decimals with which one whole coin still is an amount.
    static let mostDecimals: UInt64 = 77

    /// Coins came in on a chain that shows balances only, or a paying transaction is now known.
    mutating func evolve(_ data: PaymentReceived, _ event: Event) {
        guard let wallet: WalletRow = get(Key.wallet(data.wallet)) else { return }
        let (chain, network) = (wallet.wallet.chain, wallet.wallet.network)
        if let txid = data.txid {
            let key = Key.transaction(chain, network, txid)
            put(key, TransactionRow(wallet: data.wallet, request: nil))
            put(Key.followed(chain, network, txid), PointerRow(position: event.position))
        } else {
            move(
                data.amount, of: data.asset, from: .world(chain, network),
                to: .wallet(data.wallet, .confirmedFree))
        }
        put(
            Key.history(data.wallet, event.position),
            HistoryRow(
                kind: .received, time: event.time, asset: data.asset, amount: data.amount,
                txid: data.txid))
    }

    mutating func evolve(_ data: PaymentMade, _ event: Event) {
        guard let wallet: WalletRow = get(Key.wallet(data.wallet)) else { return }
        spend(data.amount, of: data.asset, by: data.wallet, wallet.wallet)
        put(
            Key.history(data.wallet, event.position),
            HistoryRow(kind: .sent, time: event.time, asset: data.asset, amount: data.amount))
    }

    // MARK: - Outputs

    private mutating func take(
        _ output: ChainObserved.Output, _ data: ChainObserved, _ height: UInt64
    ) {
        guard let owner = owner(of: output.script, data.chain, data.network) else { return }
        markUsed(owner.address, of: owner.wallet)
        let outpoint = output.outpoint
        let key = Key.output(owner.wallet, outpoint)
        let spentKey = Key.spent(owner.wallet, outpoint)
        let transaction: TransactionRow? = get(
            Key.transaction(data.chain, data.network, outpoint.displayed))
        let old: OutputRow? = get(key)
        var new = OutputRow(
            output: output, address: owner.address, reservedBy: old?.reservedBy,
            isOurs: transaction?.request != nil)
        if old == nil { new.reservedBy = takeReservation(of: outpoint, in: owner.wallet) }
        let matures = output.height.map { Self.maturing(minedAt: $0) }
        new.isMature = matures.map { $0 <= height } ?? false
        settle(old, new, in: owner.wallet)
        remove(output.spentBy == nil ? spentKey : key)
        put(output.spentBy == nil ? key : spentKey, new)
        noteUnconfirmed(output, of: owner.wallet, at: height)
        if output.coinbase, let matures, matures > height {
            put(
                Key.immature(owner.wallet, matures, outpoint),
                PointerRow(position: owner.wallet))
        }
    }

    /// Takes back what a transaction of ours that the network will not have spent and made.
    ///
    /// By the first rules that waited for the next look, and a payment before it could be made of
    /// coins that will never be.
    mutating func withdraw(_ row: RequestRow) {
        guard engine >= 2, let txid = row.txid, let prepared = row.prepared,
            let owner = wallet(prepared.wallet)?.wallet
        else { return }
        let tip = chain(owner.chain, owner.network).height
        for outpoint in prepared.inputs.compactMap(\.outpoint) {
            let key = Key.spent(prepared.wallet, outpoint)
            guard let spent: OutputRow = get(key), spent.output.spentBy == txid,
                spent.output.spentHeight == nil
            else { continue }
            var free = spent
            free.output.spentBy = nil
            settle(spent, free, in: prepared.wallet)
            remove(key)
            put(Key.output(prepared.wallet, outpoint), free)
            noteUnconfirmed(free.output, of: prepared.wallet, at: tip)
        }
        for (id, _) in wallets(of: owner.chain) {
            for row in outputs(of: id, madeBy: txid) where row.output.height == nil {
                vanish(row.output.outpoint)
            }
        }
    }

    private mutating func vanish(_ outpoint: Outpoint) {
        for (walletKey, _) in list(Key.wallets, WalletRow.self) {
            let wallet = Key.lastNumber(walletKey)
            remove(Key.spent(wallet, outpoint))
            remove(Key.unconfirmed(wallet, outpoint))
            let key = Key.output(wallet, outpoint)
            guard let row: OutputRow = get(key) else { continue }
            settle(row, nil, in: wallet)
            remove(key)
            if let request = row.reservedBy, engine >= 2 {
                put(Key.reserved(wallet, outpoint), PointerRow(position: request))
            }
        }
    }

    /// The request that holds back an output which was gone, or spent, until now.
    ///
    /// By the first rules it was free again, and two open payments could come to spend it.
    private mutating func takeReservation(of outpoint: Outpoint, in wallet: UInt64) -> UInt64? {
        let key = Key.reserved(wallet, outpoint)
        if let gone: PointerRow = get(key) {
            remove(key)
            return gone.position
        }
        let spent: OutputRow? = get(Key.spent(wallet, outpoint))
        guard let request = spent?.reservedBy, engine >= 2 else { return nil }
        return request
    }

    /// A coinbase output can be spent in the block that is this much higher than its own.
    package static let maturity: UInt64 = UInt64(RelayPolicy.coinbaseMaturity) - 1

    private static func maturing(minedAt height: UInt64) -> UInt64 {
        let (sum, isBeyondAllBlocks) = height.addingReportingOverflow(maturity)
        return isBeyondAllBlocks ? .max : sum
    }

    /// Frees the coinbase outputs that the new tip lets be spent.
    private mutating func mature(_ data: ChainObserved, _ height: UInt64) {
        for (walletKey, wallet) in list(Key.wallets, WalletRow.self)
        where wallet.wallet.chain == data.chain && wallet.wallet.network == data.network {
            let id = Key.lastNumber(walletKey)
            while let due = scan(prefix: Key.immature(id), limit: 1).first {
                let prefix = Key.immature(id).count
                let matures: UInt64 = BigEndian.number(due.key[prefix..<(prefix + 8)])
                guard matures <= height else { break }
                remove(due.key)
                let key = Key.outputs(id) + due.key[(prefix + 8)...]
                change(outputAt: key, of: id) { $0.isMature = true }
            }
        }
    }

    /// Changes an output's row, if there is one, and the balance with it.
    mutating func change(
        outputAt key: Bytes, of wallet: UInt64, _ change: (inout OutputRow) -> Void
    ) {
        guard let old: OutputRow = get(key) else { return }
        var new = old
        change(&new)
        settle(old, new, in: wallet)
        put(key, new)
    }

    /// Moves an output's amount from the part of the balance where it was to where it now is.
    private mutating func settle(_ old: OutputRow?, _ new: OutputRow?, in wallet: UInt64) {
        guard let owner: WalletRow = get(Key.wallet(wallet)),
            let parameters = UTXOParameters.of(owner.wallet.chain, owner.wallet.network)
        else { return }
        let coin = parameters.coinName
        let world = Account.world(owner.wallet.chain, owner.wallet.network)
        let before = old?.part.map { Account.wallet(wallet, $0) } ?? world
        let after = new?.part.map { Account.wallet(wallet, $0) } ?? world
        let amounts = (old: UInt256(old?.output.amount ?? 0), new: UInt256(new?.output.amount ?? 0))
        if let old, let new, old.output.amount != new.output.amount {
            // No chain changes an amount, but a node can say so: what it says now counts.
            move(amounts.old, of: coin, from: before, to: world)
            move(amounts.new, of: coin, from: world, to: after)
        } else {
            move(max(amounts.old, amounts.new), of: coin, from: before, to: after)
        }
    }
}

extension OutputRow {
    /// The part of the balance that it counts in; nil once a transaction spends it.
    var part: BalanceRow.Part? {
        guard output.spentBy == nil else { return nil }
        let isConfirmed = output.height != nil
        if reservedBy != nil { return isConfirmed ? .confirmedReserved : .unconfirmedReserved }
        if isConfirmed { return output.coinbase && !isMature ? .confirmedHeld : .confirmedFree }
        return isOurs ? .unconfirmedFree : .unconfirmedHeld
    }
}
