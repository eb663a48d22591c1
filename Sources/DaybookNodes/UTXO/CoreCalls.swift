import DaybookChains
import DaybookEncoding

/// The calls of Dash Core and Axe Core that a wallet needs, their answers checked.
///
/// A step asks all that it needs by one batch.
struct CoreCalls: Sendable {
    private let rpc: NodeRPC

    init(_ rpc: NodeRPC) {
        self.rpc = rpc
    }

    /// The same node for one question, whose time begins now.
    func forOneQuestion() -> CoreCalls { CoreCalls(rpc.forOneQuestion()) }

    /// Throws once the question's time is over.
    func checkTime() throws(ChainFailure) { try rpc.checkTime() }

    /// The answers to calls that are made together.
    func answers(to batch: RPCBatch) async throws(ChainFailure) -> RPCAnswers {
        try await rpc.answers(to: batch).answers
    }

    /// The answers to calls while the highest block stays the same; nil if it changed meanwhile.
    func answers(
        to batch: RPCBatch, at tip: TransactionID
    ) async throws(ChainFailure) -> RPCAnswers? {
        let (answers, closings) = try await rpc.answers(to: batch, closing: Self.tip.call)
        for closing in closings where try Self.tip.read(closing) != tip { return nil }
        return answers
    }

    /// What `sendrawtransaction` says to each of some transactions, which are sent in their order.
    func send(_ transactions: [Bytes]) async -> [RPCResult] {
        var batch = RPCBatch()
        // A second parameter means something else to each of the two nodes.
        for bytes in transactions {
            _ = batch.add(
                NodeCall("sendrawtransaction", .array([.string(Hex.encode(bytes))])) { _ in })
        }
        do {
            return try await rpc.answers(to: batch, inOrder: true).answers.results
        } catch {
            return transactions.map { _ in .failure(.unusable(error)) }
        }
    }

    func tip() async throws(ChainFailure) -> TransactionID { try await rpc.value(Self.tip) }
}

// MARK: - The chain

extension CoreCalls {
    /// What `getblockchaininfo` tells.
    struct Standing {
        let name: String
        let height: UInt64
        let tip: TransactionID
        let isLoading: Bool
        let isPruned: Bool
    }

    static var standing: NodeCall<Standing> {
        NodeCall("getblockchaininfo", .array([])) { answer throws(ChainFailure) in
            Standing(
                name: try answer.member("chain").text, height: try answer.member("blocks").height,
                tip: try answer.member("bestblockhash").id,
                isLoading: try answer.member("initialblockdownload").flag,
                isPruned: try answer.optional("pruned")?.flag ?? false)
        }
    }

    /// The hash of the highest block.
    static var tip: NodeCall<TransactionID> {
        NodeCall("getbestblockhash", .array([]), keeping: []) { answer throws(ChainFailure) in
            try answer.id
        }
    }

    /// The hash of the block at a height; nil if the chain is not as high.
    static func block(at height: UInt64) -> NodeCall<TransactionID?> {
        .orNil("getblockhash", .array([.int(height)])) { code, _ in
            code == -8
        } result: { answer throws(ChainFailure) in
            try answer.id
        }
    }
}

// MARK: - Addresses

extension CoreCalls {
    /// A transaction that pays to or spends from an address.
    struct Entry {
        let txid: TransactionID
        /// Nil in the mempool.
        let height: UInt64?
        /// Which of the addresses it is about, as the node says; only a hint.
        let address: String?
    }

    /// The transactions in the mempool that pay to or spend from addresses.
    static func mempool(of addresses: [String]) -> NodeCall<[Entry]> {
        index("getaddressmempool", addresses, nil) { entry throws(ChainFailure) in
            Entry(
                txid: try entry.member("txid").id, height: nil,
                address: entry.json["address"]?.stringValue)
        }
    }

    /// The transactions in some blocks that pay to or spend from addresses, and their heights.
    static func blocks(
        _ heights: ClosedRange<UInt64>, of addresses: [String]
    ) -> NodeCall<[Entry]> {
        index("getaddressdeltas", addresses, heights) { entry throws(ChainFailure) in
            let height = try entry.member("height")
            guard heights.contains(try height.height) else {
                throw height.wrong("a block that was asked for")
            }
            return Entry(
                txid: try entry.member("txid").id, height: try height.height,
                address: entry.json["address"]?.stringValue)
        }
    }

    private static func index(
        _ method: String, _ addresses: [String], _ heights: ClosedRange<UInt64>?,
        _ read: @escaping @Sendable (NodeValue) throws(ChainFailure) -> Entry
    ) -> NodeCall<[Entry]> {
        // The node heeds the limits only if there are both and neither is zero.
        let parameter = JSON.record([
            "addresses": .array(addresses.map(JSON.string)),
            "start": heights.map { .int($0.lowerBound) },
            "end": heights.map { .int($0.upperBound) },
        ])
        let call = RPCCall(
            method, .array([parameter]), keeping: ["txid", "height", "address"])
        return NodeCall(call) { answer throws(ChainFailure) in
            switch answer {
            case .success(let list):
                var entries: [Entry] = []
                for entry in try NodeValue(list, of: method).elements {
                    entries.append(try read(entry))
                }
                return entries
            case .failure(.node(code: -5, let message))
            where message.hasPrefix("No information available"):
                throw ChainFailure(.noAddressIndex, "the node keeps no index of addresses")
            case .failure(let failure): throw failure.chainFailure
            }
        }
    }
}

