import DaybookChains
import DaybookEncoding

/// The calls of Dash Core and Axe Core that a wallet needs, their answers checked.
struct CoreCalls: Sendable {
    private let rpc: NodeRPC

    init(_ rpc: NodeRPC) {
        self.rpc = rpc
    }

    /// The same node for one question, whose time begins now.
    func forOneQuestion() -> CoreCalls { CoreCalls(rpc.forOneQuestion()) }

    /// Throws once the question's time is over.
    func checkTime() throws(ChainFailure) { try rpc.checkTime() }

    /// The result of a call, in which a missing result is an error.
    private func ask(_ method: String, _ parameters: JSON...) async throws(ChainFailure)
        -> NodeValue
    {
        do {
            return NodeValue(try await rpc.call(method, .array(parameters)), of: method)
        } catch {
            throw error.chainFailure
        }
    }

    /// The result of a call; nil if `isNone` takes the node's error as saying that there is none.
    private func ask(
        _ method: String, _ parameters: JSON...,
        isNone: (_ code: Int64, _ message: String) throws(ChainFailure) -> Bool
    ) async throws(ChainFailure) -> NodeValue? {
        do {
            return NodeValue(try await rpc.call(method, .array(parameters)), of: method)
        } catch {
            if case .node(let code, let message) = error, try isNone(code, message) { return nil }
            throw error.chainFailure
        }
    }
}

// MARK: - The chain

extension CoreCalls {
    /// What `getblockchaininfo` tells.
    struct Standing {
        let name: String
        let height: UInt64
        let tip: TransactionID
        let isLoading: Bool
    }

    func standing() async throws(ChainFailure) -> Standing {
        let answer = try await ask("getblockchaininfo")
        return Standing(
            name: try answer.member("chain").text, height: try answer.member("blocks").height,
            tip: try answer.member("bestblockhash").id,
            isLoading: try answer.member("initialblockdownload").flag)
    }

    func tip() async throws(ChainFailure) -> TransactionID {
        try await ask("getbestblockhash").id
    }

    /// The hash of the block at a height; nil if the chain is not as high.
    func block(at height: UInt64) async throws(ChainFailure) -> TransactionID? {
        try await ask("getblockhash", .int(height)) { code, _ in code == -8 }?.id
    }
}

// MARK: - Addresses

extension CoreCalls {
    /// The transactions in the mempool that pay to or spend from addresses.
    func mempool(of addresses: [String]) async throws(ChainFailure) -> [TransactionID] {
        var ids: [TransactionID] = []
        for entry in try await askIndex("getaddressmempool", addresses).elements {
            ids.append(try entry.member("txid").id)
        }
        return ids
    }

    /// The transactions in some blocks that pay to or spend from addresses, and their heights.
    func blocks(
        _ heights: ClosedRange<UInt64>, of addresses: [String]
    ) async throws(ChainFailure) -> [(txid: TransactionID, height: UInt64)] {
        var entries: [(TransactionID, UInt64)] = []
        for delta in try await askIndex("getaddressdeltas", addresses, heights).elements {
            let height = try delta.member("height")
            guard heights.contains(try height.height) else {
                throw height.wrong("a block that was asked for")
            }
            entries.append((try delta.member("txid").id, try height.height))
        }
        return entries
    }

    private func askIndex(
        _ method: String, _ addresses: [String], _ heights: ClosedRange<UInt64>? = nil
    ) async throws(ChainFailure) -> NodeValue {
        // The node heeds the limits only if there are both and neither is zero.
        let parameter = JSON.record([
            "addresses": .array(addresses.map(JSON.string)),
            "start": heights.map { .int($0.lowerBound) },
            "end": heights.map { .int($0.upperBound) },
        ])
        do {
            return try await NodeValue(
                rpc.call(method, .array([parameter]), keeping: ["txid", "height"]), of: method)
        } catch {
            guard case .node(code: -5, let message) = error,
                message.hasPrefix("No information available")
            else { throw error.chainFailure }
            throw ChainFailure(.noAddressIndex, "the node keeps no index of addresses")
        }
    }
}

