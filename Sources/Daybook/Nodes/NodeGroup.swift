import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import DaybookSystem

/// The nodes of a chain and network, of which the first that answers serves.
///
/// A node that failed is asked behind the others for a minute, so that not every step waits for it.
final class NodeGroup: ChainClient {
    let members: [Member]
    private let clock: @Sendable () -> UInt64
    private let standing = Monitor(Standing())

    /// A node, with what opened it when its connection was made.
    struct Member {
        let node: Node
        let access: NodeAccess?
        let client: any NodeClient
    }

    private struct Standing {
        /// The member that answered last.
        var serving = 0
        var failures: [Int: (failure: ChainFailure, at: UInt64)] = [:]
    }

    /// In microseconds.
    private static let pause: UInt64 = 60_000_000

    init(_ members: [Member], clock: @escaping @Sendable () -> UInt64) {
        self.members = members
        self.clock = clock
    }

    /// The address of the node that answered last.
    var servingURL: String { members[standing.change { $0.serving }].node.url }

    /// What is wrong with nodes that did not answer when they were asked last, of several.
    var failures: [ChainFailure] {
        guard members.count > 1 else { return [] }
        return standing.change { standing in
            standing.failures.sorted { $0.key < $1.key }.map(\.value.failure)
        }
    }

    // MARK: - Asking the one that serves

    func observe(
        _ question: ChainQuery, progress: ChainProgress?
    ) async throws(ChainFailure) -> ChainSnapshot {
        try await first { client throws(ChainFailure) in
            try await client.observe(question, progress: progress)
        }
    }

    func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
        try await first { client throws(ChainFailure) in try await client.transactions(ids) }
    }

    /// What the first member says that answers; where none does, the failure of the first.
    private func first<Value>(
        _ ask: (any NodeClient) async throws(ChainFailure) -> Value
    ) async throws(ChainFailure) -> Value {
        var first: ChainFailure?
        for index in order() {
            do {
                let value = try await ask(members[index].client)
                noteAnswer(of: index, serves: true)
                return value
            } catch {
                // What fails because the caller gave up says nothing of the node.
                if Task.isCancelled { throw error }
                note(error, of: index)
                first = first ?? error
            }
        }
        throw first ?? ChainFailure(.noNode, "no node is set up")
    }

    // MARK: - Sending

    func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
        await broadcast([OutgoingTransaction(bytes: bytes, txid: txid)])[0]
    }

    /// Sends to the node that serves, and to the next what it gave no answer to.
    ///
    /// The next one can only accept: what it refuses, the first may have taken.
    func broadcast(_ transactions: [OutgoingTransaction]) async -> [BroadcastAnswered] {
        let serving = standing.change { $0.serving }
        var answers = await members[serving].client.broadcast(transactions)
        for index in order() where index != serving {
            let lost = answers.indices.filter { answers[$0].failure != nil }
            guard let place = lost.first, let failure = answers[place].failure, !Task.isCancelled
            else { break }
            let again = await members[index].client.broadcast(lost.map { transactions[$0] })
            var isTaken = false
            for (place, answer) in zip(lost, again) where answer.answer == .accepted {
                answers[place] = answer
                isTaken = true
            }
            guard isTaken else { continue }
            noteAnswer(of: index, serves: true)
            note(
                ChainFailure(failure, "a transaction was sent to it and got no answer"),
                of: serving)
        }
        return answers
    }

    // MARK: - Asking another one

    /// What another node than the serving one answers, and its address; nil where none answers.
    ///
    /// - Throws: `wrongChain` where that node is of another network.
    func otherAnswer(
        to question: ChainQuery
    ) async throws(ChainFailure) -> (answer: ChainSnapshot, url: String)? {
        let serving = standing.change { $0.serving }
        for index in order() where index != serving {
            let member = members[index]
            do {
                let answer = try await member.client.observe(question, progress: nil)
                noteAnswer(of: index, serves: false)
                return (answer, member.node.url)
            } catch {
                if Task.isCancelled || error.reason == .wrongChain { throw error }
                note(error, of: index)
            }
        }
        return nil
    }

    // MARK: - Who answers

    /// The members in the order in which they are asked.
    private func order() -> [Int] {
        let now = clock()
        return standing.change { standing in
            let resting = members.indices.filter { index in
                standing.failures[index].map { now < $0.at + Self.pause } ?? false
            }
            return members.indices.filter { !resting.contains($0) } + resting
        }
    }

    private func noteAnswer(of index: Int, serves: Bool) {
        standing.change { standing in
            standing.failures[index] = nil
            if serves { standing.serving = index }
        }
    }

    private func note(_ failure: ChainFailure, of index: Int) {
        let node = members[index].node
        var failure = failure
        failure.origin = ChainFailure.Origin(chainID: node.place, url: node.url)
        let now = clock()
        standing.change { [failure] in $0.failures[index] = (failure, now) }
    }
}

extension BroadcastAnswered {
    /// What kept a node from answering; nil where it said anything to the transaction.
    fileprivate var failure: ChainFailure.Reason? {
        answer == .unknown ? message.flatMap(ChainFailure.Reason.init) : nil
    }
}
