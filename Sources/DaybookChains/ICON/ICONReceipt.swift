package import DaybookEncoding

/// What became of a transaction that is in a block.
package struct ICONReceipt: Hashable, Sendable {
    /// Why it did not do what it was for; its fee is charged all the same.
    package struct Failure: Hashable, Sendable {
        /// The node's code, such as 0xa.
        package let code: UInt64
        /// The node's text, such as `OutOfStep`.
        package let message: String

        /// A failure of its parts.
        package init(code: UInt64, message: String) {
            self.code = code
            self.message = message
        }
    }

    /// The transaction's hash.
    package let hash: Bytes
    /// The block that it is in.
    package let height: UInt64
    /// What it used; the fee is this times the price.
    package let stepUsed: UInt256
    /// Loop for one step.
    package let stepPrice: UInt256
    /// Nil where it succeeded.
    package let failure: Failure?
    /// What contracts reported; nothing where it failed.
    package let logs: [ICONEventLog]

    /// A receipt of its parts.
    package init(
        hash: Bytes, height: UInt64, stepUsed: UInt256, stepPrice: UInt256, failure: Failure?,
        logs: [ICONEventLog]
    ) {
        self.hash = hash
        self.height = height
        self.stepUsed = stepUsed
        self.stepPrice = stepPrice
        self.failure = failure
        self.logs = logs
    }

    /// A receipt from the answer to `icx_getTransactionResult`; nil when a part is not believable.
    package init?(_ answer: JSON) {
        func number(_ key: String) -> UInt256? {
            answer[key]?.stringValue.flatMap(ICONInteger.parse)
        }
        guard let hash = answer["txHash"]?.stringValue, hash.utf8.starts(with: "0x".utf8),
            let bytes = Hex.decode(hash.dropFirst(2)), bytes.count == 32,
            let height = answer["blockHeight"]?.stringValue.flatMap(ICONInteger.parseSmall),
            let used = number("stepUsed"), let price = number("stepPrice"),
            let events = answer["eventLogs"]?.arrayValue
        else { return nil }
        let logs = events.compactMap { ICONEventLog($0) }
        guard logs.count == events.count else { return nil }
        let failure: Failure?
        switch answer["status"]?.stringValue {
        case "0x1": failure = nil
        case "0x0":
            guard let reported = Failure(answer["failure"] ?? .null) else { return nil }
            failure = reported
        default: return nil
        }
        self.init(
            hash: bytes, height: height, stepUsed: used, stepPrice: price, failure: failure,
            logs: logs)
    }

    /// The loop that the sender paid for it; nil when that is no number of 256 bits.
    package var fee: UInt256? { stepUsed.multiplied(by: stepPrice) }
}

extension ICONReceipt.Failure {
    fileprivate init?(_ answer: JSON) {
        guard let code = answer["code"]?.stringValue.flatMap(ICONInteger.parseSmall) else {
            return nil
        }
        self.init(code: code, message: answer["message"]?.stringValue ?? "")
    }
}
