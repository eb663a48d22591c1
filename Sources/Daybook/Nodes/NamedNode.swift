import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes

/// A node whose failures say which node they are of.
struct NamedNode: NodeClient {
    let client: any NodeClient
    let node: Node

    func observe(
        _ question: ChainQuery, progress: ChainProgress?
    ) async throws(ChainFailure) -> ChainSnapshot {
        do {
            return try await client.observe(question, progress: progress)
        } catch {
            throw named(error)
        }
    }

    func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
        do {
            return try await client.transactions(ids)
        } catch {
            throw named(error)
        }
    }

    func check() async throws(ChainFailure) -> NodeState {
        do {
            return try await client.check()
        } catch {
            throw named(error)
        }
    }

    func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
        await client.broadcast(bytes, txid: txid)
    }

    func broadcast(_ transactions: [OutgoingTransaction]) async -> [BroadcastAnswered] {
        await client.broadcast(transactions)
    }

    private func named(_ failure: ChainFailure) -> ChainFailure {
        var failure = failure
        failure.origin = ChainFailure.Origin(chainID: node.place, url: node.url)
        return failure
    }
}

extension ChainID {
    init(named chain: ChainName, _ network: NetworkName) {
        self.init(Chain(chain), Network(network))
    }

    var chainName: ChainName { ChainName(chain) }
    var networkName: NetworkName { NetworkName(network) }
}

extension Node {
    var place: ChainID { ChainID(named: chain, network) }
}

extension NodeProblem {
    var place: ChainID { ChainID(named: chain, network) }
}

extension NodeProblem {
    /// What kept a node from being asked, or from answering.
    init(_ error: any Error, at place: ChainID) {
        if let failure = error as? ChainFailure {
            self.init(
                chain: place.chainName, network: place.networkName, code: failure.reason.code,
                url: failure.origin?.url, message: failure.message,
                advice: failure.reason.advice, kind: .node)
        } else {
            let error = DaybookError.from(error)
            self.init(
                chain: place.chainName, network: place.networkName, code: error.code,
                url: nil, message: error.message, advice: nil, kind: error.kind)
        }
    }
}

extension DaybookError {
    /// The problem as an error that names the node.
    init(_ problem: NodeProblem) {
        let place = "\(problem.chain.rawValue) \(problem.network.rawValue)"
        let address = problem.url.map { " at \($0)" } ?? ""
        let advice = problem.advice.map { "; \($0)" } ?? ""
        self.init(problem.code, problem.kind, "\(place)\(address): \(problem.message)\(advice)")
    }

    init(_ failure: ChainFailure) {
        if let origin = failure.origin {
            self.init(NodeProblem(failure, at: origin.chainID))
            return
        }
        self.init(
            failure.reason.code, .node, "\(failure.message); \(failure.reason.advice)")
    }
}

extension ChainFailure.Reason {
    /// The facade's name of the reason, the same in every version.
    var code: String {
        switch self {
        case .noNode: "nodeMissing"
        case .unreachable: "nodeUnreachable"
        case .noAnswer: "nodeNoAnswer"
        case .certificate: "nodeCertificate"
        case .wrongPassword: "nodeWrongPassword"
        case .wrongPath: "nodeWrongPath"
        case .redirect: "nodeRedirect"
        case .warmingUp: "nodeWarmingUp"
        case .busy: "nodeBusy"
        case .syncing: "nodeSyncing"
        case .wrongChain: "nodeWrongChain"
        case .noAddressIndex: "nodeNoAddressIndex"
        case .noTransactionIndex: "nodeNoTransactionIndex"
        case .missingTransaction: "nodeMissingTransaction"
        case .unprovenSpend: "nodeUnprovenSpend"
        case .contradiction: "nodeContradiction"
        case .unknownCall: "nodeUnknownCall"
        case .tooLong: "nodeAnswerTooLong"
        case .invalidAnswer: "nodeAnswerInvalid"
        case .tooSlow: "nodeTooSlow"
        case .unsettled: "nodeUnsettled"
        case .clock: "clockOff"
        case .refused: "nodeRefused"
        }
    }
}
