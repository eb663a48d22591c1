package import DaybookChains
package import DaybookDomain
package import DaybookEncoding
package import DaybookNodes

/// A Dash or Axe chain seen from both sides: the client that is tried out, and the world outside.
package protocol UTXODriver: Sendable {
    /// The client that is tried out.
    var client: any ChainClient { get }
    var parameters: UTXOParameters { get }
    /// Whether the chain refuses what is valid and not standard, such as dust.
    var isStandardOnly: Bool { get }
    /// Whether the chain locks transactions as soon as they are sent; nil where nobody knows.
    var locks: Bool? { get }

    /// The highest block, as others see it.
    func tip() async throws -> ChainQuery.Tip
    /// Somebody pays these outputs, in this order, by one transaction that waits for a block.
    func pay(_ outputs: [UTXOTransaction.Output]) async throws -> TransactionID
    /// Somebody else sends a transaction; it must be taken.
    func send(_ bytes: Bytes) async throws
    /// Mines blocks that pay to the address, or to anybody.
    func mine(_ count: Int, to address: UTXOAddress?) async throws
    /// Takes the last blocks off the chain; their transactions wait again.
    ///
    /// Blocks of other contents may be in their place.
    func takeBack(_ count: Int) async throws
}

extension UTXODriver {
    /// The symbol of the chain's coin.
    var coin: String { parameters.chain.rules.coin.asset }

    /// Mines blocks that pay to anybody.
    package func mine(_ count: Int = 1) async throws {
        try await mine(count, to: nil)
    }

    /// The chain's facts about some addresses, asked for without any earlier knowledge.
    func look(_ addresses: [UTXOAddress], _ transactions: [TransactionID] = []) async throws
        -> ChainSnapshot
    {
        var question = ChainQuery()
        question.watched = addresses.map {
            .init(address: $0.text, script: $0.scriptPubKey, isUsed: false)
        }
        question.transactions = transactions.map(\.displayed)
        let answer = try await client.observe(question, progress: nil)
        try expect("the answer's chain", answer.chain, is: parameters.chain)
        try expect("the answer's network", answer.network, is: parameters.network)
        return answer
    }

    /// Sends a transaction by the client that is tried out.
    func broadcast(_ transaction: UTXOTransaction) async -> BroadcastAnswered {
        await client.broadcast(transaction.serialized(), txid: transaction.txid.displayed)
    }

    /// Sends signed transactions together by the client that is tried out.
    func broadcast(_ transactions: [UTXOTransaction]) async -> [BroadcastAnswered] {
        await client.broadcast(
            transactions.map { .init(bytes: $0.serialized(), txid: $0.txid.displayed) })
    }
}

extension BroadcastAnswered {
    static var accepted: BroadcastAnswered { BroadcastAnswered(answer: .accepted) }
}

extension ChainSnapshot {
    /// The outputs with what spends them, those that are only mentioned as spent left out.
    var standing: [ChainObserved.Output] {
        let spent = Dictionary(spends.map { ($0.outpoint, $0) }) { first, _ in first }
        return outputs.map { output in
            var output = output
            if let spend = spent[output.outpoint] {
                output.spentBy = spend.spender
                output.spentHeight = spend.height
            }
            return output
        }.sorted { $0.outpoint < $1.outpoint }
    }

    /// The outputs that nothing spends, on the chain or in the mempool.
    var free: [ChainObserved.Output] { standing.filter { $0.spentBy == nil } }

    func status(_ txid: TransactionID) -> ChainObserved.TransactionStatus? {
        transactions.first { $0.txid == txid.displayed }
    }
}
