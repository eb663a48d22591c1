import DaybookChains
package import DaybookEncoding

/// Answers compared with what was recorded before, and with answers of other nodes.
///
/// Only facts about blocks are compared: a mempool may differ from node to node.
extension ChainSnapshot {
    /// The recorded transactions in blocks that the answer would undo without mentioning them.
    ///
    /// The node may have left them out. It has to be asked about each of them before the answer is
    /// believed; those that the question named already are believed to be gone.
    package func leftOut(
        in state: State, of question: ChainQuery, _ outputs: OutputChanges
    ) -> [Bytes] {
        // An answer that continues from the last tip undoes nothing in blocks.
        guard chain.rules.ledger == .outputs, since == 0 else { return [] }
        var seen = named.union(question.transactions)
        var leftOut: [Bytes] = []
        func note(_ txid: Bytes) {
            if seen.insert(txid).inserted { leftOut.append(txid) }
        }
        for outpoint in outputs.changed.map(\.outpoint) + outputs.removed {
            guard let known = recorded(outpoint, in: state) else { continue }
            if known.height != nil { note(outpoint.displayed) }
            if let spender = known.spentBy, known.spentHeight != nil { note(spender) }
        }
        return leftOut
    }

    /// The recorded facts about blocks up to the last tip that the answer corrects.
    ///
    /// The answer must be to a whole comparison. None if the last tip's block was replaced: then
    /// everything may have changed.
    package func corrections(of state: State, _ outputs: OutputChanges) -> [Contradiction] {
        guard continuesTip else { return [] }
        let tip = state.chain(chain, network).height
        if chain.rules.ledger == .accounts { return transactions.compactMap { outcome($0, state) } }
        let now = outputs.changed.map { ($0.outpoint, BlockFact($0, upTo: tip)) }
            + outputs.removed.map { ($0, BlockFact()) }
        return now.compactMap { outpoint, said in
            let known = recorded(outpoint, in: state).map { BlockFact($0, upTo: tip) }
            return (known ?? BlockFact()).contradiction(by: said, about: outpoint)
        }
    }

    /// The correction of a recorded result of an ICON transaction; nil if it is right.
    private func outcome(
        _ status: ChainObserved.TransactionStatus, _ state: State
    ) -> Contradiction? {
        guard let row = state.transactions[TransactionKey(chain, network, status.txid)],
            let height = row.height
        else { return nil }
        return ResultFact(height: height, isFailed: row.isFailed)
            .contradiction(by: ResultFact(status), about: status.txid)
    }

    private func recorded(_ outpoint: Outpoint, in state: State) -> ChainObserved.Output? {
        state.wallets(of: chain).lazy.filter { $0.row.wallet.network == network }
            .compactMap { state.output(outpoint, of: $0.id) }.first
    }

    // MARK: - Two nodes

    /// Returns a fact in which two nodes' answers to the same question differ; nil if none.
    ///
    /// Nothing is compared with a node that has not come to the last recorded block.
    package func contradiction(
        to other: ChainSnapshot, about question: ChainQuery
    ) -> Contradiction? {
        let tip = question.tip?.height ?? 0
        guard min(height, other.height) >= tip else { return nil }
        if chain.rules.ledger == .accounts { return contradictionOfAccounts(other) }
        guard continuesTip == other.continuesTip else {
            func said(_ answer: ChainSnapshot) -> String {
                answer.continuesTip ? "that it is the recorded one" : "that it is another one"
            }
            return Contradiction(about: "block \(tip)", recorded: said(self), said: said(other))
        }
        let (mine, theirs) = (blockFacts(with: other), other.blockFacts(with: self))
        return Set(mine.keys).union(theirs.keys).sorted().lazy.compactMap { outpoint in
            (mine[outpoint] ?? BlockFact()).contradiction(
                by: theirs[outpoint] ?? BlockFact(), about: outpoint)
        }.first
    }

    /// The answer about coins in the blocks that another node has too.
    private func blockFacts(with other: ChainSnapshot) -> [Outpoint: BlockFact] {
        let top = min(height, other.height)
        var facts: [Outpoint: BlockFact] = [:]
        for output in outputs where output.height.map({ $0 <= top }) ?? false {
            facts[output.outpoint, default: BlockFact()].height = output.height
        }
        for spend in spends where spend.script != nil {
            guard let height = spend.height, height <= top else { continue }
            facts[spend.outpoint, default: BlockFact()].spend = .init(
                by: spend.spender, height: height)
        }
        return facts
    }

    private func contradictionOfAccounts(_ other: ChainSnapshot) -> Contradiction? {
        for balance in balances {
            let said = other.balances.first {
                $0.address == balance.address && $0.asset == balance.asset
            }
            guard let said, said.amount != balance.amount else { continue }
            return Contradiction(
                about: "what \(balance.address) holds of \(balance.asset)",
                recorded: balance.amount.decimal, said: said.amount.decimal)
        }
        for token in tokens {
            let said = other.tokens.first { $0.contract == token.contract }
            guard let said, said.decimals != token.decimals else { continue }
            return Contradiction(
                about: "the token \(token.contract)", recorded: "\(token.decimals) decimals",
                said: "\(said.decimals) decimals")
        }
        let txids = (transactions + other.transactions).map(\.txid)
        func result(_ txid: Bytes, _ answer: ChainSnapshot) -> ResultFact {
            answer.transactions.first { $0.txid == txid }.map(ResultFact.init) ?? ResultFact()
        }
        return txids.lazy.compactMap { txid in
            result(txid, self).contradiction(by: result(txid, other), about: txid)
        }.first
    }
}

/// A coin in the blocks: the block that made it, and the spend in a block.
private struct BlockFact: Equatable {
    var height: UInt64?
    var spend: Spend?

    struct Spend: Equatable {
        let by: Bytes
        let height: UInt64
    }

    init() {}

    /// An output as of the blocks up to a height.
    init(_ output: ChainObserved.Output, upTo tip: UInt64) {
        height = output.height.flatMap { $0 <= tip ? $0 : nil }
        if let spender = output.spentBy, let height = output.spentHeight, height <= tip {
            spend = Spend(by: spender, height: height)
        }
    }

    func contradiction(by said: BlockFact, about coin: Outpoint) -> Contradiction? {
        guard self != said else { return nil }
        let isAboutSpend = height == said.height
        return Contradiction(
            about: "the coin \(coin.text)", recorded: isAboutSpend ? spendText : heightText,
            said: isAboutSpend ? said.spendText : said.heightText)
    }

    private var heightText: String {
        height.map { "that it is in block \($0)" } ?? "that no block has it"
    }

    private var spendText: String {
        spend.map { "that \(Hex.encode($0.by)) spends it in block \($0.height)" }
            ?? "that no block spends it"
    }
}

/// The result of an ICON transaction.
private struct ResultFact: Equatable {
    var height: UInt64?
    var isFailed = false

    init() {}

    init(height: UInt64, isFailed: Bool) {
        self.height = height
        self.isFailed = isFailed
    }

    init(_ status: ChainObserved.TransactionStatus) {
        height = status.height
        isFailed = status.failure != nil
    }

    func contradiction(by said: ResultFact, about txid: Bytes) -> Contradiction? {
        guard self != said else { return nil }
        return Contradiction(
            about: "the transaction 0x\(Hex.encode(txid))", recorded: text, said: said.text)
    }

    private var text: String {
        guard let height else { return "that no block has it" }
        return "that block \(height) has executed it with\(isFailed ? "out" : "") success"
    }
}
