import DaybookChains
import DaybookDomain
import DaybookEncoding

/// The calls of an ICON node that a wallet needs; each checks its answer.
struct ICONCalls: Sendable {
    private let node: NodeRPC
    private let debug: NodeRPC?

    init(_ node: NodeRPC, debug: NodeRPC?) {
        self.node = node
        self.debug = debug
    }

    /// The same calls with a time limit for one query, which begins now.
    func forOneQuery() -> ICONCalls {
        ICONCalls(node.forOneQuery(), debug: debug?.forOneQuery())
    }

    /// The answers to a batch.
    func answers(to batch: RPCBatch) async throws(ChainFailure) -> RPCAnswers {
        try await node.answers(to: batch).answers
    }

    /// The value of one call.
    func value<Value>(_ call: NodeCall<Value>) async throws(ChainFailure) -> Value {
        try await node.value(call)
    }

    /// The id of the node's network.
    static var networkID: NodeCall<UInt64> {
        NodeCall("icx_getNetworkInfo") { answer throws(ChainFailure) in
            try small(answer.json["nid"], "the network's id")
        }
    }

    static var lastBlock: NodeCall<ICONBlockHeader> {
        NodeCall("icx_getLastBlock") { answer throws(ChainFailure) in
            guard let block = ICONBlockHeader(answer.json) else { throw invalid("the last block") }
            return block
        }
    }

    /// The hash of the block at a height; nil if the node does not have it, or no longer.
    static func block(at height: UInt64) -> NodeCall<Bytes?> {
        header(at: height) { $0.hash }
    }

    /// The time of the block at a height in microseconds; nil as for its hash.
    static func time(ofBlock height: UInt64) -> NodeCall<UInt64?> {
        header(at: height) { block throws(ChainFailure) in
            guard let time = block.time else { throw invalid("the time of block \(height)") }
            return time
        }
    }

    private static func header<Value>(
        at height: UInt64,
        _ read: @escaping @Sendable (ICONBlockHeader) throws(ChainFailure) -> Value
    ) -> NodeCall<Value?> {
        let asked = JSON.record(["height": .string(ICONInteger.text(height))])
        return NodeCall(RPCCall("icx_getBlockByHeight", asked, keeping: ICONBlockHeader.names)) {
            answer throws(ChainFailure) in
            switch answer {
            case .success(let json):
                guard let block = ICONBlockHeader(json), block.height == height else {
                    throw invalid("the block \(height)")
                }
                return try read(block)
            case .failure(.node): return nil
            case .failure(.unusable(let failure)) where failure.reason == .unknownCall: return nil
            case .failure(let failure): throw failure.chainFailure
            }
        }
    }

    /// The balance of an address, in loop.
    static func balance(of address: ICONAddress) -> NodeCall<UInt256> {
        NodeCall("icx_getBalance", .record(["address": .string(address.text)])) {
            answer throws(ChainFailure) in
            guard let amount = amount(answer.json) else { throw invalid("a balance") }
            return amount
        }
    }

    /// The price of a step, in loop.
    static var stepPrice: NodeCall<UInt256> {
        system("getStepPrice") { price throws(ChainFailure) in
            guard let price = amount(price) else { throw invalid("the step price") }
            return price
        }
    }

    /// The steps that a transaction, its data and a contract call cost.
    static var stepCosts: NodeCall<ICONSteps> {
        system("getStepCosts") { costs throws(ChainFailure) in
            guard let steps = ICONSteps(costs) else { throw invalid("the step costs") }
            return steps
        }
    }

    /// The largest step limit of a transaction.
    static var maximumSteps: NodeCall<UInt64> {
        system("getMaxStepLimit", .record(["contextType": .string("invoke")])) {
            answer throws(ChainFailure) in
            try small(answer, "the largest step limit")
        }
    }

    // MARK: - Transactions

    /// A node's answer about a transaction.
    struct Outcome {
        /// Its state, without a height while it is pending; nil if it was not understood.
        let status: ChainObserved.TransactionStatus?
        /// The parts of the result that were not understood; the state has only the others.
        var unclear: String?
    }

