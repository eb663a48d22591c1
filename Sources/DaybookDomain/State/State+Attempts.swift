import DaybookChains
import DaybookEncoding

/// An earlier attempt of a payment, and the id of its transaction, as displayed.
struct Attempt {
    let txid: Bytes
    let row: AttemptRow
    let chain: Chain
    let network: Network
}

/// Which earlier attempts of a payment may still be executed, and what excludes them.
extension State {
    /// The attempts on record under any of some terms, by their transactions' ids.
    func attempts(of terms: [Bytes], _ chain: Chain, _ network: Network) -> [Attempt] {
        terms.flatMap { terms in
            attemptsByTerms.rows(.first(KeyDigest(terms))).compactMap { key, _ in
                attempt(key.second.bytes, chain, network)
            }
        }
    }

    func attempt(_ txid: Bytes, _ chain: Chain, _ network: Network) -> Attempt? {
        let row = attempts[TransactionKey(chain, network, txid)]
        return row.map { Attempt(txid: txid, row: $0, chain: chain, network: network) }
    }

    /// Whether a block has the attempt's transaction.
    func isExecuted(_ attempt: Attempt) -> Bool {
        let row = transactions[TransactionKey(attempt.chain, attempt.network, attempt.txid)]
        return row?.height != nil
    }

    /// Whether nothing shows that the network will never execute an attempt.
    ///
    /// The word of a node is no proof. On Dash and Axe a proof is another transaction that spends
    /// a coin of the attempt and lies so deep in the chain that it stays there. On ICON an attempt
    /// goes from the record when its time has passed and no block has it.
    func isOpen(_ attempt: Attempt) -> Bool {
        if isExecuted(attempt) { return false }
        let tip = chain(attempt.chain, attempt.network).height
        return !conflicts(of: lineage(of: attempt)).contains { rival in
            guard let height = rival.height, height <= tip else { return false }
            return tip - height + 1 >= RelayPolicy.finalConfirmations
        }
    }

    /// Coins of which each open attempt can only be executed if the payment that spends them
    /// can't; nil if an attempt can't be excluded with the coins that there are.
    func coins(
        excluding attempts: [Attempt], of candidates: [Coin]
    ) -> [Outpoint]? {
        var chosen: [Outpoint] = []
        for attempt in attempts where isOpen(attempt) {
            let excluding = outpoints(excluding: attempt)
            if chosen.contains(where: excluding.contains) { continue }
            let usable = candidates.filter { $0.isMature && excluding.contains($0.outpoint) }
            let largest = usable.max { left, right in
                left.amount == right.amount
                    ? right.outpoint < left.outpoint : left.amount < right.amount
            }
            guard let largest else { return nil }
            chosen.append(largest.outpoint)
        }
        return chosen
    }

    /// The outputs that no valid chain lets be spent beside the attempt: what it spends itself, and
    /// what transactions made that spend the same.
    private func outpoints(excluding attempt: Attempt) -> Set<Outpoint> {
        let lineage = lineage(of: attempt)
        var found = Set(lineage.inputs)
        var spenders = conflicts(of: lineage).map(\.txid)
        var seen: Set<Bytes> = []
        while let spender = spenders.popLast() {
            guard seen.insert(spender).inserted else { continue }
            for (id, _) in wallets(of: attempt.chain) {
                for row in outputs(of: id, madeBy: spender) {
                    found.insert(row.output.outpoint)
                    if let next = row.output.spentBy { spenders.append(next) }
                }
            }
        }
        return found
    }

    /// An attempt and those whose outputs it spends: without them it can't be executed either.
    private struct Lineage {
        let chain: Chain
        var inputs: [Outpoint] = []
        var txids: Set<Bytes> = []
    }

    private func lineage(of attempt: Attempt) -> Lineage {
        var lineage = Lineage(chain: attempt.chain)
        var waiting = [attempt]
        while let next = waiting.popLast() {
            guard lineage.txids.insert(next.txid).inserted else { continue }
            lineage.inputs += next.row.inputs
            waiting += next.row.inputs.compactMap {
                self.attempt($0.displayed, attempt.chain, attempt.network)
            }.filter { !isExecuted($0) }
        }
        return lineage
    }

    /// The transactions that spend what a lineage spends, and the blocks that have them.
    private func conflicts(of lineage: Lineage) -> [(txid: Bytes, height: UInt64?)] {
        wallets(of: lineage.chain).flatMap { wallet in
            lineage.inputs.compactMap { outpoint in
                guard let spent = spentOutputs[OutputKey(wallet.id, outpoint)],
                    let spender = spent.output.spentBy, !lineage.txids.contains(spender)
                else { return nil }
                return (spender, spent.output.spentHeight)
            }
        }
    }
}
