import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// A signed transaction that may still be executed, with its id as displayed.
struct Attempt {
    let txid: Bytes
    let row: AttemptRow
    let chain: Chain
    let network: Network
}

/// Finds earlier attempts of a payment that may still be executed, and coins that exclude them.
extension State {
    /// The recorded attempts with any of some terms, ordered by their transaction ids.
    func attempts(of terms: [Bytes], _ chain: Chain, _ network: Network) -> [Attempt] {
        terms.flatMap { terms in
            attemptsByTerms.rows(.first(KeyDigest(terms))).compactMap { key, _ in
                attempt(key.second.bytes, on: chain, network)
            }
        }
    }

    func attempt(_ txid: Bytes, on chain: Chain, _ network: Network) -> Attempt? {
        let row = attempts[TransactionKey(chain, network, txid)]
        return row.map { Attempt(txid: txid, row: $0, chain: chain, network: network) }
    }

    /// Whether a block has the attempt's transaction.
    func isExecuted(_ attempt: Attempt) -> Bool {
        let row = transactions[TransactionKey(attempt.chain, attempt.network, attempt.txid)]
        return row?.height != nil
    }

    /// Whether an attempt may still be executed.
    ///
    /// A node's report is no proof. On Dash and Axe the proof is another transaction that spends a
    /// coin of the attempt and has enough confirmations to stay in the chain. On ICON an attempt is
    /// removed when it has expired and no block has it.
    func isOpen(_ attempt: Attempt) -> Bool {
        if isExecuted(attempt) { return false }
        let tip = chain(attempt.chain, attempt.network).height
        return !conflicts(of: lineage(of: attempt)).contains { conflict in
            guard let height = conflict.height, height <= tip else { return false }
            return tip - height + 1 >= RelayPolicy.finalConfirmations
        }
    }

    /// Coins whose spending conflicts with every open attempt; nil if an attempt can't be excluded.
    ///
    /// If a payment spends these coins, the network can execute the payment or the attempts, not
    /// both.
    ///
    /// `coin` returns the coin at an outpoint, if it may be spent.
    func coins(excluding attempts: [Attempt], at coin: (Outpoint) -> Coin?) -> [Coin]? {
        var chosen: [Coin] = []
        for attempt in attempts where isOpen(attempt) {
            let excluding = outpoints(excluding: attempt)
            if chosen.contains(where: { excluding.contains($0.outpoint) }) { continue }
            let usable = excluding.compactMap(coin).filter(\.isMature)
            guard let largest = usable.min(by: Coin.isLarger) else { return nil }
            chosen.append(largest)
        }
        return chosen
    }

    /// The outputs that conflict with an attempt.
    ///
    /// These are the outputs that it spends, and those that descend from transactions that spend
    /// the same outputs.
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

    /// An attempt and its ancestors that no block has: without them it can't be executed either.
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
                self.attempt($0.displayed, on: attempt.chain, attempt.network)
            }.filter { !isExecuted($0) }
        }
        return lineage
    }

    /// The transactions that conflict with a lineage, and the heights of their blocks.
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
    /// Whether a request has ended without success while its transaction may still be executed.
    ///
    /// Its coins are reserved no longer.
    func isGivenUp(_ row: RequestRow) -> Bool {
        guard let txid = row.txid, let owner = owner(of: row) else { return false }
        return attempt(txid, on: owner.chain, owner.network)?.row.isGivenUp ?? false
    }

    /// Whether a request was given up and its transaction may still be executed.
    package func mayStillExecute(_ row: RequestRow) -> Bool {
        guard let txid = row.txid, let owner = owner(of: row),
            let attempt = attempt(txid, on: owner.chain, owner.network)
        else { return false }
        return attempt.row.isGivenUp && isOpen(attempt)
    }

    /// Whether a request's ICON transaction has expired.
    func isAttemptOver(_ row: RequestRow, at time: UInt64) -> Bool {
        guard let txid = row.txid, let owner = owner(of: row) else { return false }
        return attempt(txid, on: owner.chain, owner.network)?.isOver(at: time) ?? false
    }

    func owner(of row: RequestRow) -> WalletAdded? {
        row.wallet.flatMap { wallets[$0] }?.wallet
    }
}

extension Attempt {
    /// Whether an ICON transaction has expired: no node accepts it any more.
    func isOver(at time: UInt64) -> Bool {
        row.until.map { $0 <= time } ?? false
    }
}

/// The digest by which a repeated payment is recognised: chain, network, recipient and amount.
///
/// Terms are digests, so that they fit into a table's key whatever the payment is.
enum AttemptTerms {
    /// The terms of a Dash or Axe payment; the amount is nil where the user entered it.
    ///
    /// The same link can be approved again with another amount: only the recipient is the same
    /// then.
    static func payment(
        _ chain: Chain, _ network: Network, to script: Bytes, of amount: UInt64?
    ) -> Bytes {
        digest(chain, network, of: script + (amount.map { BigEndian.bytes($0) } ?? []))
    }

    /// The terms that an earlier payment of this amount may have: with the amount, or without one.
    static func payments(
        _ chain: Chain, _ network: Network, to script: Bytes, of amount: UInt64
    ) -> [Bytes] {
        [
            payment(chain, network, to: script, of: amount),
            payment(chain, network, to: script, of: nil),
        ]
    }

    /// The terms of a bump or cancellation; repeating one pays nobody twice.
    static func remedy(
        _ chain: Chain, _ network: Network, by remedy: Remedy, of payment: RequestID
    ) -> Bytes {
        digest(chain, network, of: Bytes("\(remedy.rawValue) \(payment)".utf8))
    }

    /// The terms of an ICON transaction: its parameters without those that differ each time.
    static func transaction(_ network: Network, _ params: JSON) -> Bytes? {
        guard case .object(let members) = params else { return nil }
        let lasting = members.filter { member in
            !changing.contains(Bytes(member.name.utf8)) && !isNothing(member)
        }
        guard let text = try? ICONSerialization.text(of: .object(lasting)) else { return nil }
        return digest(.icon, network, of: Bytes(text.utf8))
    }

    private static let changing = ["version", "stepLimit", "timestamp", "nonce", "signature"]
        .map { Bytes($0.utf8) }

    /// A value of zero means the same as no value.
    private static func isNothing(_ member: JSON.Member) -> Bool {
        member.name == "value"
            && member.value.stringValue.flatMap(ICONInteger.parse) == UInt256.zero
    }

    private static func digest(_ chain: Chain, _ network: Network, of rest: Bytes) -> Bytes {
        SHA256.hash(Bytes("\(chain.rawValue) \(network.rawValue)\n".utf8) + rest)
    }
}