    /// A node's answer about a transaction; nil if it does not know it.
    ///
    /// T-Bears has one answer for pending and unknown transactions. It counts as unknown, which is
    /// safe: sending the same bytes again then shows that the node has them.
    static func outcome(of hash: Bytes) -> NodeCall<Outcome?> {
        let asked = JSON.record(["txHash": .string("0x" + Hex.encode(hash))])
        return NodeCall(RPCCall("icx_getTransactionResult", asked)) { answer throws(ChainFailure) in
            switch answer {
            case .success(let json): return outcome(json, of: hash)
            case .failure(.node(code: -31002, _)), .failure(.node(code: -31003, _)):
                return Outcome(status: .init(txid: hash, height: nil, locked: false))
            case .failure(.node(code: -31004, _)),
                .failure(.node(code: -32602, message: "Pending transaction")):
                return nil
            case .failure(let failure): throw failure.chainFailure
            }
        }
    }

    private static func outcome(_ answer: JSON, of hash: Bytes) -> Outcome {
        var status = ChainObserved.TransactionStatus(txid: hash, height: nil, locked: false)
        guard answer["txHash"]?.stringValue == "0x" + Hex.encode(hash) else {
            return Outcome(status: nil, unclear: "the result is of another transaction, or of none")
        }
        guard let receipt = ICONReceipt(answer) else {
            // Its block and its status count, even if its cost is not understood.
            let code = answer["status"]?.stringValue
            status.height = answer["blockHeight"]?.stringValue.flatMap(ICONInteger.parseSmall)
            status.failure = code == "0x0" ? "the node gives no reason" : nil
            let isEnd = status.height != nil && (code == "0x0" || code == "0x1")
            return Outcome(
                status: isEnd ? status : nil, unclear: "its result is none that a node gives")
        }
        status.height = receipt.height
        status.failure = receipt.failure.map { "\($0.code): \(NodeText.quoted($0.message))" }
        status.fee = receipt.fee.flatMap { isAmount($0) ? $0 : nil }
        return Outcome(
            status: status, unclear: status.fee == nil ? "its result names no possible fee" : nil)
    }

    /// Sends a transaction and returns the hash that the node gives it.
    func send(_ transaction: JSON) async throws(RPCFailure) -> String? {
        try await node.call("icx_sendTransaction", transaction).stringValue
    }

    /// The steps that a transaction will use; only some nodes have this endpoint.
    func estimate(_ transaction: JSON) async throws(RPCFailure) -> UInt64 {
        guard let debug else {
            throw .unusable(ChainFailure(.noNode, "no debug endpoint is set"))
        }
        let answer = try await debug.call("debug_estimateStep", transaction)
        do {
            return try Self.small(answer, "an estimate")
        } catch {
            throw .unusable(error)
        }
    }

    // MARK: - Contracts

    /// A token contract's unchecked answer; nil if it refuses or does not exist.
    static func ask(_ contract: ICONAddress, _ query: IRC2.Query) -> NodeCall<JSON?> {
        NodeCall(call(contract, query.data)) { answer throws(ChainFailure) in
            switch answer {
            case .success(let json): return json
            case .failure(.node(code: -30_999 ... -30_000, _)): return nil
            // T-Bears has these codes.
            case .failure(.node(code: -32_099 ... -32_001, _)): return nil
            case .failure(let failure): throw failure.chainFailure
            }
        }
    }

    private static func system<Value>(
        _ method: String, _ parameters: JSON? = nil,
        _ read: @escaping @Sendable (JSON) throws(ChainFailure) -> Value
    ) -> NodeCall<Value> {
        let data = JSON.record(["method": .string(method), "params": parameters])
        return NodeCall(call(.system, data)) { answer throws(ChainFailure) in
            switch answer {
            case .success(let json): return try read(json)
            case .failure(let failure): throw failure.chainFailure
            }
        }
    }

