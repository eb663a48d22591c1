package import DaybookChains
package import DaybookEncoding

/// The times of blocks, which are asked for once a block is about to be recorded.
extension ChainSnapshot {
    /// The blocks of which something is new, in order, without those whose time is known.
    ///
    /// Addresses after the watched ones count as well: they may be derived when this is recorded.
    package func untimedBlocks(in state: State) -> [NamedBlock] {
        var found: [UInt64: Bytes] = [:]
        for status in transactions {
            guard let height = status.height,
                let row = state.transactions[TransactionKey(chain, network, status.txid)],
                status.changesBlock(of: row)
            else { continue }
            found[height] = status.txid
        }
        if chain.rules.ledger == .outputs { addBlocksOfCoins(to: &found, state) }
        for block in blocks { found[block.height] = nil }
        return found.sorted { $0.key < $1.key }.map { NamedBlock(height: $0.key, txid: $0.value) }
    }

    private func addBlocksOfCoins(to found: inout [UInt64: Bytes], _ state: State) {
        let ahead = Set(ahead)
        /// Whether a coin of ours is not recorded, or differs from what is.
        func isNew(
            _ outpoint: Outpoint, paying script: Bytes,
            _ differs: (ChainObserved.Output) -> Bool
        ) -> Bool {
            guard let owner = state.owner(of: script, chain, network) else {
                return ahead.contains(script)
            }
            return state.output(outpoint, of: owner.wallet).map(differs) ?? true
        }
        for output in outputs {
            guard let height = output.height,
                isNew(output.outpoint, paying: output.script, { $0.height != height })
            else { continue }
            found[height] = output.outpoint.displayed
        }
        for spend in spends {
            guard let height = spend.height, let script = spend.script,
                isNew(
                    spend.outpoint, paying: script,
                    { $0.spentHeight != height || $0.spentBy != spend.spender })
            else { continue }
            found[height] = spend.spender
        }
    }

    /// Adds the times that a node told, and sets aside those that can't be right.
    package mutating func add(_ times: BlockTimes, at now: UInt64) {
        for block in times.told {
            if let fault = block.fault(on: chain, at: now) {
                setAside.append(SetAside(.blockTime, height: block.height, because: fault))
            } else {
                blocks.append(block)
            }
        }
        setAside += times.unclear
    }
}

/// A block, by its height and one of its transactions.
package struct NamedBlock: Equatable, Sendable {
    package let height: UInt64
    /// The transaction's id, as displayed.
    package let txid: Bytes

    package init(height: UInt64, txid: Bytes) {
        self.height = height
        self.txid = txid
    }
}

/// A node's answers about the times of blocks.
package struct BlockTimes: Equatable, Sendable {
    package var told: [ChainObserved.Block] = []
    /// Those that were not understood.
    package var unclear: [SetAside] = []

    package init() {}

    /// Notes that a block's time was not understood.
    package mutating func note(_ height: UInt64, because reason: String) {
        unclear.append(SetAside(.blockTime, height: height, because: reason))
    }
}

extension ChainObserved.Block {
    /// Why the time can't be the block's; nil if it can.
    ///
    /// No network takes a block that is more than two hours ahead of its nodes' clocks. If this
    /// machine's clock is behind, a right time looks wrong, and is left out.
    package func fault(on chain: Chain, at now: UInt64) -> String? {
        if time < chain.rules.firstBlockTime { return "its time is before the chain began" }
        let (latest, isEndless) = now.addingReportingOverflow(Self.latestAhead)
        if isEndless || time <= latest { return nil }
        return "its time is more than two hours ahead of this machine's clock"
    }

    private static let latestAhead: UInt64 = 2 * 60 * 60 * 1_000_000
}
