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

    /// The id of the node's network.
    func networkID() async throws(ChainFailure) -> UInt64 {
        let answer = try await ask("icx_getNetworkInfo")
        return try Self.small(answer["nid"], "the network's id")
    }

    func lastBlock() async throws(ChainFailure) -> ICONBlock {
        let answer = try await ask("icx_getLastBlock")
        guard let block = ICONBlock(answer) else { throw Self.invalid("the last block") }
        return block
    }

    /// The loop that an address holds.
    func balance(of address: ICONAddress) async throws(ChainFailure) -> UInt256 {
        let answer = try await ask("icx_getBalance", .record(["address": .string(address.text)]))
        guard let amount = Self.amount(answer) else { throw Self.invalid("a balance") }
        return amount
    }

    /// The price of a step, and the steps of what transactions do.
    func steps() async throws(ChainFailure) -> ChainObserved.Steps {
        let price = try await askSystem("getStepPrice")
        let costs = try await askSystem("getStepCosts")
        guard let price = Self.amount(price) else { throw Self.invalid("the step price") }
        guard let steps = ICONSteps(costs) else { throw Self.invalid("the step costs") }
        return ChainObserved.Steps(
            price: price, transfer: steps.default, inputByte: steps.input,
            contractCall: steps.contractCall)
    }

    /// The most steps that a transaction may have.
    func mostSteps() async throws(ChainFailure) -> UInt64 {
        let answer = try await askSystem(
            "getMaxStepLimit", .record(["contextType": .string("invoke")]))
        return try Self.small(answer, "the largest step limit")
    }

    // MARK: - Transactions

    /// Where a transaction stands: in a block, or without a height waiting for one; nil where the
    /// node does not know it.
    ///
    /// T-Bears says the same of what waits and of what it never saw. That is taken as not known,
    /// which claims less: whoever then sends the same bytes again hears that they are there.
    func status(of hash: Bytes) async throws(ChainFailure) -> ChainObserved.TransactionStatus? {
        let answer: JSON
        do {
            let asked = JSON.record(["txHash": .string("0x" + Hex.encode(hash))])
            answer = try await node.call("icx_getTransactionResult", asked)
        } catch .node(code: -31002, _), .node(code: -31003, _) {
            return .init(txid: hash, height: nil, locked: false)
        } catch .node(code: -31004, _), .node(code: -32602, message: "Pending transaction") {
            return nil
        } catch {
            throw error.chainFailure
        }
        guard let receipt = ICONReceipt(answer) else { throw Self.invalid("a result") }
        guard receipt.hash == hash else { throw Self.invalid("the result that was asked for") }
        guard let fee = receipt.fee, Self.isAmount(fee) else { throw Self.invalid("a fee") }
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
    func ask(_ contract: ICONAddress, _ question: IRC2.Question) async throws(ChainFailure)
        -> JSON?
    {
        do {
            return try await call(contract, question.data)
        } catch .node(code: -30_999 ... -30_000, _) {
            return nil
        } catch .node(code: -32_099 ... -32_001, _) {
            // What T-Bears says.
            return nil
        } catch {
            throw error.chainFailure
        }
    }

    private func askSystem(_ method: String, _ parameters: JSON? = nil) async throws(ChainFailure)
        -> JSON
    {
        do {
            let data = JSON.record(["method": .string(method), "params": parameters])
            return try await call(.system, data)
        } catch {
            throw error.chainFailure
        }
    }

    private func call(_ contract: ICONAddress, _ data: JSON) async throws(RPCFailure) -> JSON {
        let asked = JSON.record([
            "to": .string(contract.text), "dataType": .string("call"), "data": data,
        ])
        return try await node.call("icx_call", asked)
    }

    // MARK: - Answers

    private func ask(_ method: String, _ parameters: JSON? = nil) async throws(ChainFailure)
        -> JSON
    {
        do {
            return try await node.call(method, parameters)
        } catch {
            throw error.chainFailure
        }
    }

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
