import DaybookChains
import DaybookEncoding

/// Finds the unconfirmed transactions that a coin depends on, for the limits of nodes' mempools.
///
/// Each transaction is read once for one selection of coins, and only if a coin that no block has
/// could be spent. Walks end above the limit, so that the cost is bounded in any log.
struct UnconfirmedChains {
    private let chain: Chain
    private let network: Network
    /// The wallets that can have spent an output; read when the first one is looked for.
    private var wallets: [WalletID]?
    /// A transaction of the wallets' own that does not count, because no node has it.
    private let leftOut: Bytes?
    private var packages: [TransactionID: MempoolPackage] = [:]
    private var counted: [TransactionID: MempoolPackage.Member] = [:]
    /// Each transaction is looked up once: the ancestors of a coin share their descendants.
    private var known: [TransactionID: Links] = [:]

    private struct Links {
        let size: UInt64
        /// The unconfirmed transactions that spend its outputs.
        let children: [TransactionID]
    }

    init(_ chain: Chain, _ network: Network, leavingOut txid: Bytes? = nil) {
        self.chain = chain
        self.network = network
        leftOut = txid
    }

    /// The unconfirmed transactions that spending an output of one depends on, with itself.
    mutating func package(of txid: TransactionID, _ state: State) -> MempoolPackage {
        if let known = packages[txid] { return known }
        var found: [TransactionID] = []
        var waiting = [txid]
        while found.count <= RelayPolicy.ancestorLimit, let next = waiting.popLast() {
            guard !found.contains(next) else { continue }
            found.append(next)
            waiting += parents(of: next, state)
        }
        let package = MempoolPackage(found.map { member($0, state) })
        packages[txid] = package
        return package
    }

    /// The oldest request of ours whose transaction is in a package.
    func first(of package: MempoolPackage, _ state: State) -> RequestID? {
        package.members.compactMap {
            state.request(signing: $0.txid.displayed, chain, network)
        }.min { left, right in
            let times = [left, right].map { state.request($0)?.decided ?? 0 }
            return times[0] == times[1] ? left < right : times[0] < times[1]
        }
    }

    /// A transaction with the size of itself and of its descendants.
    private mutating func member(_ txid: TransactionID, _ state: State) -> MempoolPackage.Member {
        if let known = counted[txid] { return known }
        var found: [TransactionID] = []
        var waiting = [txid]
        var size: UInt64 = 0
        while found.count <= RelayPolicy.ancestorLimit, let next = waiting.popLast() {
            guard !found.contains(next) else { continue }
            found.append(next)
            let links = links(of: next, state)
            size += links.size
            waiting += links.children
        }
        let member = MempoolPackage.Member(
            txid, size: links(of: txid, state).size, descendants: found.count,
            descendantSize: size)
        counted[txid] = member
        return member
    }

    /// The unconfirmed transactions whose outputs a transaction of ours spends.
    private func parents(of txid: TransactionID, _ state: State) -> [TransactionID] {
        guard let payment = payment(txid, state) else { return [] }
        return payment.inputs.filter { outpoint in
            if let row = request(signing: outpoint.txid, state) {
                return state.transaction(of: row)?.height == nil
            }
            let coin = state.output(outpoint, of: payment.wallet)
            return coin.map { $0.height == nil } ?? false
        }.map(\.txid)
    }

    private mutating func links(of txid: TransactionID, _ state: State) -> Links {
        if let known = known[txid] { return known }
        let links = Links(size: size(of: txid, state), children: children(of: txid, state))
        known[txid] = links
        return links
    }

    /// The unconfirmed transactions that spend outputs of a transaction.
    private mutating func children(of txid: TransactionID, _ state: State) -> [TransactionID] {
        let owners = wallets
            ?? state.wallets(of: chain).filter { $0.row.wallet.network == network }.map(\.id)
        wallets = owners
        let made = owners.flatMap { state.outputs(of: $0, madeBy: txid.displayed) }
        return made.compactMap { row in
            guard row.output.spentHeight == nil else { return nil }
            let spender = row.output.spentBy
                ?? row.reservedBy.flatMap { state.request($0)?.txid }
            return spender == leftOut ? nil : spender.flatMap { TransactionID(displayed: $0) }
        }
    }

    /// The maximum size of a transaction; one of others counts as an ordinary payment.
    private func size(of txid: TransactionID, _ state: State) -> UInt64 {
        guard let row = request(signing: txid, state), let payment = row.payment else {
            let outputs = [RelayPolicy.p2pkhOutput, RelayPolicy.p2pkhOutput]
            return RelayPolicy.maximumBytes(inputs: 1, outputs: outputs)
        }
        return row.size(of: payment, on: chain)
    }

    private func payment(_ txid: TransactionID, _ state: State) -> PaymentSummary? {
        request(signing: txid, state)?.payment
    }

    private func request(signing txid: TransactionID, _ state: State) -> RequestRow? {
        state.request(signing: txid.displayed, chain, network).flatMap { state.request($0) }
    }
}

extension RequestRow {
    /// The maximum size of its transaction, with change.
    func size(of payment: PaymentSummary, on chain: Chain) -> UInt64 {
        var outputs = [RelayPolicy.p2pkhOutput]
        if case .pay(let address, _, _) = request?.action,
            let script = UTXOAddress(address, chain: chain)?.scriptPubKey
        {
            outputs.append(UTXOTransaction.Output(amount: 0, script: script))
        }
        return RelayPolicy.maximumBytes(inputs: payment.inputs.count, outputs: outputs)
    }
}
