import DaybookChains
import DaybookEncoding

/// The execution of one transaction: the balances it changes, its steps and its event logs.
struct ICONExecution {
    private let work: ICONWork
    private let before: ICONLedger
    private var meter: ICONStepMeter
    /// The balances after the transaction, before the fee; unchanged if it failed.
    private(set) var ledger: ICONLedger
    private(set) var logs: [ICONEventLog] = []
    private(set) var failure: ICONFailure?

    init(_ work: ICONWork, on ledger: ICONLedger, stepLimit: UInt64) {
        self.work = work
        self.ledger = ledger
        before = ledger
        meter = ICONStepMeter(limit: Int64(min(stepLimit, ICONSandbox.maximumSteps)))
    }

    /// At least the default steps, even if the transaction failed.
    var stepUsed: UInt64 { max(UInt64(max(meter.used, 0)), ICONSandbox.fees.steps.transfer) }

    mutating func run() {
        do throws(ICONFailure) {
            try meter.charge(Int64(ICONSandbox.fees.steps.transfer))
            try meter.charge(Int64(ICONSandbox.fees.steps.inputByte) * Int64(work.dataSize))
            switch work.type {
            case nil, .message: try transfer()
            case .call: try call()
            case .deploy, .deposit:
                throw ICONFailure(code: 0x9, message: "AccessDenied")
            }
        } catch {
            failure = error
            ledger = before
            logs = []
        }
    }

    private mutating func transfer() throws(ICONFailure) {
        guard work.to.kind == .contract else { return try moveValue() }
        try chargeCall()
        try moveValue()
        // The token has no fallback method, which would accept ICX.
        throw .methodNotFound()
    }

    private mutating func call() throws(ICONFailure) {
        try chargeCall()
        if work.value > .zero { try moveValue() }
        guard work.to.kind == .contract else {
            throw work.value > .zero
                ? .contractNotFound
                : .invalidParameter("InvalidAddressForCall(\(work.to.text))")
        }
        guard work.to == ICONSandbox.token else { throw .contractNotFound }
        let name = work.data?["method"]?.stringValue ?? ""
        guard let method = ICONTokenMethod(rawValue: name) else {
            throw .methodNotFound("Method(\(name))NotFound")
        }
        guard work.value == .zero else { throw .methodNotPayable }
        let arguments = try method.arguments(from: work.data?["params"])
        switch method {
        case .name, .symbol, .decimals, .totalSupply: return
        case .balanceOf:
            if let holder = arguments.holder { _ = try readTokens(of: holder) }
        case .transfer:
            guard let to = arguments.holder, let amount = arguments.amount else { return }
            try transferTokens(
                IRC2.Transfer(from: work.from, to: to, value: amount, data: arguments.data))
        }
    }

    /// Reads and writes in the order of the recorded contract, because each access costs steps.
    private mutating func transferTokens(_ transfer: IRC2.Transfer) throws(ICONFailure) {
        guard try readTokens(of: transfer.from) >= transfer.value else {
            throw .reverted(2, "Out of balance")
        }
        let held = try readTokens(of: transfer.from)
        try writeTokens(held.subtracting(transfer.value), of: transfer.from)
        let received = try readTokens(of: transfer.to)
        try writeTokens(received.adding(transfer.value), of: transfer.to)
        let data = transfer.data ?? Bytes("None".utf8)
        let bytes = IRC2.Transfer.signature.utf8.count + 21 + 21
            + Self.storedBytes(transfer.value) + data.count
        try meter.chargeLog(bytes: bytes)
        logs.append(
            ICONEventLog(
                contract: work.to, signature: IRC2.Transfer.signature,
                arguments: [
                    transfer.from.text, transfer.to.text, ICONInteger.text(transfer.value),
                    "0x" + Hex.encode(data),
                ]))
    }

    private mutating func readTokens(of holder: ICONAddress) throws(ICONFailure) -> UInt256 {
        let held = ledger.tokens(of: holder)
        try meter.chargeRead(bytes: held.map(Self.storedBytes) ?? 0)
        return held ?? .zero
    }

