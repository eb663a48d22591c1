package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// A node of Dash or Axe, with an index of addresses, as a wallet's view of its chain.
///
/// Every answer is untrusted: transactions are read from bytes that prove themselves by their
/// hash, and what can't be proved must at least not contradict itself.
package struct UTXONode: NodeClient {
    private let parameters: UTXOParameters
    let calls: CoreCalls
    let cache: TransactionCache
    /// How much a node may name in one look.
    var bounds = UTXOLook.Bounds()

    /// The node of a chain and network that is reached through a transport.
    ///
    /// Transactions that were fetched are kept in `files`.
    package init(
        _ parameters: UTXOParameters, _ transport: any RPCTransport,
        keeping files: (any TransactionFiles)? = nil, patience: RPCPatience = .ordinary
    ) {
        self.parameters = parameters
        cache = TransactionCache(files: files)
        calls = CoreCalls(NodeRPC(transport, .core, patience: patience))
    }

    /// Blocks come every two and a half minutes: more in a row under one look are no accident.
    private static let mostAttempts = 5

    package func observe(
        _ question: ChainQuery, progress: ChainProgress?
    ) async throws(ChainFailure) -> ChainSnapshot {
        let calls = calls.forOneQuestion()
        var steps = StepCount(progress)
        for _ in 0..<Self.mostAttempts {
            let (chain, first) = try await begin(question, calls)
            var answer = first
            var look = UTXOLook(calls, cache, at: chain, within: bounds, counting: steps)
            do {
                if try await look.look(for: question, into: &answer) { return answer }
            } catch {
                // A block that came in meanwhile makes an honest node contradict itself.
                guard [.invalidAnswer, .noTransactionIndex].contains(error.reason),
                    try await calls.tip() != chain.tip
                else { throw error }
            }
            steps = look.steps
            steps.finishAll()
        }
        throw ChainFailure(
            .unsettled, "the chain moved on under each of \(Self.mostAttempts) attempts")
    }

    /// Asks how the chain stands, what a transaction costs, and which blocks are new.
    private func begin(
        _ question: ChainQuery, _ calls: CoreCalls
    ) async throws(ChainFailure) -> (CoreCalls.Standing, ChainSnapshot) {
        var batch = RPCBatch()
        let standing = StandingCalls(addingTo: &batch)
        let known = question.tip.map { ($0, batch.add(CoreCalls.block(at: $0.height))) }
        let second = isPrivate ? batch.add(CoreCalls.block(at: 1)) : nil
        let terms = CoreCalls.Terms(addingTo: &batch)
        let answers = try await calls.answers(to: batch)
        let (chain, network) = try self.standing(standing, answers)
        var answer = ChainSnapshot(chain: parameters.chain, network: parameters.network)
        var identity = ChainIdentity("genesis \(network.genesis)")
        // Of a node that does not tell nothing more is known.
        if let second { identity.note((try? answers.value(second))??.displayed) }
        answer.identity = try identity.text(goingOnFrom: question.identity)
        answer.height = chain.height
        answer.tip = chain.tip.displayed
        if let (tip, place) = known {
            let block = try answers.value(place)?.displayed
            try refuseLag(chain, network, behind: tip)
            // Zero if what was looked at is no longer of the chain.
            if tip.height <= chain.height, block == tip.hash { answer.since = tip.height + 1 }
        }
        answer.feeRate = try terms.feeRate(answers)
        answer.instantSend = try terms.instantSend(answers)
        return (chain, answer)
    }

    /// Whether anyone may start a chain that has this one's name and first block.
    private var isPrivate: Bool { parameters.network == .regtest }

    /// Refuses a node that has fewer blocks than were seen before: public chains do not shrink.
    private func refuseLag(
        _ chain: CoreCalls.Standing, _ network: CoreNetwork, behind tip: ChainQuery.Tip
    ) throws(ChainFailure) {
        guard network.isLoadingBelievable, chain.height < tip.height else { return }
        throw ChainFailure(
            .syncing,
            "the node has come to block \(chain.height), and block \(tip.height) was seen before")
    }

    /// The calls that show which node this is, and how its chain stands.
    struct StandingCalls {
        let genesis: RPCBatch.Place<TransactionID?>
        let chain: RPCBatch.Place<CoreCalls.Standing>

        init(addingTo batch: inout RPCBatch) {
            genesis = batch.add(CoreCalls.block(at: 0))
            chain = batch.add(CoreCalls.standing)
        }
    }

    /// How the chain stands, once the node has shown that it is of our network and caught up.
    func standing(
        _ calls: StandingCalls, _ answers: RPCAnswers
    ) throws(ChainFailure) -> (chain: CoreCalls.Standing, network: CoreNetwork) {
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

    package func check() async throws(ChainFailure) -> NodeStanding {
        // An address and a transaction that nobody has: all calls are made, little is answered.
        var question = ChainQuery()
        let nobody = Bytes(repeating: 0x42, count: 20)
        if let address = UTXOAddress(.p2pkh(nobody), parameters) {
            question.watched = [
                .init(address: address.text, script: address.scriptPubKey, isUsed: false)
            ]
        }
        question.transactions = [Bytes(repeating: 0x42, count: 32)]
        let answer = try await observe(question, progress: nil)
        return NodeStanding(
            height: answer.height, tip: answer.tip,
            notes: answer.instantSend == true
                ? [] : ["transactions are not locked by InstantSend here"])
    }
}

extension UTXONode {
    package func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
        await broadcast([OutgoingTransaction(bytes: bytes, txid: txid)])[0]
    }

    /// Sends transactions in their order.
    ///
    /// That is one request where the node takes it, and one more about all that it did not take.
    package func broadcast(_ transactions: [OutgoingTransaction]) async -> [BroadcastAnswered] {
        if transactions.isEmpty { return [] }
        let sent = transactions.map { Sent($0) }
        let replies = await calls.send(transactions.map(\.bytes))
        var answers: [BroadcastAnswered?] = []
        var open: [Doubt] = []
        for (index, (sent, reply)) in zip(sent, replies).enumerated() {
            let refusal = sent.refusal(reply)
            // The look that follows need not ask for it.
            if refusal == nil, let transaction = sent.transaction {
                await cache.keep(transaction, sent.id)
            }
            answers.append(refusal == nil ? BroadcastAnswered(answer: .accepted) : nil)
            if let refusal { open.append(Doubt(index: index, sent: sent, refusal: refusal)) }
        }
        for (doubt, answer) in zip(open, await settled(open)) { answers[doubt.index] = answer }
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

        /// What the bytes are, where they are what their id says.
        var transaction: UTXOTransaction? {
            TransactionID(hashing: bytes) == id ? try? UTXOTransaction.parse(bytes) : nil
        }

        /// What stands against it; nil if the node has taken it.
        func refusal(_ reply: RPCResult) -> CoreRefusal? {
            switch reply {
            case .success(let answer):
                answer.stringValue.flatMap({ TransactionID(hex: $0) }) == id
                    ? nil : .open(ChainFailure.Reason.invalidAnswer.rawValue)
            // -27: it is in a block.
            case .failure(.node(code: -27, _)): nil
            case .failure(let failure): CoreRefusal(failure)
            }
        }
    }

    /// A transaction that the node did not say to have taken.
    private struct Doubt {
        let index: Int
        let sent: Sent
        let refusal: CoreRefusal
    }

    // MARK: - What was not taken

    /// What became of each transaction, by its id: one that the node has is accepted, whatever the
    /// node said. A refusal is open where this node is not the one to refuse for good.
    private func settled(_ open: [Doubt]) async -> [BroadcastAnswered] {
        if open.isEmpty { return [] }
        var batch = RPCBatch()
        let standing = StandingCalls(addingTo: &batch)
        var places: [TransactionID: RPCBatch.Place<NodeValue?>] = [:]
        for doubt in open {
            for id in [doubt.sent.id] + doubt.refusal.parents(of: doubt.sent.bytes)
            where places[id] == nil {
                places[id] = batch.add(CoreCalls.raw(id))
            }
        }
        do throws(ChainFailure) {
            let answers = try await calls.answers(to: batch)
            func knows(_ id: TransactionID) throws(ChainFailure) -> Bool {
                let tip = try answers.value(standing.chain).height
                guard let place = places[id], let answer = try answers.value(place) else {
                    return false
                }
                return try SeenTransaction(answer, txid: id, tip: tip).place != .abandoned
            }
            return open.map { doubt in
                do throws(ChainFailure) {
                    if try knows(doubt.sent.id) { return BroadcastAnswered(answer: .accepted) }
                    if case .open = doubt.refusal { return doubt.refusal.answer }
                    // Only a node of this network that has all of its blocks can refuse for good.
                    _ = try self.standing(standing, answers)
                    for parent in doubt.refusal.parents(of: doubt.sent.bytes)
                    where try !knows(parent) {
                        return CoreRefusal.withoutParent.answer
                    }
                    return doubt.refusal.answer
                } catch {
                    return Self.unsettled(doubt.refusal, error)
                }
            }
        } catch {
            return open.map { Self.unsettled($0.refusal, error) }
        }
    }

    private static func unsettled(
        _ refusal: CoreRefusal, _ failure: ChainFailure
    ) -> BroadcastAnswered {
        if case .open = refusal { return refusal.answer }
        return BroadcastAnswered(answer: .unknown, message: failure.reason.rawValue)
    }
}
