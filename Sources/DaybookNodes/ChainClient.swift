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
