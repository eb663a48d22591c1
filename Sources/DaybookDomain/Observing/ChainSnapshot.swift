package import DaybookChains
package import DaybookEncoding

/// What a node answered to a question, checked and in our terms.
///
/// It is compared with what is known, and only what is new of it becomes an event.
package struct ChainSnapshot: Equatable, Sendable {
    package var chain: Chain
    package var network: Network
    /// By what the node showed to be of this network: `genesis 0000…` or `nid 0x3`.
    package var identity: String?
    package var height: UInt64 = 0
    /// The block hash of the tip.
    package var tip: Bytes = []
    /// Duffs for 1000 bytes.
    package var feeRate: UInt64?
    /// Whether the chain locks transactions by InstantSend.
    package var instantSend: Bool?
    /// The first block from which on the answer has everything for addresses used before.
    ///
    /// The mempool, and everything of the other addresses, it has in any case. Zero: all of all.
    package var since: UInt64 = 0
    /// Outputs of the watched scripts, and by what they are spent; others may be among them.
    package var outputs: [ChainObserved.Output] = []
    /// Spent outputs, of which those that are not in `outputs` are older than `since`.
    package var spends: [Spend] = []
    package var transactions: [ChainObserved.TransactionStatus] = []
    package var balances: [ChainObserved.Balance] = []
    package var tokens: [ChainObserved.Token] = []
    package var steps: ChainObserved.Steps?
    /// The steps that the transaction asked about will use.
    package var estimate: UInt64?
    /// Scripts of addresses behind the watched ones that the answer is about, too.
    package var ahead: [Bytes] = []
    /// Whether there are more addresses to ask about than one answer is about.
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
        /// The block of the spending transaction; nil while it is only in the mempool.
        package let height: UInt64?
        /// The script whose key signed the spending, as the client has checked; nil if none did.
        ///
        /// Only an output of this script counts as spent.
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
    /// How the transactions stand that were asked for alone, and what a fee is.
    ///
    /// Nothing is said of outputs and of the tip: they were not asked for.
    package func standing(in state: State) -> ChainObserved {
        var seen = ChainObserved(chain: chain, network: network)
        if feeRate != state.chain(chain, network).feeRate { seen.feeRate = feeRate }
        seen.transactions = transactions
        return seen
    }

    /// What a transaction costs now, where that is more than is on record; nil where it is not.
    ///
    /// A lower price is left to the next scan: a fee that was shown may be too high, never too low.
    package func higherPrice(in state: State) -> ChainObserved? {
        let known = state.chain(chain, network)
        var seen = ChainObserved(chain: chain, network: network)
        if let feeRate, feeRate > known.feeRate ?? RelayPolicy.minimumFeePerKilobyte {
            seen.feeRate = feeRate
        }
        if let steps, steps.isDearer(than: known.steps) { seen.steps = steps }
        return seen == ChainObserved(chain: chain, network: network) ? nil : seen
    }
}
