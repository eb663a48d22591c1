import DaybookChains
import DaybookCrypto
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
        return !conflicts(of: lineage(of: attempt)).contains { conflict in
            guard let height = conflict.height, height <= tip else { return false }
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

extension State {
    /// Whether a request's transaction is an attempt whose coins are held back no longer.
    func isGivenUp(_ row: RequestRow) -> Bool {
        guard let txid = row.txid, let owner = owner(of: row) else { return false }
        return attempt(txid, owner.chain, owner.network)?.row.isGivenUp ?? false
    }

    /// Whether a request's transaction may be executed although the request has ended without it.
    package func mayStillExecute(_ row: RequestRow) -> Bool {
        guard let txid = row.txid, let owner = owner(of: row),
            let attempt = attempt(txid, owner.chain, owner.network)
        else { return false }
        return attempt.row.isGivenUp && isOpen(attempt)
    }

    /// Whether a request's transaction is an attempt that no ICON node takes any more.
    func isAttemptOver(_ row: RequestRow, at time: UInt64) -> Bool {
        guard let txid = row.txid, let owner = owner(of: row) else { return false }
        return attempt(txid, owner.chain, owner.network)?.isOver(at: time) ?? false
    }

    func owner(of row: RequestRow) -> WalletAdded? {
        row.wallet.flatMap { wallets[$0] }?.wallet
    }
}

extension Attempt {
    /// Whether an ICON transaction's time has passed.
    func isOver(at time: UInt64) -> Bool {
        row.until.map { $0 <= time } ?? false
    }
}

/// What makes two transactions the same payment, made twice: chain, network, recipient and amount.
///
/// Terms are digests, so that a key of the state can hold any of them.
enum AttemptTerms {
    /// A payment on Dash or Axe; the amount is nil where the user entered it.
    ///
    /// The same link can come again and be given another amount: then the recipient is all that
    /// both payments share.
    static func payment(
        _ chain: Chain, _ network: Network, to script: Bytes, of amount: UInt64?
    ) -> Bytes {
        digest(chain, network, script + (amount.map { BigEndian.bytes($0) } ?? []))
    }

    /// What an earlier payment of an amount may be on record under: that amount, or any.
    static func payments(
        _ chain: Chain, _ network: Network, to script: Bytes, of amount: UInt64
    ) -> [Bytes] {
        [
            payment(chain, network, to: script, of: amount),
            payment(chain, network, to: script, of: nil),
        ]
    }

    /// What bumps or cancels a payment: to repeat it is no second payment of anything.
    static func remedy(
        _ chain: Chain, _ network: Network, _ remedy: Remedy, of payment: RequestID
    ) -> Bytes {
        digest(chain, network, Bytes("\(remedy.rawValue) \(payment)".utf8))
    }

    /// A transaction on ICON: its parameters without those that differ each time it is made.
    static func transaction(_ network: Network, _ params: JSON) -> Bytes? {
        guard case .object(let members) = params else { return nil }
        let lasting = members.filter { member in
            !changing.contains(Bytes(member.name.utf8)) && !isNothing(member)
        }
        guard let text = try? ICONSerialization.text(of: .object(lasting)) else { return nil }
        return digest(.icon, network, Bytes(text.utf8))
    }

    private static let changing = ["version", "stepLimit", "timestamp", "nonce", "signature"]
        .map { Bytes($0.utf8) }

    /// A value of zero is the same as none.
    private static func isNothing(_ member: JSON.Member) -> Bool {
        member.name == "value"
            && member.value.stringValue.flatMap(ICONInteger.parse) == UInt256.zero
    }

    private static func digest(_ chain: Chain, _ network: Network, _ rest: Bytes) -> Bytes {
        SHA256.hash(Bytes("\(chain.rawValue) \(network.rawValue)\n".utf8) + rest)
    }
}
