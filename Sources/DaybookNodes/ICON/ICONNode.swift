package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// The client of an ICON node with JSON-RPC v3.
package struct ICONNode: NodeClient {
    let network: Network
    private(set) var calls: ICONCalls
    let clock: @Sendable () -> UInt64

    /// A client for a node; `debug` is the transport to its endpoint that estimates steps.
    ///
    /// `clock` returns microseconds since 1970.
    package init(
        _ network: Network, _ transport: any RPCTransport, debug: (any RPCTransport)?,
        retries: RPCRetryPolicy = .ordinary, clock: @escaping @Sendable () -> UInt64
    ) {
        self.network = network
        self.clock = clock
        calls = ICONCalls(
            NodeRPC(transport, .icon, retries: retries),
            debug: debug.map { NodeRPC($0, .icon, retries: retries) })
    }

    package func observe(_ query: ChainQuery, progress: ChainProgress?)
        async throws(ChainFailure) -> ChainSnapshot
    {
        var node = self
        node.calls = calls.forOneQuery()
        var scan = ICONScan(node, query, progress)
        return try await scan.run()
    }

    /// Always fails: ICON has no outputs, so that no transaction is needed to prove one.
    package func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
        guard let id = ids.first else { return [] }
        throw .missing(id)
    }

    package func times(
        of blocks: [NamedBlock], below tip: ChainQuery.Tip
    ) async throws(ChainFailure) -> BlockTimes {
        var times = BlockTimes()
        var batch = RPCBatch()
        let last = batch.add(ICONCalls.block(at: tip.height))
        let asked = blocks.map { block in
            (block.height, batch.add(ICONCalls.time(ofBlock: block.height)))
        }
        let answers = try await calls.forOneQuery().answers(to: batch)
        guard try answers.unlessUnclear(last) ?? nil == tip.hash else { return times }
        for (height, call) in asked {
            do throws(ChainFailure) {
                if let time = try answers.value(call) {
                    times.told.append(ChainObserved.Block(height: height, time: time))
                } else {
                    times.note(height, because: "the node does not have the block")
                }
            } catch {
                guard error.isUnclear else { throw error }
                times.note(height, because: error.message)
            }
        }
        return times
    }

    package func check(_ known: ChainQuery) async throws(ChainFailure) -> NodeState {
        var batch = RPCBatch()
        let chain = ChainCalls(network, known, addingTo: &batch)
        let last = batch.add(ICONCalls.lastBlock)
        let answers = try await calls.answers(to: batch)
        let nid = try possibleID(try answers.value(chain.networkID))
        if !known.networkIDs.isEmpty { try require(nid, among: known.networkIDs) }
        let block = try answers.value(last)
        _ = try chain.identity(answers, continuing: known)
        let now = clock()
        try ICONClock.check(block, at: now)
        let idNote =
            "the network's id is \(ICONInteger.text(nid)): only wallets that were added with it fit"
        let notes = [
            nid == self.network.usualID ? nil : idNote, ICONClock.note(block, at: now),
            await estimateNote(nid, at: now),
        ]
        return NodeState(height: block.height, tip: block.hash, notes: notes.compactMap(\.self))
    }

    /// The calls that show which chain a node is of.
    struct ChainCalls {
        let networkID: RPCBatch.Pending<UInt64>
        private let second: RPCBatch.Pending<Bytes?>?
        private let last: RPCBatch.Pending<Bytes?>?

        /// Asks for block 1, except on mainnet, and for the last block that was recorded.
        init(_ network: Network, _ known: ChainQuery, addingTo batch: inout RPCBatch) {
            networkID = batch.add(ICONCalls.networkID)
            second = network == .mainnet ? nil : batch.add(ICONCalls.block(at: 1))
            last = known.tip.map { batch.add(ICONCalls.block(at: $0.height)) }
        }

        /// The identity to record; throws if this is not the chain that was recorded before.
        func identity(
            _ answers: RPCAnswers, continuing known: ChainQuery
        ) throws(ChainFailure) -> String {
            let nid = try answers.value(networkID)
            var identity = ChainIdentity("nid \(ICONInteger.text(nid))")
            if let second { identity.note(try answers.value(second)) }
            if let tip = known.tip, let last, let hash = try answers.value(last), hash != tip.hash {
                throw ChainFailure(
                    .wrongChain,
                    "the node's chain is another one of the same name: its block \(tip.height) is"
                        + " not the one that was recorded")
            }
            return try identity.text(continuing: known.identity)
        }
    }

    /// Throws unless the network's id is one of these, or its usual one if there are none.
    func require(_ nid: UInt64, among networkIDs: [UInt64]) throws(ChainFailure) {
        let fits = networkIDs.isEmpty ? nid == network.usualID : networkIDs.contains(nid)
        guard fits else { throw wrongNetwork(nid, networkIDs) }
    }

    /// The id of the node's network; throws if no wallet of this network can have it.
    ///
    /// Private test networks can have ids of their own, but not another network's usual one.
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

    /// A note if the debug endpoint can't estimate steps; it is tried with a transfer of nothing.
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
    /// The id of ICON's own network of this kind; nil for the sandbox, which has no nodes.
    fileprivate var usualID: UInt64? {
        switch self {
        case .sandbox: nil
        case .mainnet: 1
        case .testnet: 2
        case .regtest: 3
        }
    }
}