// MARK: - Transactions

extension CoreCalls {
    /// What is kept of the answer to `getrawtransaction`.
    private static let names = [
        "hex", "blockhash", "height", "confirmations", "instantlock", "instantlock_internal",
        "chainlock",
    ]

    /// A transaction that the node has in a block or in its mempool; nil if it has none.
    static func transaction(
        _ txid: TransactionID, tip: UInt64
    ) -> NodeCall<SeenTransaction?> {
        raw(txid) { answer throws(ChainFailure) in
            try SeenTransaction(answer, txid: txid, tip: tip)
        }
    }

    /// What the node says of a transaction, unchecked; nil if it has it nowhere.
    static func raw(_ txid: TransactionID) -> NodeCall<NodeValue?> {
        raw(txid) { answer throws(ChainFailure) in answer }
    }

    /// The bytes of a transaction, wherever the node has it; nil if it has it nowhere.
    static func bytes(of txid: TransactionID) -> NodeCall<UTXOTransaction?> {
        raw(txid) { answer throws(ChainFailure) in
            try SeenTransaction.transaction(try answer.member("hex"), txid)
        }
    }

    private static func raw<Value>(
        _ txid: TransactionID, _ read: @escaping @Sendable (NodeValue) throws(ChainFailure) -> Value
    ) -> NodeCall<Value?> {
        .orNil("getrawtransaction", .array([.string(txid.hex), .bool(true)]), keeping: names) {
            code, message throws(ChainFailure) in
            if message.contains("-txindex") {
                throw ChainFailure(.noTransactionIndex, "the node keeps no index of transactions")
            }
            if message.contains("being indexed") {
                throw ChainFailure(.syncing, "the node still makes its index of transactions")
            }
            return code == -5
        } result: { answer throws(ChainFailure) in
            try read(answer)
        }
    }
}

// MARK: - The network's terms

extension CoreCalls {
    /// What a transaction costs now, and whether it can be locked.
    struct Terms {
        private let mempool: RPCBatch.Place<[UInt64]>
        private let estimate: RPCBatch.Place<UInt64?>
        private let locks: RPCBatch.Place<Bool>

        /// Adds the calls that tell.
        init(addingTo batch: inout RPCBatch) {
            mempool = batch.add(CoreCalls.mempoolRates)
            estimate = batch.add(CoreCalls.estimate)
            locks = batch.add(CoreCalls.instantSend)
        }

        /// The fee for 1000 bytes with which a transaction is relayed and soon mined, in duffs.
        func feeRate(_ answers: RPCAnswers) throws(ChainFailure) -> UInt64 {
            let rates = try answers.value(mempool) + [try answers.value(estimate) ?? 0]
            return max(RelayPolicy.minimumFeePerKilobyte, rates.max() ?? 0)
        }

        /// Whether the network's masternodes lock transactions.
        func instantSend(_ answers: RPCAnswers) throws(ChainFailure) -> Bool {
            try answers.value(locks)
        }
    }

    private static var mempoolRates: NodeCall<[UInt64]> {
        NodeCall("getmempoolinfo", .array([])) { mempool throws(ChainFailure) in
            [
                try rate(try mempool.member("mempoolminfee")),
                try rate(try mempool.member("minrelaytxfee")),
            ]
        }
    }

    /// A node that relays nothing of others estimates nothing, and Axe omits what it can't tell.
    private static var estimate: NodeCall<UInt64?> {
        let call = NodeCall<UInt64??>.orNil("estimatesmartfee", .array([.int(blocksToWait)])) {
            _, _ in true
        } result: { answer throws(ChainFailure) in
            guard let estimated = try answer.optional("feerate") else { return nil }
            return try rate(estimated)
        }
        return NodeCall(call.call) { answer throws(ChainFailure) in try call.read(answer) ?? nil }
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

    private static var instantSend: NodeCall<Bool> {
        NodeCall(RPCCall("spork", .array([.string("active")]))) { answer throws(ChainFailure) in
            switch answer {
            case .success(let sporks):
                return sporks["SPORK_2_INSTANTSEND_ENABLED"] == .bool(true)
            case .failure(.node): return false
            // A user without the right to this call, or a node without it, has no locks to see.
            case .failure(.unusable(let failure))
            where [.unknownCall, .wrongPassword].contains(failure.reason): return false
            case .failure(.unusable(let failure)): throw failure
            }
        }
    }
}

extension NodeCall {
    /// A call whose value is nil if `isNone` takes the node's error as saying that there is none.
    fileprivate static func orNil<Some>(
        _ method: String, _ parameters: JSON, keeping names: [String]? = nil,
        isNone: @escaping @Sendable (_ code: Int64, _ message: String) throws(ChainFailure) -> Bool,
        result: @escaping @Sendable (NodeValue) throws(ChainFailure) -> Some
    ) -> NodeCall<Some?> where Value == Some? {
        NodeCall<Some?>(RPCCall(method, parameters, keeping: names)) {
            answer throws(ChainFailure) in
            switch answer {
            case .success(let json): return try result(NodeValue(json, of: method))
            case .failure(.node(let code, let message)) where try isNone(code, message):
                return nil
            case .failure(let failure): throw failure.chainFailure
            }
        }
    }
}
