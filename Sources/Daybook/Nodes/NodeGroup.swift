package import DaybookChains
package import DaybookDomain
package import DaybookEncoding
package import DaybookNodes
import DaybookSystem

/// The nodes of a chain; the first one that answers serves.
///
/// For a minute after a failure, a node is asked only after the others, so that not every step
/// waits for it.
package final class NodeGroup: ChainClient {
    let members: [Member]
    private let clock: @Sendable () -> UInt64
    private let health: Monitor<Health>
    /// Where an operator sees which nodes answer; nil in a simulation.
    private let activity: StoreActivity?

    /// A node, with the logins that its connection was made with.
    struct Member {
        let node: Node
        let access: NodeAccess?
        var proxyLogin: NodeLogin?
        let client: any NodeClient
    }

    /// Nodes by their addresses, which differ within a group.
    private struct Health {
        /// The node that answered last.
        var serving: String
        /// When two nodes agreed last.
        var agreed: UInt64?
        var failures: [String: (failure: ChainFailure, time: UInt64)] = [:]
    }

    /// How long a failed node is asked after the others, and how long nodes that agreed are not
    /// compared again, in microseconds.
    private static let pause: UInt64 = 60_000_000

    /// A group of at least one node.
    init(
        _ members: [Member], clock: @escaping @Sendable () -> UInt64,
        activity: StoreActivity? = nil
    ) {
        self.members = members
        self.activity = activity
        self.clock = clock
        health = Monitor(Health(serving: members[0].node.url))
    }

    /// A group of clients without addresses, of a simulated computer.
    package convenience init(
        of chain: Chain, _ network: Network, _ clients: [any NodeClient],
        clock: @escaping @Sendable () -> UInt64
    ) {
        let chainID = ChainID(chain, network)
        self.init(
            clients.enumerated().map { number, client in
                let node = Node(
                    chain: chainID.chainName, network: chainID.networkName,
                    url: "http://node\(number + 1)/")
                return Member(node: node, access: nil, client: client)
            }, clock: clock)
    }

    /// The address of the node that answered last.
    var servingURL: String { health.change { $0.serving } }

    /// The last failures of nodes that have not answered since; none if the group has one node.
    var failures: [ChainFailure] {
        guard members.count > 1 else { return [] }
        return health.change { health in
            members.compactMap { health.failures[$0.node.url]?.failure }
        }
    }

    // MARK: - Asking the serving node

    package func observe(
        _ query: ChainQuery, progress: ChainProgress?
    ) async throws(ChainFailure) -> ChainSnapshot {
        try await firstAnswer(height: \.height) { client throws(ChainFailure) in
            try await client.observe(query, progress: progress)
        }
    }

    package func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
        try await firstAnswer { client throws(ChainFailure) in try await client.transactions(ids) }
    }

    package func times(
        of blocks: [NamedBlock], below tip: ChainQuery.Tip
    ) async throws(ChainFailure) -> BlockTimes {
        try await firstAnswer { client throws(ChainFailure) in
            try await client.times(of: blocks, below: tip)
        }
    }

    /// The answer of the first node that answers; if none does, the first node's failure.
    ///
    /// `height` is the node's highest block in the answer.
    private func firstAnswer<Value>(
        height: (Value) -> UInt64? = { _ in nil },
        _ ask: (any NodeClient) async throws(ChainFailure) -> Value
    ) async throws(ChainFailure) -> Value {
        var first: ChainFailure?
        for member in membersInOrder() {
            do {
                let value = try await ask(member.client)
                noteAnswer(of: member.node, serves: true, height: height(value))
                return value
            } catch {
                // A failure of a cancelled task is not the node's.
                if Task.isCancelled { throw error }
                note(error, of: member.node)
                first = first ?? error
            }
        }
        throw first ?? ChainFailure(.noNode, "no node is set up")
    }

    // MARK: - Sending

    package func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
        await broadcast([OutgoingTransaction(bytes: bytes, txid: txid)])[0]
    }

    /// Sends to the serving node, and what it gave no answer to also to the next nodes.
    ///
    /// Only the acceptance of another node counts: the serving node may have taken a transaction
    /// that the other one refuses.
    package func broadcast(_ transactions: [OutgoingTransaction]) async -> [BroadcastAnswered] {
        let url = servingURL
        let serving = members.first { $0.node.url == url } ?? members[0]
        var answers = await serving.client.broadcast(transactions)
        for member in membersInOrder() where member.node.url != url {
            let lost = answers.indices.filter { answers[$0].failure != nil }
            guard let first = lost.first, let failure = answers[first].failure, !Task.isCancelled
            else { break }
            let again = await member.client.broadcast(lost.map { transactions[$0] })
            var isTaken = false
            for (index, answer) in zip(lost, again) where answer.answer == .accepted {
                answers[index] = answer
                isTaken = true
            }
            guard isTaken else { continue }
            noteAnswer(of: member.node, serves: true)
            note(
                ChainFailure(failure, "a transaction was sent to it and got no answer"),
                of: serving.node)
        }
        return answers
    }

    // MARK: - Asking another node

    /// Asks another node than the serving one; nil if none answers.
    ///
    /// With `sparingFailed` a node that failed a short while ago is not asked, and one of another
    /// network is passed over like others that fail.
    ///
    /// - Throws: `wrongChain` if a node is of another network.
    func otherAnswer(
        to query: ChainQuery, sparingFailed: Bool = false
    ) async throws(ChainFailure) -> (snapshot: ChainSnapshot, url: String)? {
        let serving = servingURL
        for member in membersInOrder() where member.node.url != serving {
            if sparingFailed, hasFailed(member) { continue }
            do {
                let snapshot = try await member.client.observe(query, progress: nil)
                noteAnswer(of: member.node, serves: false, height: snapshot.height)
                return (snapshot, member.node.url)
            } catch {
                if Task.isCancelled { throw error }
                note(error, of: member.node)
                if error.reason == .wrongChain, !sparingFailed { throw error }
            }
        }
        return nil
    }

    /// Whether two nodes agreed a short while ago, so that they need not be compared again.
    var hasAgreed: Bool {
        let now = clock()
        return health.change { $0.agreed.map { now < $0 + Self.pause } ?? false }
    }

    func noteAgreement() {
        let now = clock()
        health.change { $0.agreed = now }
    }

    // MARK: - Health

    /// The members in the order in which they are asked: those that failed lately come last.
    private func membersInOrder() -> [Member] {
        members.filter { !hasFailed($0) } + members.filter(hasFailed)
    }

    private func hasFailed(_ member: Member) -> Bool {
        let now = clock()
        return health.change { health in
            health.failures[member.node.url].map { now < $0.time + Self.pause } ?? false
        }
    }

    private func noteAnswer(of node: Node, serves: Bool, height: UInt64? = nil) {
        health.change { health in
            health.failures[node.url] = nil
            if serves { health.serving = node.url }
        }
        if let activity, let number = number(of: node) {
            activity.noteAnswer(of: number, height: height, at: Clock.nowMicroseconds())
        }
    }

    private func number(of node: Node) -> NodeNumber? {
        members.firstIndex { $0.node.url == node.url }.map { index in
            NodeNumber(chain: node.chainID, number: index + 1)
        }
    }

    private func note(_ failure: ChainFailure, of node: Node) {
        var failure = failure
        failure.origin = ChainFailure.Origin(chainID: node.chainID, url: node.url)
        let now = clock()
        health.change { [failure] in $0.failures[node.url] = (failure, now) }
        if let activity, let number = number(of: node) {
            activity.noteFailure(of: number, failure.reason)
        }
    }
}

extension BroadcastAnswered {
    /// Why a node gave no answer; nil if it said anything about the transaction.
    fileprivate var failure: ChainFailure.Reason? {
        answer == .unknown ? message.flatMap(ChainFailure.Reason.init) : nil
    }
}
