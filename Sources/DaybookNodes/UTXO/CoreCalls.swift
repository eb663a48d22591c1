import DaybookChains
import DaybookDomain
import DaybookEncoding

/// The calls of Dash Core and Axe Core that a wallet needs; each checks its answer.
struct CoreCalls: Sendable {
    private let rpc: NodeRPC

    init(_ rpc: NodeRPC) {
        self.rpc = rpc
    }

    /// The same calls with a time limit for one query, which begins now.
    func forOneQuery() -> CoreCalls { CoreCalls(rpc.forOneQuery()) }

    /// The answers to a batch.
    func answers(to batch: RPCBatch) async throws(ChainFailure) -> RPCAnswers {
        try await rpc.answers(to: batch).answers
    }

    /// The answers to a batch for one highest block; nil if a new block arrived meanwhile.
    func answers(
        to batch: RPCBatch, at tip: TransactionID
    ) async throws(ChainFailure) -> RPCAnswers? {
        let (answers, closings) = try await rpc.answers(to: batch, closing: Self.tip.call)
        for closing in closings where try Self.tip.read(closing) != tip { return nil }
        return answers
    }

    /// Sends transactions in their order; the results of `sendrawtransaction` have the same order.
    func send(_ transactions: [Bytes]) async -> [RPCResult] {
        var batch = RPCBatch()
        // No second parameter: it is a fee rate for Dash Core and a flag for Axe Core.
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
    /// The answer to `getblockchaininfo`.
    struct ChainInfo {
        let name: String
        let height: UInt64
        let tip: TransactionID
        let isLoading: Bool
        let isPruned: Bool
    }

    static var chainInfo: NodeCall<ChainInfo> {
        NodeCall("getblockchaininfo", .array([])) { answer throws(ChainFailure) in
            ChainInfo(
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

    /// The hash of the block at a height; nil above the tip.
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
        /// The address that the node names for this entry; not verified, only a hint.
        let address: String?
    }

    /// An entry that was not understood, and what of it was.
    struct UnclearEntry: Error {
        let txid: TransactionID?
        let height: UInt64?
        /// One of the addresses that were asked about.
        let address: String?
        let reason: String

        init(_ entry: NodeValue, _ asked: [String], because failure: ChainFailure) {
            txid = entry.json["txid"]?.stringValue.flatMap { TransactionID(hex: $0) }
            height = try? entry.optional("height")?.height
            let named = entry.json["address"]?.stringValue
            address = asked.first { address in named.map { Text.equal($0, address) } ?? false }
            reason = failure.message
        }
    }

    /// The entries of a list, each understood or not.
    typealias Listing = [Result<Entry, UnclearEntry>]

    /// The transactions in the mempool that pay to or spend from addresses.
    static func mempool(of addresses: [String]) -> NodeCall<Listing> {
        index("getaddressmempool", addresses) { entry throws(ChainFailure) in
            Entry(
                txid: try entry.member("txid").id, height: nil,
                address: entry.json["address"]?.stringValue)
        }
    }

    /// The transactions in some blocks that pay to or spend from addresses, and their heights.
    static func blocks(
        _ heights: ClosedRange<UInt64>, of addresses: [String]
    ) -> NodeCall<Listing> {
        index("getaddressdeltas", addresses, in: heights) { entry throws(ChainFailure) in
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
        _ method: String, _ addresses: [String], in heights: ClosedRange<UInt64>? = nil,
        _ read: @escaping @Sendable (NodeValue) throws(ChainFailure) -> Entry
    ) -> NodeCall<Listing> {
        // The node ignores the limits unless both are given and neither is zero.
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
                return try NodeValue(list, of: method).elements.map { entry in
                    do throws(ChainFailure) {
                        return .success(try read(entry))
                    } catch {
                        return .failure(UnclearEntry(entry, addresses, because: error))
                    }
                }
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
    /// The members of the answer to `getrawtransaction` that are parsed.
    private static let names = [
        "hex", "blockhash", "height", "confirmations", "instantlock", "instantlock_internal",
        "chainlock", "blocktime",
    ]

    /// A transaction in a block or in the mempool; nil if the node does not have it.
    static func transaction(
        _ txid: TransactionID, tip: UInt64
    ) -> NodeCall<SeenTransaction?> {
        raw(txid) { answer throws(ChainFailure) in
            try SeenTransaction(answer, txid: txid, tip: tip)
        }
    }

    /// The unchecked answer about a transaction; nil if the node does not have it.
    static func raw(_ txid: TransactionID) -> NodeCall<NodeValue?> {
        raw(txid) { answer throws(ChainFailure) in answer }
    }

    /// When the block at a height was made that has a transaction, in seconds; nil if the node does
    /// not have the transaction.
    static func time(
        ofBlock height: UInt64, with txid: TransactionID
    ) -> NodeCall<UInt64?> {
        raw(txid) { answer throws(ChainFailure) in
            guard try answer.optional("height")?.height == height else {
                throw answer.wrong("in block \(height)")
            }
            let time = try answer.member("blocktime")
            guard let seconds = time.integer.flatMap({ UInt64(exactly: $0) }) else {
                throw time.wrong("a time")
            }
            return seconds
        }
    }

    /// A transaction without its location; nil if the node does not have it.
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

// MARK: - Fees and locks

extension CoreCalls {
    /// The calls that tell the current fee rate and whether InstantSend is active.
    struct FeeCalls {
        private let mempool: RPCBatch.Pending<FeeRates>
        private let estimate: RPCBatch.Pending<FeeRates>
        private let locks: RPCBatch.Pending<Bool>

        init(addingTo batch: inout RPCBatch) {
            mempool = batch.add(CoreCalls.mempoolRates)
            estimate = batch.add(CoreCalls.estimate)
            locks = batch.add(CoreCalls.instantSend)
        }

        /// Adds the fee rate, in duffs for 1000 bytes, at which transactions are relayed and mined
        /// soon, and whether the network's masternodes lock transactions.
        ///
        /// Without an estimate the rate is the least that the node takes.
        func read(
            _ answers: RPCAnswers, into snapshot: inout ChainSnapshot
        ) throws(ChainFailure) {
            let (least, estimated) = (try answers.value(mempool), try answers.value(estimate))
            let rates = least.rates + estimated.rates
            snapshot.feeRate = UTXOFees.rate(told: rates.max())
            snapshot.isFeeEstimated = !estimated.rates.isEmpty
            snapshot.setAside += (least.unclear + estimated.unclear).map {
                SetAside(.feeRate, because: $0)
            }
            snapshot.instantSend = try answers.value(locks)
        }
    }

    /// The fee rates of an answer, in duffs for 1000 bytes, and what of it was not understood.
    private struct FeeRates {
        var rates: [UInt64] = []
        var unclear: [String] = []

        /// Adds a member that is a fee rate; absent, null, zero and -1 mean that there is none.
        mutating func add(_ name: String, of answer: NodeValue) {
            do throws(ChainFailure) {
                guard let value = try answer.optional(name), value.integer != -1 else { return }
                let rate = try CoreCalls.rate(value)
                if rate > 0 { rates.append(rate) }
            } catch {
                unclear.append(error.message)
            }
        }
    }

    private static var mempoolRates: NodeCall<FeeRates> {
        feeRates("getmempoolinfo", .array([]), ["mempoolminfee", "minrelaytxfee"])
    }

    /// The estimated fee rate; Axe Core has no member where it has none.
    private static var estimate: NodeCall<FeeRates> {
        feeRates("estimatesmartfee", .array([.int(blocksToWait)]), ["feerate"])
    }

    private static let blocksToWait = 6

    private static func feeRates(
        _ method: String, _ parameters: JSON, _ names: [String]
    ) -> NodeCall<FeeRates> {
        NodeCall(RPCCall(method, parameters)) { answer throws(ChainFailure) in
            switch answer {
            case .success(let json):
                var rates = FeeRates()
                for name in names { rates.add(name, of: NodeValue(json, of: method)) }
                return rates
            case .failure(.node): return FeeRates()
            case .failure(let failure): throw failure.chainFailure
            }
        }
    }

    /// A rate in coins, converted to duffs and rounded up; more than all coins is no rate.
    private static func rate(_ value: NodeValue) throws(ChainFailure) -> UInt64 {
        let duffs = value.json.number?.units(decimals: Duffs.decimals, roundingUp: true)
        guard let duffs = duffs.flatMap({ UInt64(exactly: $0) }), duffs <= Duffs.maximum else {
            throw value.wrong("a fee in coins")
        }
        return duffs
    }

    private static var instantSend: NodeCall<Bool> {
        NodeCall(RPCCall("spork", .array([.string("active")]))) { answer throws(ChainFailure) in
            switch answer {
            case .success(let sporks):
                return sporks["SPORK_2_INSTANTSEND_ENABLED"] == .bool(true)
            case .failure(.node): return false
            // Where the call is unknown or forbidden, locks can't be seen.
            case .failure(.unusable(let failure))
            where [.unknownCall, .wrongPassword].contains(failure.reason): return false
            case .failure(.unusable(let failure)): throw failure
            }
        }
    }
}

extension NodeCall {
    /// A call whose value is nil if `isNone` recognises the node's error as "there is none".
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