extension ICONNode {
    /// Sends the signed params byte for byte; an unclear outcome is settled by the hash.
    package func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
        // The transport sends JSON: a text that would not be printed unchanged is refused.
        guard let transaction = try? JSON.parse(bytes), Bytes(transaction.text().utf8) == bytes
        else { return BroadcastAnswered(answer: .refused, message: "not a transaction's params") }
        do {
            let hash = try await calls.send(transaction)
            return hash == "0x" + Hex.encode(txid)
                ? BroadcastAnswered(answer: .accepted)
                : await settle(
                    txid, BroadcastAnswered(answer: .unknown, message: "another transaction id"))
        } catch {
            return await settle(txid, answer(error, to: transaction))
        }
    }

    /// The answer that follows from the error of a send alone.
    private func answer(_ failure: RPCFailure, to transaction: JSON) -> BroadcastAnswered {
        switch failure {
        case .unusable(let failure):
            return BroadcastAnswered(answer: .unknown, message: failure.reason.rawValue)
        case .node(let code, let message):
            let refusal: Refusal.Code?
            switch ICONNodeRefusal(code: code, message: message) {
            // `settle` asks how it was executed, if it was.
            case .alreadyKnown: return BroadcastAnswered(answer: .accepted)
            case .open(let reason):
                return BroadcastAnswered(answer: .unknown, message: reason.rawValue)
            case .final: refusal = nil
            case .insufficientBalance: refusal = .insufficientBalance
            case .wrongTime: refusal = isOfNow(transaction) ? .clockOff : nil
            }
            return BroadcastAnswered(
                answer: .refused, code: code, message: message, refusal: refusal)
        }
    }

    /// Whether a transaction's time is near ours, so that the node's clock must be off.
    private func isOfNow(_ transaction: JSON) -> Bool {
        guard let time = transaction["timestamp"]?.stringValue.flatMap(ICONInteger.parseSmall)
        else { return false }
        let now = clock()
        return max(now, time) - min(now, time) <= ICONClock.tolerance
    }

    /// The answer after asking for the transaction: if the node has it, it is accepted.
    ///
    /// A transaction that is in a block is soon refused as too old when it is sent again. One that
    /// was executed without success is accepted, with that refusal: its caller must not be told
    /// that it is paid.
    private func settle(_ txid: Bytes, _ answer: BroadcastAnswered) async -> BroadcastAnswered {
        do throws(ChainFailure) {
            if let outcome = try await calls.value(ICONCalls.outcome(of: txid)) {
                guard let status = outcome.status else {
                    throw ChainFailure(.invalidAnswer, outcome.unclear ?? "")
                }
                return BroadcastAnswered(
                    answer: .accepted, refusal: status.failure == nil ? nil : .failedOnChain)
            }
            // The refusal of a node of another network means nothing.
            if answer.answer == .refused { _ = try await possibleID() }
            return answer
        } catch {
            if answer.answer == .accepted { return answer }
            return BroadcastAnswered(answer: .unknown, message: error.reason.rawValue)
        }
    }
}

/// Compares this computer's clock with an ICON node's, in microseconds since 1970.
enum ICONClock {
    /// Nodes refuse transactions whose time differs more from their own.
    static let tolerance: UInt64 = 5 * 60 * 1_000_000
    /// Smaller differences are not reported.
    static let noticeable: UInt64 = 10 * 1_000_000

    /// Throws if a block's time is so far ahead of ours that one of the clocks is wrong.
    ///
    /// An old block means nothing: some networks make no blocks while there are no transactions.
    static func check(_ block: ICONBlockHeader, at now: UInt64) throws(ChainFailure) {
        guard let time = block.time, time > now, time - now > tolerance else { return }
        throw ChainFailure(.clock, behind(time, at: now))
    }

    /// A note about a block's time that `check` accepts; nil if there is nothing to report.
    static func note(_ block: ICONBlockHeader, at now: UInt64) -> String? {
        guard let time = block.time else { return "the last block has no time to compare with" }
        if time > now { return time - now > noticeable ? behind(time, at: now) : nil }
        guard now - time > tolerance else { return nil }
        return "the last block is \(words(now - time)) old: the node has stopped or is"
            + " catching up, or its network makes no blocks while nothing happens"
    }

    private static func behind(_ time: UInt64, at now: UInt64) -> String {
        "this computer's clock is \(words(time - now)) behind the node's last block"
    }

    /// A time span to its largest unit.
    private static func words(_ microseconds: UInt64) -> String {
        let seconds = microseconds / 1_000_000
        let (count, unit) =
            switch seconds {
            case ..<120: (seconds, "second")
            case ..<7200: (seconds / 60, "minute")
            case ..<172_800: (seconds / 3600, "hour")
            default: (seconds / 86_400, "day")
            }
        return "\(count) \(unit)" + (count == 1 ? "" : "s")
    }
}
