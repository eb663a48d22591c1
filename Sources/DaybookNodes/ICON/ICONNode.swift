package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// A node of an ICON network, by JSON-RPC v3.
package struct ICONNode: NodeClient {
    let network: Network
    private(set) var calls: ICONCalls
    let clock: @Sendable () -> UInt64

    /// A node behind a transport; `debug` leads to the address at which it estimates steps.
    ///
    /// The clock tells microseconds since 1970.
    package init(
        _ network: Network, _ transport: any RPCTransport, debug: (any RPCTransport)?,
        patience: RPCPatience = .ordinary, clock: @escaping @Sendable () -> UInt64
    ) {
        self.network = network
        self.clock = clock
        calls = ICONCalls(
            NodeRPC(transport, .icon, patience: patience),
            debug: debug.map { NodeRPC($0, .icon, patience: patience) })
    }

    package func observe(_ question: ChainQuery, progress: ChainProgress?)
        async throws(ChainFailure) -> ChainSnapshot
    {
        var node = self
        node.calls = calls.forOneQuestion()
        var observation = ICONObservation(node, question, progress)
        return try await observation.answer()
    }

    /// No output is spent on ICON, and so no transaction is asked for.
    package func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
        guard let id = ids.first else { return [] }
        throw .missing(id)
    }

    package func check() async throws(ChainFailure) -> NodeStanding {
        var batch = RPCBatch()
        let network = batch.add(ICONCalls.networkID)
        let last = batch.add(ICONCalls.lastBlock)
        let answers = try await calls.answers(to: batch)
        let nid = try possibleID(try answers.value(network))
        let block = try answers.value(last)
        let now = clock()
        try ICONClock.check(block, at: now)
        let idNote =
            "the network's id is \(ICONInteger.text(nid)): only wallets that were added with it fit"
        let notes = [
            nid == self.network.usualID ? nil : idNote, ICONClock.note(block, at: now),
            await estimateNote(nid, at: now),
        ]
        return NodeStanding(height: block.height, tip: block.hash, notes: notes.compactMap(\.self))
    }

    /// Refuses the id of a network unless it is one of these; of none, the network's usual one.
    func require(_ nid: UInt64, among networkIDs: [UInt64]) throws(ChainFailure) {
        let fits = networkIDs.isEmpty ? nid == network.usualID : networkIDs.contains(nid)
        guard fits else { throw wrongNetwork(nid, networkIDs) }
    }

    /// The id of the node's network, which must be one that wallets of this network can have.
    ///
    /// Those of test networks can have ids of their own, but never another network's usual one.
    func possibleID() async throws(ChainFailure) -> UInt64 {
        try possibleID(try await calls.value(ICONCalls.networkID))
    }

    private func possibleID(_ nid: UInt64) throws(ChainFailure) -> UInt64 {
        let isOther = Network.allCases.contains { $0 != network && $0.usualID == nid }
        if nid != network.usualID, isOther || network == .mainnet {
            throw wrongNetwork(nid, [])
        }
        return nid
    }

    private func wrongNetwork(_ nid: UInt64, _ networkIDs: [UInt64]) -> ChainFailure {
        let wanted = networkIDs.isEmpty ? [network.usualID].compactMap(\.self) : networkIDs
        let names = wanted.map { ICONInteger.text($0) }.joined(separator: " or ")
        return ChainFailure(
            .wrongChain, "the node is of the network \(ICONInteger.text(nid)), not \(names)")
    }

    /// What is worth knowing of the debug endpoint, which is asked about a transfer of nothing.
    private func estimateNote(_ nid: UInt64, at now: UInt64) async -> String? {
        guard let nobody = ICONAddress(kind: .account, hash: ICONAddress.system.hash) else {
            return nil
        }
        let transfer = ICONDraft(from: nobody, to: nobody, value: nil, timestamp: now, nid: nid)
        do {
            _ = try await calls.estimate(transfer.params)
            return nil
        } catch {
            // A node that refuses this transfer knows the call.
            guard case .unusable(let failure) = error else { return nil }
            return "calls of contracts get no estimate: \(failure.message)"
        }
    }
}

extension Network {
    /// The id that ICON's own network of this kind has; nil for the sandbox, which has no node.
    fileprivate var usualID: UInt64? {
        switch self {
        case .sandbox: nil
        case .mainnet: 1
        case .testnet: 2
        case .regtest: 3
        }
    }
}
