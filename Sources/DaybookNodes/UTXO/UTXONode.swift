package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// The client of a Dash Core or Axe Core node with an address index.
///
/// Every answer is untrusted. Transactions are read from raw bytes that must hash to their id;
/// everything else must at least be consistent.
package struct UTXONode: NodeClient {
    private let parameters: UTXOParameters
    let calls: CoreCalls
    let cache: TransactionCache
    var limits = UTXOScan.Limits()

    /// A client for a node of a chain and network; fetched transactions are kept in `files`.
    package init(
        _ parameters: UTXOParameters, _ transport: any RPCTransport,
        keeping files: (any TransactionFiles)? = nil, retries: RPCRetryPolicy = .ordinary
    ) {
        self.parameters = parameters
        cache = TransactionCache(files: files)
        calls = CoreCalls(NodeRPC(transport, .core, retries: retries))
    }

    /// A block every two and a half minutes: a new one during each of five scans is no accident.
    private static let maximumAttempts = 5

    package func observe(
        _ query: ChainQuery, progress: ChainProgress?
    ) async throws(ChainFailure) -> ChainSnapshot {
        let calls = calls.forOneQuery()
        var steps = StepCount(progress)
        for _ in 0..<Self.maximumAttempts {
            let (chain, start) = try await begin(query, calls)
            var snapshot = start
            var scan = UTXOScan(calls, cache, at: chain, within: limits, counting: steps)
            do {
                if try await scan.run(query, into: &snapshot) { return snapshot }
            } catch {
                // A block that arrives during a scan makes an honest node contradict itself.
                guard
                    [.invalidAnswer, .noTransactionIndex, .omission].contains(error.reason),
                    try await calls.tip() != chain.tip
                else { throw error }
            }
            steps = scan.steps
            steps.finishAll()
        }
        throw ChainFailure(
            .unsettled, "the chain moved on under each of \(Self.maximumAttempts) attempts")
    }

    /// Asks for the chain's state and fees, and compares the blocks that were recorded before.
    private func begin(
        _ query: ChainQuery, _ calls: CoreCalls
    ) async throws(ChainFailure) -> (CoreCalls.ChainInfo, ChainSnapshot) {
        var batch = RPCBatch()
        let info = ChainInfoCalls(addingTo: &batch)
        let known = query.tip.map { ($0, batch.add(CoreCalls.block(at: $0.height))) }
        let second = isPrivate ? batch.add(CoreCalls.block(at: 1)) : nil
        let fees = CoreCalls.FeeCalls(addingTo: &batch)
        let answers = try await calls.answers(to: batch)
        let (chain, network) = try chainInfo(info, answers)
        var snapshot = ChainSnapshot(chain: parameters.chain, network: parameters.network)
        var identity = ChainIdentity("genesis \(network.genesis)")
        // A node may refuse this call; the identity is then only the first block.
        if let second { identity.note((try? answers.value(second))??.displayed) }
        snapshot.identity = try identity.text(continuing: query.identity)
        snapshot.height = chain.height
        snapshot.tip = chain.tip.displayed
        if let (tip, pending) = known {
            // A block that is not understood counts as another one: all is asked for again.
            let block = try answers.unlessUnclear(pending)??.displayed
            try refuseLag(chain, network, behind: tip)
            snapshot.continuesTip = tip.height <= chain.height && block == tip.hash
            // After a reorganization `since` stays zero, and the scan begins at the first block.
            if snapshot.continuesTip, !query.isWhole { snapshot.since = tip.height + 1 }
        }
        try fees.read(answers, into: &snapshot)
        return (chain, snapshot)
    }

    /// Whether anyone can start a chain with this one's name and first block.
    private var isPrivate: Bool { parameters.network == .regtest }

    /// Refuses a node that has fewer blocks than were seen before: public chains do not shrink.
    private func refuseLag(
        _ chain: CoreCalls.ChainInfo, _ network: CoreNetwork, behind tip: ChainQuery.Tip
    ) throws(ChainFailure) {
        guard network.isLoadingBelievable, chain.height < tip.height else { return }
        throw ChainFailure(
            .syncing,
            "the node has come to block \(chain.height), and block \(tip.height) was seen before")
    }

    /// The calls that show which network the node is of, and the state of its chain.
    struct ChainInfoCalls {
        let genesis: RPCBatch.Pending<TransactionID?>
        let chain: RPCBatch.Pending<CoreCalls.ChainInfo>

        init(addingTo batch: inout RPCBatch) {
            genesis = batch.add(CoreCalls.block(at: 0))
            chain = batch.add(CoreCalls.chainInfo)
        }
    }

    /// The state of the chain; throws if the node is of another network or has not caught up.
    func chainInfo(
        _ calls: ChainInfoCalls, _ answers: RPCAnswers
    ) throws(ChainFailure) -> (chain: CoreCalls.ChainInfo, network: CoreNetwork) {
        let asked = "\(parameters.chain.rawValue) \(parameters.network.rawValue)"
        guard let network = CoreNetwork.of(parameters) else {
            throw ChainFailure(.wrongChain, "no node serves \(asked)")
        }
        guard let genesis = try answers.value(calls.genesis)?.hex, genesis == network.genesis else {
            throw ChainFailure(.wrongChain, "the node's first block is not that of \(asked)")
        }
        let chain = try answers.value(calls.chain)
        guard chain.name == network.name else {
            throw ChainFailure(
                .wrongChain, "the node is of the network \(NodeText.quoted(chain.name))")
        }
        guard !chain.isLoading || !network.isLoadingBelievable else {
            throw ChainFailure(
                .syncing, "the node still loads blocks and has come to \(chain.height)")
        }
        guard !chain.isPruned else {
            throw ChainFailure(
                .noTransactionIndex, "the node is pruned: it has thrown old blocks away")
        }
        return (chain, network)
    }

    // MARK: - Checking

    package func check(_ known: ChainQuery) async throws(ChainFailure) -> NodeState {
        // An unused address and an unknown transaction: every call is made, and answers are short.
        var query = known
        let nobody = Bytes(repeating: 0x42, count: 20)
        if let address = UTXOAddress(.p2pkh(nobody), parameters) {
            query.watched = [
                .init(address: address.text, script: address.scriptPubKey, isUsed: false)
            ]
        }
        query.transactions = [Bytes(repeating: 0x42, count: 32)]
        let answer = try await observe(query, progress: nil)
        return NodeState(
            height: answer.height, tip: answer.tip,
            notes: (answer.instantSend == true
                ? [] : ["transactions are not locked by InstantSend here"])
                + answer.setAside.map(\.sentence))
    }
}

