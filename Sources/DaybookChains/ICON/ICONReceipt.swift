package import DaybookEncoding

/// The result of an executed transaction.
package struct ICONReceipt: Hashable, Sendable {
    /// Why the execution failed; the fee is charged all the same.
    package struct Failure: Hashable, Sendable {
        /// The node's code, such as 0xa.
        package let code: UInt64
        /// The node's text, such as `OutOfStep`.
        package let message: String

        package init(code: UInt64, message: String) {
            self.code = code
            self.message = message
        }
    }

    /// The transaction's hash.
    package let hash: Bytes
    /// The height of its block.
    package let height: UInt64
    package let stepUsed: UInt256
    /// The steps that the sender paid for; a contract can pay the rest from its deposit.
    package let stepPaid: UInt256
    /// Loop for one step.
    package let stepPrice: UInt256
    /// Nil if the transaction succeeded.
    package let failure: Failure?
    /// The event logs of contracts that were understood; empty if the transaction failed.
    package let logs: [ICONEventLog]

    /// A receipt; without `stepPaid` the sender paid for all steps.
    package init(
        hash: Bytes, height: UInt64, stepUsed: UInt256, stepPaid: UInt256? = nil,
        stepPrice: UInt256, failure: Failure?, logs: [ICONEventLog]
    ) {
        self.hash = hash
        self.height = height
        self.stepUsed = stepUsed
        self.stepPaid = stepPaid ?? stepUsed
        self.stepPrice = stepPrice
        self.failure = failure
        self.logs = logs
    }

    /// Parses the answer to `icx_getTransactionResult`; nil if a part is missing or malformed.
    package init?(_ answer: JSON) {
        func number(_ key: String) -> UInt256? {
            answer[key]?.stringValue.flatMap(ICONInteger.parse)
        }
        guard let hash = answer["txHash"]?.stringValue, hash.utf8.starts(with: "0x".utf8),
            let bytes = Hex.decode(hash.dropFirst(2)), bytes.count == 32,
            let height = answer["blockHeight"]?.stringValue.flatMap(ICONInteger.parseSmall),
            let used = number("stepUsed"), let price = number("stepPrice"),
            let paid = Self.paid(of: used, answer["stepUsedDetails"])
        else { return nil }
        let logs = (answer["eventLogs"]?.arrayValue ?? []).compactMap { ICONEventLog($0) }
        let failure: Failure?
        switch answer["status"]?.stringValue {
        case "0x1": failure = nil
        case "0x0":
            guard let reported = Failure(answer["failure"] ?? .null) else { return nil }
            failure = reported
        default: return nil
        }
        self.init(
            hash: bytes, height: height, stepUsed: used, stepPaid: paid, stepPrice: price,
            failure: failure, logs: logs)
    }

    /// The fee that the sender paid, in loop; nil if it exceeds 256 bits.
    package var fee: UInt256? { stepPaid.multiplied(by: stepPrice) }

    /// The sender's share of the steps; the sender is the only account among the payers.
    private static func paid(of used: UInt256, _ details: JSON?) -> UInt256? {
        guard let details else { return used }
        guard let payers = details.objectValue else { return nil }
        var paid: UInt256?
        for payer in payers {
            guard let address = ICONAddress(payer.name),
                let steps = payer.value.stringValue.flatMap(ICONInteger.parse), steps <= used
            else { return nil }
            guard address.kind == .account else { continue }
            guard paid == nil else { return nil }
            paid = steps
        }
        return paid ?? .zero
    }
}

extension ICONReceipt.Failure {
    fileprivate init?(_ answer: JSON) {
        guard let code = answer["code"]?.stringValue.flatMap(ICONInteger.parseSmall) else {
            return nil
        }
        self.init(code: code, message: answer["message"]?.stringValue ?? "")
    }
}

/// An event that a contract logged during a transaction.
package struct ICONEventLog: Hashable, Sendable {
    package let contract: ICONAddress
    /// The event's signature, such as `Transfer(Address,Address,int,bytes)`.
    package let signature: String
    /// The indexed arguments, then the others; nil stands for null.
    package let arguments: [String?]

    package init(contract: ICONAddress, signature: String, arguments: [String?]) {
        self.contract = contract
        self.signature = signature
        self.arguments = arguments
    }

    /// Parses a member of a result's `eventLogs`; nil if it is malformed.
    package init?(_ answer: JSON) {
        guard let text = answer["scoreAddress"]?.stringValue, let contract = ICONAddress(text),
            let indexed = answer["indexed"]?.arrayValue, let data = answer["data"]?.arrayValue,
            let signature = indexed.first?.stringValue
        else { return nil }
        var arguments: [String?] = []
        for value in indexed.dropFirst() + data {
            switch value {
            case .null: arguments.append(nil)
            case .string(let text): arguments.append(text)
            case .bool, .number, .array, .object: return nil
            }
        }
        self.init(contract: contract, signature: signature, arguments: arguments)
    }
}
