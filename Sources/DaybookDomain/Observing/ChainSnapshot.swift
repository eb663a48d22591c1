package import DaybookChains
package import DaybookEncoding

/// A node's answer to a question, checked and converted to our types.
///
/// It is compared with the state, and only the differences become events.
package struct ChainSnapshot: Equatable, Sendable {
    package var chain: Chain
    package var network: Network
    /// The node's proof that it belongs to this network: `genesis 0000…` or `nid 0x3`.
    package var identity: String?
    package var height: UInt64 = 0
    /// The block hash of the tip.
    package var tip: Bytes = []
    /// Duffs per 1000 bytes.
    package var feeRate: UInt64?
    /// Whether the node has estimated the fee rate; else the rate is the least that it takes.
    package var isFeeEstimated = true
    /// Whether the chain locks transactions by InstantSend.
    package var instantSend: Bool?
    /// The first block from which the answer is complete for addresses used before.
    ///
    /// It is always complete for the mempool and for the other addresses. Zero: for everything.
    package var since: UInt64 = 0
    /// Whether the last recorded tip is still a block of the chain.
    package var continuesTip = false
    /// Outputs of the watched scripts, with their spending transactions; others may be among them.
    package var outputs: [ChainObserved.Output] = []
    /// Spent outputs; those that are not in `outputs` were made in older blocks.
    package var spends: [Spend] = []
    package var transactions: [ChainObserved.TransactionStatus] = []
    /// The times of blocks that it names, which are asked for afterwards.
    package var blocks: [ChainObserved.Block] = []
    package var balances: [ChainObserved.Balance] = []
    package var tokens: [ChainObserved.Token] = []
    package var iconFees: ICONFees?
    /// The estimated steps of the transaction in the question.
    package var estimate: UInt64?
    /// The parts that were not understood, and are not in the answer.
    package var setAside: [SetAside] = []
    /// Scripts of addresses after the watched ones that the answer also covers.
    package var ahead: [Bytes] = []
    /// Whether further addresses have to be asked about in another question.
    package var isCutShort = false

    package init(chain: Chain, network: Network) {
        self.chain = chain
        self.network = network
    }

    /// An output, and the transaction that spends it on the chain or in the mempool.
    package struct Spend: Equatable, Sendable {
        package let outpoint: Outpoint
        /// The spending transaction's id, as displayed.
        package let spender: Bytes
        /// The block of the spending transaction; nil while it is in the mempool.
        package let height: UInt64?
        /// The script whose key signed the spend, as checked by the client; nil if none did.
        ///
        /// Only an output with this script counts as spent.
        package let script: Bytes?

        package init(outpoint: Outpoint, spender: Bytes, height: UInt64?, script: Bytes?) {
            self.outpoint = outpoint
            self.spender = spender
            self.height = height
            self.script = script
        }
    }
}

extension ChainSnapshot {
    /// The states of the transactions that were asked about, and the fee rate.
    ///
    /// Outputs and the tip are left out, because they were not asked for.
    package func standing(in state: State) -> ChainObserved {
        var seen = ChainObserved(chain: chain, network: network)
        let known = state.chain(chain, network)
        if feeRate != known.feeRate { seen.feeRate = feeRate }
        if feeRate != nil, isFeeEstimated == known.lacksFeeEstimate {
            seen.isFeeEstimated = isFeeEstimated
        }
        seen.transactions = transactions
        return seen
    }

    /// The current price of a transaction, if it is higher than the recorded one; nil otherwise.
    ///
    /// A lower price is left to the next scan: a fee that was shown may be too high, never too low.
    package func higherPrice(in state: State) -> ChainObserved? {
        let known = state.chain(chain, network)
        var seen = ChainObserved(chain: chain, network: network)
        if let feeRate, UTXOFees.isHigher(feeRate, than: known.feeRate) {
            seen.feeRate = feeRate
            if isFeeEstimated == known.lacksFeeEstimate { seen.isFeeEstimated = isFeeEstimated }
        }
        if let iconFees, iconFees.areHigher(than: known.iconFees) { seen.iconFees = iconFees }
        return seen == ChainObserved(chain: chain, network: network) ? nil : seen
    }
}

extension ChainSnapshot {
    /// The funds of a request, if the answer about them is not understood.
    package func unclearFunds(in state: State) -> SetAside? {
        setAside.first { item in
            switch item.kind {
            case .balance: true
            case .token:
                item.address.map { state.tokens.contains(TokenKey(network, $0)) } ?? false
            case .transaction, .listing, .feeRate, .stepPrice, .result, .blockTime: false
            }
        }
    }
}

/// A transaction of ours that was sent and that a node's answer lacks.
package struct MissingTransaction: Equatable, Sendable {
    /// The id, as displayed.
    package let txid: Bytes
    /// The request that it was made for; its events have the bytes.
    package let request: RequestID
}

