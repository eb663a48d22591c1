package import DaybookChains
package import DaybookDomain
import DaybookEncoding

/// A node of Dash or Axe, with an index of addresses, as a wallet's view of its chain.
///
/// Every answer is untrusted: transactions are read from bytes that prove themselves by their
/// hash, and what can't be proved must at least not contradict itself.
package struct UTXONode: NodeClient {
    private let parameters: UTXOParameters
    let calls: CoreCalls
    let cache = TransactionCache()
    /// How much a node may name in one look.
    var bounds = UTXOLook.Bounds()

    /// The node of a chain and network that is reached through a transport.
    package init(
        _ parameters: UTXOParameters, _ transport: any RPCTransport,
        patience: RPCPatience = .ordinary
    ) {
        self.parameters = parameters
        calls = CoreCalls(NodeRPC(transport, .core, patience: patience))
    }

    /// Blocks come every two and a half minutes: more in a row under one look are no accident.
    private static let mostAttempts = 5

    package func observe(
        _ question: ChainQuestion, progress: ChainProgress?
    ) async throws(ChainFailure) -> ChainAnswer {
        let calls = calls.forOneQuestion()
        var steps = StepCount(progress)
        for _ in 0..<Self.mostAttempts {
            let (chain, network) = try await standing(by: calls)
            var look = UTXOLook(calls, cache, at: chain, within: bounds, counting: steps)
            var answer = ChainAnswer(chain: parameters.chain, network: parameters.network)
            answer.identity = "genesis \(network.genesis)"
            do {
                try await look.look(for: question, into: &answer)
                if try await calls.tip() == chain.tip { return answer }
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

    /// How the chain stands, once the node has shown that it is of our network and caught up.
    func standing(by calls: CoreCalls) async throws(ChainFailure)
        -> (chain: CoreCalls.Standing, network: CoreNetwork)
    {
        let asked = "\(parameters.chain.rawValue) \(parameters.network.rawValue)"
        guard let network = CoreNetwork.of(parameters) else {
            throw ChainFailure(.wrongChain, "no node serves \(asked)")
        }
        guard let genesis = try await calls.block(at: 0)?.hex, genesis == network.genesis else {
            throw ChainFailure(.wrongChain, "the node's first block is not that of \(asked)")
        }
        let chain = try await calls.standing()
        guard chain.name == network.name else {
            throw ChainFailure(
                .wrongChain, "the node is of the network \(NodeText.quoted(chain.name))")
        }
        guard !chain.isLoading || !network.isLoadingBelievable else {
            throw ChainFailure(
                .syncing, "the node still loads blocks and has come to \(chain.height)")
        }
        return (chain, network)
    }

    // MARK: - Checking

    package func check() async throws(ChainFailure) -> NodeStanding {
        // An address and a transaction that nobody has: all calls are made, little is answered.
        var question = ChainQuestion()
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