extension UTXONode {
    package func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
        await broadcast([OutgoingTransaction(bytes: bytes, txid: txid)])[0]
    }

    /// Sends transactions in their order.
    ///
    /// One request sends them all; a second one asks about those that the node did not accept.
    package func broadcast(_ transactions: [OutgoingTransaction]) async -> [BroadcastAnswered] {
        if transactions.isEmpty { return [] }
        let sent = transactions.map { Sent($0) }
        let replies = await calls.send(transactions.map(\.bytes))
        var answers: [BroadcastAnswered?] = []
        var unaccepted: [Unaccepted] = []
        for (index, (sent, reply)) in zip(sent, replies).enumerated() {
            let refusal = sent.refusal(reply)
            // The next scan then finds it in the cache.
            if refusal == nil, let transaction = sent.transaction {
                await cache.keep(transaction, sent.id)
            }
            answers.append(refusal == nil ? BroadcastAnswered(answer: .accepted) : nil)
            if let refusal {
                unaccepted.append(Unaccepted(index: index, sent: sent, refusal: refusal))
            }
        }
        for (sent, answer) in zip(unaccepted, await settled(unaccepted)) {
            answers[sent.index] = answer
        }
        return answers.compactMap(\.self)
    }

    /// A transaction that was sent.
    private struct Sent {
        let bytes: Bytes
        let id: TransactionID

        init(_ transaction: OutgoingTransaction) {
            bytes = transaction.bytes
            id = TransactionID(displayed: transaction.txid)
                ?? TransactionID(hashing: transaction.bytes)
        }

        /// The parsed transaction; nil if it has another id.
        var transaction: UTXOTransaction? { try? UTXOTransaction.parse(bytes, ifIDIs: id) }

        /// The refusal in the node's reply; nil if the node has accepted the transaction.
        func refusal(_ reply: RPCResult) -> CoreRefusal? {
            switch reply {
            case .success(let answer):
                answer.stringValue.flatMap({ TransactionID(hex: $0) }) == id
                    ? nil : .open(ChainFailure.Reason.invalidAnswer.rawValue)
            // -27: the transaction is in a block.
            case .failure(.node(code: -27, _)): nil
            case .failure(let failure): CoreRefusal(failure)
            }
        }
    }

    /// A transaction that the node did not report as accepted.
    private struct Unaccepted {
        let index: Int
        let sent: Sent
        let refusal: CoreRefusal
    }

    // MARK: - Transactions that were not accepted

    /// The outcome of each transaction, found by its id.
    ///
    /// A transaction that the node has is accepted, whatever the node said. A refusal is final only
    /// if this node could judge: it is of the right network, caught up and has the parents.
    private func settled(_ unaccepted: [Unaccepted]) async -> [BroadcastAnswered] {
        if unaccepted.isEmpty { return [] }
        var batch = RPCBatch()
        let info = ChainInfoCalls(addingTo: &batch)
        var pending: [TransactionID: RPCBatch.Pending<NodeValue?>] = [:]
        for one in unaccepted {
            for id in [one.sent.id] + one.refusal.parents(of: one.sent.bytes)
            where pending[id] == nil {
                pending[id] = batch.add(CoreCalls.raw(id))
            }
        }
        do throws(ChainFailure) {
            let answers = try await calls.answers(to: batch)
            func knows(_ id: TransactionID) throws(ChainFailure) -> Bool {
                let tip = try answers.value(info.chain).height
                guard let call = pending[id], let answer = try answers.value(call) else {
                    return false
                }
                return try SeenTransaction(answer, txid: id, tip: tip).location != .abandoned
            }
            return unaccepted.map { one in
                do throws(ChainFailure) {
                    if try knows(one.sent.id) { return BroadcastAnswered(answer: .accepted) }
                    if case .open = one.refusal { return one.refusal.answer }
                    _ = try chainInfo(info, answers)
                    for parent in one.refusal.parents(of: one.sent.bytes)
                    where try !knows(parent) {
                        return CoreRefusal.withoutParent.answer
                    }
                    return one.refusal.answer
                } catch {
                    return Self.unsettled(one.refusal, error)
                }
            }
        } catch {
            return unaccepted.map { Self.unsettled($0.refusal, error) }
        }
    }

    private static func unsettled(
        _ refusal: CoreRefusal, _ failure: ChainFailure
    ) -> BroadcastAnswered {
        if case .open = refusal { return refusal.answer }
        return BroadcastAnswered(answer: .unknown, message: failure.reason.rawValue)
    }
}