extension ChainSnapshot {
    /// Our sent transactions that the chain does not have.
    ///
    /// A mempool can drop a transaction, a reorganization can remove one, and a node can be
    /// replaced by another that never received it.
    package func missing(
        in state: State, to question: ChainQuery, _ outputs: OutputChanges
    ) -> [MissingTransaction] {
        let freed = outputs.changed.compactMap { output in
            output.spentBy == nil ? state.spender(of: output, chain, network) : nil
        }
        let told = transactions.map(\.txid)
        // Nearly always an answer has all that was asked about, in the same order.
        var missing = told == question.transactions ? freed : question.transactions + freed
        // The node has those that it tells something about, even if it is not understood.
        if !setAside.isEmpty {
            let unclear = setAside.txids
            missing.removeAll { unclear.contains($0) }
        }
        if !missing.isEmpty {
            let told = Set(told)
            missing.removeAll { told.contains($0) }
        }
        // Returns early, because nearly always none is missing.
        if missing.isEmpty { return [] }
        var named = self.named
        missing.removeAll { !named.insert($0).inserted }
        // A transaction that spends outputs of a missing one must be missing too.
        var next = 0
        while next < missing.count {
            let spenders = state.requests(spending: missing[next]).compactMap {
                state.request($0)?.txid
            }
            missing += spenders.filter { named.insert($0).inserted }
            next += 1
        }
        return missing.compactMap { state.sent($0, on: chain, network) }
    }

    /// The ids of the transactions that the answer mentions.
    var named: Set<Bytes> {
        Set(transactions.map(\.txid)).union(spends.map(\.spender))
            .union(outputs.map(\.outpoint.displayed)).union(outputs.compactMap(\.spentBy))
            .union(setAside.txids)
    }

    /// Adds a transaction of ours that the network may still accept, unless the answer has it.
    ///
    /// Its coins thereby stay spent, so that no second payment spends them.
    package mutating func hold(_ signed: TransactionSigned) {
        if named.contains(signed.txid) { return }
        transactions.append(.init(txid: signed.txid, height: nil, locked: false))
        guard let transaction = try? UTXOTransaction.parse(signed.bytes) else { return }
        spends += transaction.inputs.enumerated().map { index, input in
            Spend(
                outpoint: input.outpoint, spender: signed.txid, height: nil,
                script: transaction.shownScript(input: index))
        }
        for (index, output) in transaction.outputs.enumerated() {
            outputs.append(
                ChainObserved.Output(
                    outpoint: Outpoint(transaction.txid, UInt32(clamping: index)),
                    script: output.script, amount: output.amount, height: nil, coinbase: false))
        }
    }

    /// Whether a confirmed transaction with a valid signature spends a coin of this transaction.
    ///
    /// While that block is part of the chain, this transaction can't be confirmed. The block may be
    /// in this answer, or be older and recorded.
    package func excludes(_ signed: TransactionSigned, in state: State) -> Bool {
        guard chain.rules.ledger == .outputs,
            let transaction = try? UTXOTransaction.parse(signed.bytes)
        else { return false }
        let wallets = state.wallets(of: chain).filter { $0.row.wallet.network == network }
        return transaction.inputs.enumerated().contains { index, input in
            let script = transaction.shownScript(input: index)
            let isSpentNow = spends.contains { spend in
                spend.outpoint == input.outpoint && spend.spender != signed.txid
                    && spend.height != nil && spend.script != nil && spend.script == script
            }
            return isSpentNow || wallets.contains { wallet in
                let known = state.spentOutputs[OutputKey(wallet.id, input.outpoint)]?.output
                guard let spender = known?.spentBy, let height = known?.spentHeight else {
                    return false
                }
                return spender != signed.txid && height < since
            }
        }
    }

    /// Adds that the network will not accept a transaction of ours any more.
    package mutating func drop(_ missing: MissingTransaction) {
        transactions.append(
            .init(txid: missing.txid, height: nil, locked: false, isGone: true))
    }
}

extension State {
    /// The transaction of ours that an output is reserved for.
    ///
    /// A dropped transaction reserves nothing, even where its spending is recorded.
    fileprivate func spender(
        of output: ChainObserved.Output, _ chain: Chain, _ network: Network
    ) -> Bytes? {
        guard let owner = owner(of: output.script, chain, network) else { return nil }
        let (wallet, outpoint) = (owner.wallet, output.outpoint)
        let spent = spentOutputs[OutputKey(wallet, outpoint)]
        let unspent = outputs[OutputKey(wallet, outpoint)]
        let gone = reserved[OutputKey(wallet, outpoint)]
        return (spent?.reservedBy ?? unspent?.reservedBy ?? gone?.target)
            .flatMap { request($0)?.txid }
    }

    /// Whether a transaction of ours was signed or sent, and all its coins are still unspent.
    func isUnseen(_ txid: Bytes, _ chain: Chain, _ network: Network) -> Bool {
        guard let id = request(signing: txid, chain, network), let row = request(id),
            row.status == .signed || row.status == .sent || row.status == .completed,
            let wallet = row.wallet, let payment = row.payment
        else { return false }
        return !payment.inputs.isEmpty
            && payment.inputs.allSatisfy { outputs.contains(OutputKey(wallet, $0)) }
    }

    /// A transaction of ours that was sent before.
    fileprivate func sent(
        _ txid: Bytes, on chain: Chain, _ network: Network
    ) -> MissingTransaction? {
        guard let id = request(signing: txid, chain, network), let row = request(id),
            row.status == .sent || row.status == .completed, !isBeingCancelled(row)
        else { return nil }
        return MissingTransaction(txid: txid, request: id)
    }
}
