package import DaybookDomain
package import DaybookEncoding

/// The client of a node of one chain and network, real or embedded.
///
/// It returns plain values and records nothing; an answer counts only once it is an event.
package protocol ChainClient: Sendable {
    /// Answers a query about addresses and transactions, checked as far as possible.
    ///
    /// A transaction that the chain does not have is absent in the snapshot. `progress` is called
    /// with the number of steps done and known so far.
    func observe(_ query: ChainQuery, progress: ChainProgress?) async throws(ChainFailure)
        -> ChainSnapshot

    /// The bytes of the transactions with these ids (as displayed), in the order of the ids.
    ///
    /// Dash and Axe only, where the transaction that made an output proves its amount. Each one is
    /// checked to hash to its id. Throws `missingTransaction` if the node lacks one of them.
    func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes]

    /// When some blocks of the chain were made, as far as the node tells it.
    ///
    /// None if `tip` is no longer the chain's: then other blocks may stand at these heights.
    func times(of blocks: [NamedBlock], below tip: ChainQuery.Tip) async throws(ChainFailure)
        -> BlockTimes

    /// Sends a signed transaction, whose id as displayed is `txid`.
    ///
    /// Sending the same bytes again is harmless. The answer is `refused` only if the network will
    /// never accept these bytes; anything less certain is `unknown`.
    func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered

    /// Sends several signed transactions, parents first; the answers have the same order.
    func broadcast(_ transactions: [OutgoingTransaction]) async -> [BroadcastAnswered]
}

/// A signed transaction to send.
package struct OutgoingTransaction: Equatable, Sendable {
    package let bytes: Bytes
    /// The transaction's id, as displayed.
    package let txid: Bytes

    package init(bytes: Bytes, txid: Bytes) {
        self.bytes = bytes
        self.txid = txid
    }
}

extension ChainClient {
    package func broadcast(_ transactions: [OutgoingTransaction]) async -> [BroadcastAnswered] {
        var answers: [BroadcastAnswered] = []
        for transaction in transactions {
            answers.append(await broadcast(transaction.bytes, txid: transaction.txid))
        }
        return answers
    }
}

/// Reports the progress of a query: the steps done, and all steps known so far.
package typealias ChainProgress = @Sendable (_ done: Int, _ all: Int) -> Void

/// The client of a real node, which can be checked when it is set up.
package protocol NodeClient: ChainClient {
    /// Checks that the node can serve a wallet: right network, caught up, with its indexes.
    ///
    /// `known` has what was recorded of the chain, which must be the node's chain. Throws a failure
    /// with its own reason for whatever is missing.
    func check(_ known: ChainQuery) async throws(ChainFailure) -> NodeState
}

extension NodeClient {
    /// Checks a node of a chain of which nothing was recorded.
    package func check() async throws(ChainFailure) -> NodeState { try await check(ChainQuery()) }
}

/// Recognises a chain that was seen before, by its name and the hash of its block 1.
///
/// Anyone can start a chain with the name, the network id and the first block of a test network,
/// but its block 1 differs.
struct ChainIdentity {
    private let name: String
    private var block: String?

    init(_ name: String) {
        self.name = name
    }

    /// Sets the hash of block 1, as displayed; nil if the node does not have that block.
    mutating func note(_ hash: Bytes?) { block = hash.map { "block 1 \(Hex.encode($0))" } }

    /// The text to record; throws if `known`, the text recorded before, has another block 1.
    func text(continuing known: String?) throws(ChainFailure) -> String {
        let prefix = name + ", "
        let before = known.flatMap { known in
            known.utf8.starts(with: prefix.utf8) ? String(known.dropFirst(prefix.count)) : nil
        }
        guard let block else { return before.map { prefix + $0 } ?? name }
        if let before, !Text.equal(before, block) {
            throw ChainFailure(
                .wrongChain,
                "the node's chain is another one of the same name: its \(NodeText.quoted(block))"
                    + " is not the \(NodeText.quoted(before)) that was recorded")
        }
        return prefix + block
    }
}

/// The state of a node that can serve a wallet.
package struct NodeState: Equatable, Sendable {
    /// The height of the highest block.
    package let height: UInt64
    /// The hash of that block, as displayed.
    package let tip: Bytes
    /// Further notes for the user, each one sentence in lower case without secrets.
    package let notes: [String]

    package init(height: UInt64, tip: Bytes, notes: [String] = []) {
        self.height = height
        self.tip = tip
        self.notes = notes
    }
}
