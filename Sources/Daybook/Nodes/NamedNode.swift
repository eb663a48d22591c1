import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes

/// A node client whose failures name the node.
struct NamedNode: NodeClient {
    let client: any NodeClient
    let node: Node

    func observe(
        _ query: ChainQuery, progress: ChainProgress?
    ) async throws(ChainFailure) -> ChainSnapshot {
        do {
            return try await client.observe(query, progress: progress)
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

    func times(
        of blocks: [NamedBlock], below tip: ChainQuery.Tip
    ) async throws(ChainFailure) -> BlockTimes {
        do {
            return try await client.times(of: blocks, below: tip)
        } catch {
            throw named(error)
        }
    }

    func check(_ known: ChainQuery) async throws(ChainFailure) -> NodeState {
        do {
            return try await client.check(known)
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
        failure.origin = ChainFailure.Origin(chainID: node.chainID, url: node.url)
        return failure
    }
}

extension ChainID {
    /// The chain and network with these public names.
    init(named chain: ChainName, _ network: NetworkName) {
        self.init(Chain(chain), Network(network))
    }

    var chainName: ChainName { ChainName(chain) }
    var networkName: NetworkName { NetworkName(network) }
}

extension Node {
    var chainID: ChainID { ChainID(named: chain, network) }
}

extension NodeProblem {
    var chainID: ChainID { ChainID(named: chain, network) }

    /// The problem that an error of asking a chain's node means.
    init(_ error: any Error, of chainID: ChainID) {
        if let failure = error as? ChainFailure {
            self.init(
                chain: chainID.chainName, network: chainID.networkName, code: failure.reason.code,
                url: failure.origin?.url, message: failure.message,
                advice: failure.reason.advice, kind: .node)
        } else {
            let error = DaybookError.from(error)
            self.init(
                chain: chainID.chainName, network: chainID.networkName, code: error.code,
                url: nil, message: error.message, advice: nil, kind: error.kind)
        }
    }
}

extension DaybookError {
    /// The problem as an error that names the node.
    init(_ problem: NodeProblem) {
        let name = "\(problem.chain.rawValue) \(problem.network.rawValue)"
        let address = problem.url.map { " at \($0)" } ?? ""
        let advice = problem.advice.map { "; \($0)" } ?? ""
        self.init(problem.code, problem.kind, "\(name)\(address): \(problem.message)\(advice)")
    }

    init(_ failure: ChainFailure) {
        if let origin = failure.origin {
            self.init(NodeProblem(failure, of: origin.chainID))
            return
        }
        self.init(
            failure.reason.code, .node, "\(failure.message); \(failure.reason.advice)")
    }
}

extension ChainFailure.Reason {
    /// The stable error code of the reason.
    var code: DaybookError.Code {
        switch self {
        case .noNode: "nodeMissing"
        case .unreachable: "nodeUnreachable"
        case .proxy: "nodeProxy"
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
        case .omission: "nodeOmission"
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
