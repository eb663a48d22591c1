import DaybookChains
import DaybookEncoding

/// Finds the unconfirmed transactions that a coin depends on, for the limits of nodes' mempools.
///
/// Each transaction is read once for one selection of coins, and only if a coin that no block has
/// could be spent. Walks end above the limit, so that the cost is bounded in any log.
struct UnconfirmedChains {
    private let chain: Chain
    private let network: Network
    /// A transaction of the wallets' own that does not count, because no node has it.
    private let leftOut: Bytes?
    private var packages: [TransactionID: MempoolPackage] = [:]
    /// The transactions that were met, each with those that spend its outputs.
    private var links: [Link] = []
    private var places: [TransactionID: Int] = [:]
    /// Whether the spenders were read, which is done when the first one is looked for.
    private var hasSpenders = false

    private struct Link {
        let txid: TransactionID
        /// Read when it is first needed.
        var facts: Facts?
        /// The places of the unconfirmed transactions that spend its outputs.
        var children: [Int] = []
    }

    /// A transaction's part of a package; `spent` is empty for one of others.
    fileprivate struct Facts {
        var spent: [Outpoint] = []
        var payer: WalletID?
        var isOurs = false
        /// Whether a block has it; known of ours alone.
        var isConfirmed = false
        /// The maximum size.
        var size: UInt64
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
        readSpenders(state)
        let start = place(of: txid)
        var isFound = Array(repeating: false, count: links.count)
        var waiting = [start]
        var (count, size): (Int, UInt64) = (0, 0)
        while count <= RelayPolicy.ancestorLimit, let next = waiting.popLast() {
            if isFound[next] { continue }
            isFound[next] = true
            count += 1
            size += facts(at: next, state).size
            waiting += links[next].children
        }
        return MempoolPackage.Member(
            txid, size: facts(at: start, state).size, descendants: count, descendantSize: size)
    }

    private mutating func place(of txid: TransactionID) -> Int {
        if let known = places[txid] { return known }
        links.append(Link(txid: txid))
        places[txid] = links.count - 1
        return links.count - 1
    }

    /// The unconfirmed transactions whose outputs a transaction of ours spends.
    private mutating func parents(of txid: TransactionID, _ state: State) -> [TransactionID] {
        let child = facts(at: place(of: txid), state)
        var parents: [TransactionID] = []
        for outpoint in child.spent {
            let parent = facts(at: place(of: outpoint.txid), state)
            let isUnconfirmed = parent.isOurs
                ? !parent.isConfirmed
                : child.payer.flatMap { state.output(outpoint, of: $0) }.map { $0.height == nil }
            if isUnconfirmed == true { parents.append(outpoint.txid) }
        }
        return parents
    }

    /// Notes the spenders of outputs that no block has, or that no block shows as spent: a spender
    /// of any other output has no unconfirmed parent in it.
    private mutating func readSpenders(_ state: State) {
        if hasSpenders { return }
        hasSpenders = true
        for (wallet, row) in state.wallets(of: chain) where row.wallet.network == network {
            for key in state.unconfirmed.keys(.first(wallet)) {
                guard let row = state.outputs[key] ?? state.spentOutputs[key],
                    row.output.spentHeight == nil,
                    let spender = row.output.spentBy
                        ?? row.reservedBy.flatMap({ state.request($0)?.txid }),
                    spender != leftOut, let child = TransactionID(displayed: spender)
                else { continue }
                let parent = place(of: key.second.txid)
                let spending = place(of: child)
                links[parent].children.append(spending)
            }
        }
    }

    private mutating func facts(at place: Int, _ state: State) -> Facts {
        if let known = links[place].facts { return known }
        let txid = links[place].txid.displayed
        let own = state.request(signing: txid, chain, network).flatMap { id in
            state.requests.read(id) { Facts($0, on: chain, state) }
        }
        // A transaction of others counts as an ordinary payment.
        let facts = own ?? Facts(size: Self.ordinary)
        links[place].facts = facts
        return facts
    }

    /// The maximum size of a payment of one coin, with change.
    fileprivate static let ordinary = RelayPolicy.maximumBytes(
        inputs: 1, outputs: [RelayPolicy.p2pkhOutput, RelayPolicy.p2pkhOutput])
}

extension UnconfirmedChains.Facts {
    /// A transaction that a request of ours signed.
    init(_ row: RequestRow, on chain: Chain, _ state: State) {
        isOurs = true
        isConfirmed = state.transaction(of: row)?.height != nil
        size = row.payment.map { row.size(of: $0, on: chain) } ?? UnconfirmedChains.ordinary
        (spent, payer) = (row.payment?.inputs ?? [], row.payment?.wallet)
    }
}

extension RequestRow {
    /// The maximum size of its transaction, with change.
    func size(of payment: PaymentSummary, on chain: Chain) -> UInt64 {
        var outputs = [RelayPolicy.p2pkhOutput]
        if case .pay(let address, _, _) = request?.action,
            let script = UTXOAddress(parsedBefore: address, chain: chain)?.scriptPubKey
        {
            outputs.append(UTXOTransaction.Output(amount: 0, script: script))
        }
        return RelayPolicy.maximumBytes(inputs: payment.inputs.count, outputs: outputs)
    }
}
