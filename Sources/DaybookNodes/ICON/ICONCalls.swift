import DaybookChains
import DaybookDomain
import DaybookEncoding

/// The calls of an ICON node that a wallet needs, with their answers checked.
struct ICONCalls: Sendable {
    private let node: NodeRPC
    private let debug: NodeRPC?

    init(_ node: NodeRPC, debug: NodeRPC?) {
        self.node = node
        self.debug = debug
    }

    /// The same node for one question, whose time begins now.
    func forOneQuestion() -> ICONCalls {
        ICONCalls(node.forOneQuestion(), debug: debug?.forOneQuestion())
    }

    /// The answers to calls that are made together.
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

    /// The hash of the block at a height; nil where the node has none, or not any more.
    static func block(at height: UInt64) -> NodeCall<Bytes?> {
        let asked = JSON.record(["height": .string(ICONInteger.text(height))])
        return NodeCall(RPCCall("icx_getBlockByHeight", asked, keeping: ICONBlockHeader.names)) {
            answer throws(ChainFailure) in
            switch answer {
            case .success(let json):
                guard let block = ICONBlockHeader(json), block.height == height else {
                    throw invalid("the block \(height)")
                }
                return block.hash
            case .failure(.node): return nil
            case .failure(.unusable(let failure)) where failure.reason == .unknownCall: return nil
            case .failure(let failure): throw failure.chainFailure
            }
        }
    }

    /// The loop that an address holds.
    static func balance(of address: ICONAddress) -> NodeCall<UInt256> {
        NodeCall("icx_getBalance", .record(["address": .string(address.text)])) {
            answer throws(ChainFailure) in
            guard let amount = amount(answer.json) else { throw invalid("a balance") }
            return amount
        }
    }

    /// The price of a step.
    static var stepPrice: NodeCall<UInt256> {
        system("getStepPrice") { price throws(ChainFailure) in
            guard let price = amount(price) else { throw invalid("the step price") }
            return price
        }
    }

    /// The steps of what transactions do.
    static var stepCosts: NodeCall<ICONSteps> {
        system("getStepCosts") { costs throws(ChainFailure) in
            guard let steps = ICONSteps(costs) else { throw invalid("the step costs") }
            return steps
        }
    }

    /// The most steps that a transaction may have.
    static var mostSteps: NodeCall<UInt64> {
        system("getMaxStepLimit", .record(["contextType": .string("invoke")])) {
            answer throws(ChainFailure) in
            try small(answer, "the largest step limit")
        }
    }

    // MARK: - Transactions

    /// Where a transaction stands: in a block, or without a height waiting for one; nil where the
    /// node does not know it.
    ///
    /// T-Bears says the same of what waits and of what it never saw. That is taken as not known,
    /// which claims less: whoever then sends the same bytes again hears that they are there.
    static func status(of hash: Bytes) -> NodeCall<ChainObserved.TransactionStatus?> {
        let asked = JSON.record(["txHash": .string("0x" + Hex.encode(hash))])
        return NodeCall(RPCCall("icx_getTransactionResult", asked)) { answer throws(ChainFailure) in
            switch answer {
            case .success(let json): return try status(json, of: hash)
            case .failure(.node(code: -31002, _)), .failure(.node(code: -31003, _)):
                return .init(txid: hash, height: nil, locked: false)
            case .failure(.node(code: -31004, _)),
                .failure(.node(code: -32602, message: "Pending transaction")):
                return nil
            case .failure(let failure): throw failure.chainFailure
            }
        }
    }

    private static func status(
        _ answer: JSON, of hash: Bytes
    ) throws(ChainFailure) -> ChainObserved.TransactionStatus {
        guard let receipt = ICONReceipt(answer) else { throw invalid("a result") }
        guard receipt.hash == hash else { throw invalid("the result that was asked for") }
        guard let fee = receipt.fee, isAmount(fee) else { throw invalid("a fee") }
        return .init(
            txid: hash, height: receipt.height, locked: false,
            failure: receipt.failure.map { "\($0.code): \(NodeText.quoted($0.message))" },
            fee: fee)
    }

    /// Sends a transaction and returns the hash by which the node calls it.
    func send(_ transaction: JSON) async throws(RPCFailure) -> String? {
        try await node.call("icx_sendTransaction", transaction).stringValue
    }

    /// The steps that a transaction will use, which only some nodes tell, at an address of its own.
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

    /// What a contract answers, unchecked; nil when it says no or there is none.
    static func ask(_ contract: ICONAddress, _ question: IRC2.Question) -> NodeCall<JSON?> {
        NodeCall(call(contract, question.data)) { answer throws(ChainFailure) in
            switch answer {
            case .success(let json): return json
            case .failure(.node(code: -30_999 ... -30_000, _)): return nil
            // What T-Bears says.
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

    /// An amount in the one form that ICON has for it; nil for all that no network holds.
    static func amount(_ answer: JSON?) -> UInt256? {
        answer?.stringValue.flatMap(ICONInteger.parse).flatMap { isAmount($0) ? $0 : nil }
    }

    /// Whether a number is below 2^255: sums of two such numbers still have a place.
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