// MARK: - Transactions

extension CoreCalls {
    /// A transaction that the node has in a block or in its mempool; nil if it has none.
    func transaction(
        _ txid: TransactionID, tip: UInt64
    ) async throws(ChainFailure) -> SeenTransaction? {
        try await answer(txid).map { answer throws(ChainFailure) in
            try SeenTransaction(answer, txid: txid, tip: tip)
        }
    }

    /// The bytes of a transaction, wherever the node has it; nil if it has it nowhere.
    func bytes(of txid: TransactionID) async throws(ChainFailure) -> UTXOTransaction? {
        try await answer(txid).map { answer throws(ChainFailure) in
            try SeenTransaction.transaction(try answer.member("hex"), txid)
        }
    }

    private func answer(_ txid: TransactionID) async throws(ChainFailure) -> NodeValue? {
        try await ask("getrawtransaction", .string(txid.hex), .bool(true)) {
            code, message throws(ChainFailure) in
            if message.contains("-txindex") {
                throw ChainFailure(.noTransactionIndex, "the node keeps no index of transactions")
            }
            if message.contains("being indexed") {
                throw ChainFailure(.syncing, "the node still makes its index of transactions")
            }
            return code == -5
        }
    }

    /// Whether the node has a transaction in a block of its chain or in its mempool.
    func knows(_ txid: TransactionID) async throws(ChainFailure) -> Bool {
        let chain = try await standing()
        guard let seen = try await transaction(txid, tip: chain.height) else { return false }
        return seen.place != .abandoned
    }

    /// Sends a transaction; the id that the node gives it.
    func send(_ bytes: Bytes) async throws(RPCFailure) -> TransactionID? {
        // A second parameter means something else to each of the two nodes.
        try await rpc.call("sendrawtransaction", .array([.string(Hex.encode(bytes))]))
            .stringValue.flatMap { TransactionID(hex: $0) }
    }
}

// MARK: - The network's terms

extension CoreCalls {
    /// The fee for 1000 bytes with which a transaction is relayed and soon mined, in duffs.
    func feeRate() async throws(ChainFailure) -> UInt64 {
        let mempool = try await ask("getmempoolinfo")
        var rates = [
            RelayPolicy.minimumFeePerKilobyte, try Self.rate(try mempool.member("mempoolminfee")),
            try Self.rate(try mempool.member("minrelaytxfee")),
        ]
        // A node that relays nothing of others estimates nothing, and Axe omits what it can't tell.
        let estimate = try await ask("estimatesmartfee", .int(Self.blocksToWait)) { _, _ in true }
        if let estimated = try estimate?.optional("feerate") {
            rates.append(try Self.rate(estimated))
        }
        return rates.max() ?? RelayPolicy.minimumFeePerKilobyte
    }

    private static let blocksToWait = 6

    /// A rate that the node wrote in coins, in duffs.
    ///
    /// What is above the nodes' own guard against mistakes is taken as that guard: coin selection
    /// refuses to pay it, but a node with a broken estimate can still show what there is.
    private static func rate(_ value: NodeValue) throws(ChainFailure) -> UInt64 {
        guard let literal = value.json.numberLiteral,
            let duffs = DecimalAmount.parse(literal, decimals: Duffs.decimals)
        else { throw value.wrong("a fee in coins") }
        return min(UInt64(exactly: duffs) ?? .max, RelayPolicy.suspiciousFee)
    }

    /// Whether the network's masternodes lock transactions.
    func instantSend() async throws(ChainFailure) -> Bool {
        do {
            let sporks = try await rpc.call("spork", .array([.string("active")]))
            return sporks["SPORK_2_INSTANTSEND_ENABLED"] == .bool(true)
        } catch {
            switch error {
            case .node: return false
            // A user without the right to this call, or a node without it, has no locks to see.
            case .unusable(let failure)
            where [.unknownCall, .wrongPassword].contains(failure.reason): return false
            case .unusable(let failure): throw failure
            }
        }
    }
}
