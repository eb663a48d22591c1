import DaybookChains
import DaybookEncoding

/// The execution of one transaction: what it changes, uses and reports.
struct ICONExecution {
    private let work: ICONWork
    private let before: ICONLedger
    private var meter: ICONStepMeter
    /// The balances after it, its fee not yet charged; as before where it failed.
    private(set) var ledger: ICONLedger
    private(set) var logs: [ICONEventLog] = []
    private(set) var failure: ICONFailure?

    init(_ work: ICONWork, on ledger: ICONLedger, stepLimit: UInt64) {
        self.work = work
        self.ledger = ledger
        before = ledger
        meter = ICONStepMeter(limit: Int64(min(stepLimit, ICONSandbox.maximumSteps)))
    }

    /// A transaction uses the default steps at least, however it ends.
    var stepUsed: UInt64 { max(UInt64(max(meter.used, 0)), ICONSandbox.steps.default) }

    mutating func run() {
        do throws(ICONFailure) {
            try meter.charge(Int64(ICONSandbox.steps.default))
            try meter.charge(Int64(ICONSandbox.steps.input) * Int64(work.dataSize))
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
        // The token has no method for ICX that comes without a call.
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

    /// Reads and writes in the order of the recorded contract, because each costs steps.
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
        try meter.charge(Int64(ICONSandbox.steps.contractCall))
    }

    private mutating func moveValue() throws(ICONFailure) {
        if work.to.kind == .contract, work.to != ICONSandbox.token {
            throw .invalidParameter("InvalidAddress(\(work.to.text))")
        }
        guard ledger.move(work.value, from: work.from, to: work.to) else { throw .outOfBalance }
    }

    /// How many bytes a contract's number takes: two's complement, so that a sign bit fits.
    private static func storedBytes(_ number: UInt256) -> Int {
        let bytes = number.bigEndianBytes.drop { $0 == 0 }
        guard let first = bytes.first else { return 1 }
        return bytes.count + (first >= 0x80 ? 1 : 0)
    }
}
