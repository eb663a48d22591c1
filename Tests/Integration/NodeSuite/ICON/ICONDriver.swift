package import DaybookChains
import DaybookDomain
package import DaybookEncoding
package import DaybookNodes

/// An ICON network seen from both sides: the client that is tried out, and the world outside.
package protocol ICONDriver: Sendable {
    /// The client that is tried out.
    var client: any ChainClient { get }
    var network: Network { get }
    /// The network's id.
    var nid: UInt64 { get }
    /// A token of which `payTokens` can give.
    var token: ICONAddress? { get }

    /// The time by the network's clock, in microseconds since 1970.
    func now() async throws -> UInt64
    /// The height of the last block, as others see it.
    func height() async throws -> UInt64
    /// Somebody pays loop; on return it is there.
    func pay(_ holder: ICONAddress, loop: UInt256) async throws
    /// Somebody pays the smallest units of the token; on return they are there.
    func payTokens(_ holder: ICONAddress, amount: UInt256) async throws
    /// Sees to it that blocks come, as many as it takes for what was sent to be in one.
    func advance() async throws
}

extension ICONDriver {
    /// The chain's facts about some addresses and tokens.
    func look(
        _ holders: [ICONAddress] = [], tokens: [ICONAddress] = [], transactions: [Bytes] = [],
        estimate: JSON? = nil
    ) async throws -> ChainSnapshot {
        var question = ChainQuery()
        question.networkIDs = [nid]
        question.addresses = holders.map(\.text)
        question.tokens = tokens.map(\.text)
        question.transactions = transactions
        question.estimate = estimate
        let answer = try await client.observe(question, progress: nil)
        try expect("the answer's chain", answer.chain, is: .icon)
        try expect("the answer's network", answer.network, is: network)
        return answer
    }

    /// The balance of an address in an asset, by the client's answer.
    func balance(_ holder: ICONAddress, of token: ICONAddress? = nil) async throws -> UInt256 {
        let answer = try await look([holder], tokens: token.map { [$0] } ?? [])
        let asset = token?.text ?? "ICX"
        let held = answer.balances.filter { $0.address == holder.text && $0.asset == asset }
        try expect("the number of balances of \(asset)", held.count, is: 1)
        return held[0].amount
    }

    /// Sends a signed transaction by the client that is tried out.
    func broadcast(_ transaction: SignedTransaction) async -> BroadcastAnswered {
        await client.broadcast(transaction.bytes, txid: transaction.hash)
    }

    /// Sends a transaction and waits for its block; what became of it.
    func execute(
        _ transaction: SignedTransaction
    ) async throws -> ChainObserved.TransactionStatus {
        let answer = await broadcast(transaction)
        try expect("the answer", answer, is: .accepted)
        try await advance()
        return try require(
            try await look(transactions: [transaction.hash]).status(transaction.hash),
            "the transaction is absent")
    }
}

extension ChainSnapshot {
    func status(_ hash: Bytes) -> ChainObserved.TransactionStatus? {
        transactions.first { $0.txid == hash }
    }
}
