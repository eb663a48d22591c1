package import DaybookDomain
package import DaybookEncoding

/// A node of one chain and network, real or embedded: answers questions, takes transactions.
///
/// It returns plain values and records nothing; what it says counts only once it is an event.
package protocol ChainClient: Sendable {
    /// What the chain has of what is asked for, checked as far as it can be.
    ///
    /// A transaction that is asked for and that the chain does not have is absent in the answer.
    /// `progress` hears how many of how many steps are done.
    func observe(_ question: ChainQuery, progress: ChainProgress?) async throws(ChainFailure)
        -> ChainSnapshot

    /// The whole transactions of these ids, given as displayed, each in the place of its id.
    ///
    /// Dash and Axe only, where an output is proven by the bytes of the transaction that made it.
    /// Each is checked to hash to its id, and to be a transaction. Throws
    /// `missingTransaction` where the node has one of them not.
    func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes]

    /// Sends a signed transaction, whose id is `txid` as displayed. Sending the same bytes again
    /// is harmless: a node that has the transaction already has accepted it.
    ///
    /// `refused` only when the network will not take these bytes, now or later; whatever leaves
    /// that open is `unknown`.
    func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered

    /// Sends signed transactions, each behind those whose outputs it spends, as `broadcast` does.
    ///
    /// The answers stand in the places of their transactions.
    func broadcast(_ transactions: [OutgoingTransaction]) async -> [BroadcastAnswered]
}

/// A signed transaction that is to be sent.
package struct OutgoingTransaction: Equatable, Sendable {
    /// What is sent.
    package let bytes: Bytes
    /// The transaction's id, as displayed.
    package let txid: Bytes

    /// A transaction by its bytes and id.
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

/// Hears of the steps of a long question: done, of all that are known of so far.
package typealias ChainProgress = @Sendable (_ done: Int, _ all: Int) -> Void

/// A client of a real node, which can say how it stands.
package protocol NodeClient: ChainClient {
    /// Whether the node can serve a wallet: of the right network, caught up, with its indexes.
    ///
    /// What is missing is thrown, each by its own reason.
    func check() async throws(ChainFailure) -> NodeStanding
}

/// By what a chain is known again: what its node says, and a block behind the first.
///
/// Anyone may start a chain that has the name, the network id and the first block of a test
/// network: the block after it is another one.
struct ChainIdentity {
    private let name: String
    private var block: String?

    /// The identity by what the node says of its network.
    init(_ name: String) {
        self.name = name
    }

    /// Notes the hash of block 1, as displayed; nil where the node has none or not any more.
    mutating func note(_ hash: Bytes?) { block = hash.map { "block 1 \(Hex.encode($0))" } }

    /// What is recorded; throws if the chain that was known before has another block 1.
    func text(goingOnFrom known: String?) throws(ChainFailure) -> String {
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

/// How a node stands that can serve a wallet.
package struct NodeStanding: Equatable, Sendable {
    /// The height of the highest block.
    package let height: UInt64
    /// The hash of that block, as displayed.
    package let tip: Bytes
    /// What else is worth knowing, each in one sentence in lower case; safe to show.
    package let notes: [String]

    /// A standing of its parts.
    package init(height: UInt64, tip: Bytes, notes: [String] = []) {
        self.height = height
        self.tip = tip
        self.notes = notes
    }
}