    private static func call(_ contract: ICONAddress, _ data: JSON) -> RPCCall {
        RPCCall(
            "icx_call",
            .record(["to": .string(contract.text), "dataType": .string("call"), "data": data]))
    }

    // MARK: - Answers

    /// An amount in ICON's canonical form; nil for anything else or an impossible amount.
    static func amount(_ answer: JSON?) -> UInt256? {
        answer?.stringValue.flatMap(ICONInteger.parse).flatMap { isAmount($0) ? $0 : nil }
    }

    /// Whether a number is below 2^255, so that the sum of two fits into 256 bits.
    private static func isAmount(_ number: UInt256) -> Bool {
        number.bigEndianBytes.first.map { $0 < 0x80 } ?? true
    }

    private static func small(_ answer: JSON?, _ what: String) throws(ChainFailure) -> UInt64 {
        guard let number = answer?.stringValue.flatMap(ICONInteger.parseSmall) else {
            throw invalid(what)
        }
        return number
    }

    private static func invalid(_ what: String) -> ChainFailure {
        ChainFailure(.invalidAnswer, "the node's answer makes no sense as \(what)")
    }
}

/// The height, hash and time of an ICON block.
struct ICONBlockHeader: Equatable, Sendable {
    let height: UInt64
    let hash: Bytes
    /// Microseconds since 1970; nil if the node names no possible time.
    let time: UInt64?

    /// The members of the answer that are parsed.
    static let names = ["height", "block_hash", "time_stamp"]

    /// A header from the answer to `icx_getLastBlock`; nil if a part is missing or malformed.
    ///
    /// Unlike in other answers the numbers are JSON numbers, and the hash has no `0x`.
    init?(_ answer: JSON) {
        guard let height = answer["height"]?.number?.integer.flatMap(UInt64.init(exactly:)),
            let text = answer["block_hash"]?.stringValue, text.utf8.count == 64,
            text.utf8.allSatisfy(ICONInteger.isDigit), let hash = Hex.decode(text)
        else { return nil }
        self.height = height
        time = answer["time_stamp"]?.number?.integer.flatMap(UInt64.init(exactly:))
        self.hash = hash
    }
}

/// The meaning of an ICON node's refusal to accept a transaction.
enum ICONNodeRefusal: Equatable, Sendable {
    /// The node has the transaction already, in its pool or in a block.
    case alreadyKnown
    /// No node that follows the rules will accept it.
    case final
    /// As `final`: its time is too far from the node's.
    case wrongTime
    /// As `final`: the account can't pay the value and the fee.
    case insufficientBalance
    /// The same bytes may be accepted later; the reason why they are not yet.
    case open(ChainFailure.Reason)

    /// The meaning of an error's code and text.
    ///
    /// goloop has one code for all faults, which its text numbers, as in `SystemError: E2005:…`.
    /// T-Bears has codes of its own, and tells some of its faults apart only by the text.
    init(code: Int64, message: String) {
        switch code {
        case -31000: self.init(systemError: message)
        case -32602: self = .final
        case -32600 where message == "fail tx invalid duplicated hash": self = .alreadyKnown
        case -32600 where message.hasPrefix("fail tx invalid "): self = .final
        case -32011: self = .insufficientBalance
        case -32005: self = .final
        case -31001, -31005: self = .open(.busy)
        case -31006, -31007: self = .open(.noAnswer)
        default: self = .open(.refused)
        }
    }

    private init(systemError message: String) {
        let fault = NodeReason.goloopFault(in: message)
        switch fault {
        case 2000, 2011:
            self = .alreadyKnown
            return
        default: break
        }
        switch fault.flatMap({ NodeReason(goloopFault: $0) }) {
        case .tooOld, .tooEarly: self = .wrongTime
        case .insufficientBalance: self = .insufficientBalance
        case .wrongNetwork, .invalid, .tooFewSteps: self = .final
        case .mempoolFull: self = .open(.busy)
        default: self = .open(.refused)
        }
    }
}