    private mutating func writeTokens(
        _ amount: UInt256?, of holder: ICONAddress
    ) throws(ICONFailure) {
        guard let amount else { throw .outOfBalance }
        let old = ledger.tokens(of: holder).map(Self.storedBytes) ?? 0
        try meter.chargeWrite(bytes: Self.storedBytes(amount), replacing: old)
        ledger.setTokens(amount, of: holder)
    }

    private mutating func chargeCall() throws(ICONFailure) {
        try meter.charge(Int64(ICONSandbox.fees.steps.contractCall))
    }

    private mutating func moveValue() throws(ICONFailure) {
        if work.to.kind == .contract, work.to != ICONSandbox.token {
            throw .invalidParameter("InvalidAddress(\(work.to.text))")
        }
        guard ledger.move(work.value, from: work.from, to: work.to) else { throw .outOfBalance }
    }

    /// The bytes of a number in a contract's storage: two's complement with a sign bit.
    private static func storedBytes(_ number: UInt256) -> Int {
        let bytes = number.bigEndianBytes.drop { $0 == 0 }
        guard let first = bytes.first else { return 1 }
        return bytes.count + (first >= 0x80 ? 1 : 0)
    }
}

/// Counts the steps of one transaction up to its limit.
struct ICONStepMeter {
    private let limit: Int64
    private(set) var used: Int64 = 0

    init(limit: Int64) {
        self.limit = limit
    }

    /// Adds steps; if they exceed the limit, the whole limit is used.
    mutating func charge(_ steps: Int64) throws(ICONFailure) {
        guard used + steps <= limit else {
            used = limit
            throw .outOfStep
        }
        used += steps
    }

    mutating func chargeRead(bytes: Int) throws(ICONFailure) {
        try charge(3_000 + 25 * Int64(bytes))
    }

    /// A replaced value's base cost is half of that of a new and a deleted value together.
    mutating func chargeWrite(bytes: Int, replacing old: Int) throws(ICONFailure) {
        let base: Int64 = old == 0 ? 10_000 : (10_000 + 200) / 2
        try charge(base + 320 * Int64(bytes) - 240 * Int64(old))
    }

    mutating func chargeLog(bytes: Int) throws(ICONFailure) {
        try charge(5_000 + 100 * Int64(bytes))
    }
}

/// The methods of the sandbox's token, and the parameters that each takes.
enum ICONTokenMethod: String {
    case name
    case symbol
    case decimals
    case totalSupply
    case balanceOf
    case transfer

    /// The parsed parameters; nil for those that the method does not have.
    struct Arguments {
        var holder: ICONAddress?
        var amount: UInt256?
        var data: Bytes?
    }

    /// Parses the parameters; throws the failure of a contract that is called with wrong ones.
    func arguments(from params: JSON?) throws(ICONFailure) -> Arguments {
        var members: [JSON.Member] = []
        if let params, case .object(let given) = params { members = given }
        var arguments = Arguments()
        var matched = 0
        for name in required + optional {
            guard let value = params?[name] else {
                if optional.contains(name) { continue }
                throw .invalidParameter("MissingParam(param=\(name))")
            }
            matched += 1
            guard arguments.set(name, to: value.stringValue ?? "") else {
                throw .invalidParameter("InvalidParameter(param=\(name))")
            }
        }
        guard matched == members.count else {
            throw .invalidParameter("UnexpectedParam")
        }
        return arguments
    }

    private var required: [String] {
        switch self {
        case .name, .symbol, .decimals, .totalSupply: []
        case .balanceOf: ["_owner"]
        case .transfer: ["_to", "_value"]
        }
    }

    private var optional: [String] { self == .transfer ? ["_data"] : [] }
}

extension ICONTokenMethod.Arguments {
    fileprivate mutating func set(_ name: String, to text: String) -> Bool {
        switch name {
        case "_value":
            amount = ICONInteger.parse(text)
            return amount != nil
        case "_data":
            data = text.utf8.starts(with: "0x".utf8) ? Hex.decode(text.dropFirst(2)) : nil
            return data != nil
        default:
            holder = ICONAddress(text)
            return holder != nil
        }
    }
}
