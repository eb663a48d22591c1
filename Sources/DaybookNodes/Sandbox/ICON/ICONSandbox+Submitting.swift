import DaybookChains
package import DaybookEncoding

extension ICONSandbox {
    /// The answer to a transaction that was sent.
    package enum Answer: Hashable, Sendable {
        /// The transaction with this hash is pending.
        case accepted(Bytes)
        case refused(ICONRefusal)
        /// No answer arrives; the transaction may be pending all the same.
        case nothing
    }

    /// Sends signed params, as to a node that validates transactions when they arrive.
    ///
    /// The switches apply.
    package mutating func submit(_ params: JSON, at now: UInt64) -> Answer {
        var switches = self.switches
        if switches.losesNext {
            (switches.losesNext, switches.isSilent) = (false, true)
            self.switches = switches
        }
        if switches.isSilent { return .nothing }
        if let refusal = switches.refuseNext {
            switches.refuseNext = nil
            self.switches = switches
            return .refused(refusal)
        }
        do {
            let hash = try admit(params, at: now)
            guard switches.losesNextAnswer else { return .accepted(hash) }
            switches.losesNextAnswer = false
            self.switches = switches
            return .nothing
        } catch {
            return .refused(error)
        }
    }

    /// Adds a transaction to the pool after the checks of goloop's `SendTransaction`, in its order.
    mutating func admit(_ params: JSON, at now: UInt64) throws(ICONRefusal) -> Bytes {
        let problems = ICONFields.problems(in: params, as: .signed)
        guard problems.isEmpty else { throw .fields(problems) }
        guard params["version"]?.stringValue == "0x3" else { throw .system("E2005:UnknownJSON") }
        guard let transaction = try? ICONTransaction(params: params) else {
            throw .system("E2005:Invalid json for transactionV3")
        }
        guard transaction.nid == Self.nid else {
            throw .system("E1006:ValidateNetwork(nid=\(ICONInteger.text(Self.nid))) fail")
        }
        guard Self.isVerified(transaction, params) else {
            throw .system("E2005:Failed to verify transaction")
        }
        if !switches.takesUnpayable { try checkCost(of: transaction) }
        try checkTime(of: transaction, at: now)
        if let entry = entry(transaction.hash) {
            throw .system(
                entry.receipt == nil ? "E2000:DuplicateTransaction" : "E2011:CommittedTransaction")
        }
        pool(ICONEntry(number: nextNumber(), params: params.text()), transaction.hash)
        return transaction.hash
    }

    mutating func pool(_ entry: ICONEntry, _ hash: Bytes) {
        rows.set(ICONKey.transaction(hash), entry.row)
        rows.set(ICONKey.pooled(entry.number), hash)
    }

    /// Whether the data is valid and the sender has signed; a high s is accepted, as by the node.
    private static func isVerified(_ transaction: ICONTransaction, _ params: JSON) -> Bool {
        guard transaction.dataSize <= maximumDataSize else { return false }
        if params["dataType"]?.stringValue == ICONDataType.call.rawValue {
            let method = params["data"]?["method"]?.stringValue ?? ""
            guard !method.isEmpty else { return false }
        }
        guard let text = params["signature"]?.stringValue,
            let signature = ICONSignature(base64: text)
        else { return false }
        return signature.signer(of: transaction.hash) == transaction.from
    }

    private static let maximumDataSize = 512 * 1024

    private func checkCost(of transaction: ICONTransaction) throws(ICONRefusal) {
        let minimum = Self.leastSteps(of: transaction)
        guard transaction.stepLimit >= UInt256(minimum) else {
            let limit = transaction.stepLimit.decimal
            throw .system("E2105:NotEnoughStep(txStepLimit:\(limit), minStep:\(minimum))")
        }
        let balance = balance(of: transaction.from)
        let cost = Self.greatestCost(of: transaction)
        guard let cost, balance >= cost else {
            let value = (cost ?? UInt256.max).decimal
            throw .system("E2106:OutOfBalance(balance:\(balance.decimal), value:\(value))")
        }
    }

    /// The least step limit of a transaction.
    static func leastSteps(of transaction: ICONTransaction) -> UInt64 {
        fees.steps.least(dataSize: transaction.dataSize) ?? .max
    }

    /// The balance that the sender needs: the value and the fee for the whole step limit.
    static func greatestCost(of transaction: ICONTransaction) -> UInt256? {
        fees.fee(ofSteps: transaction.stepLimit)?.adding(transaction.value)
    }

    private func checkTime(
        of transaction: ICONTransaction, at now: UInt64
    ) throws(ICONRefusal) {
        switch ICONAge(of: transaction.timestamp, at: now) {
        case .expired(let by): throw .system("E2002:Expired(min-\(GoDuration.text(by)))")
        case .future(let by): throw .system("E2003:FutureTx(max+\(GoDuration.text(by)))")
        case .fresh: return
        }
    }

    private mutating func nextNumber() -> UInt64 {
        let bytes = rows.value(ICONKey.counter) ?? []
        let number: UInt64 = BigEndian.number(bytes[...])
        rows.set(ICONKey.counter, BigEndian.bytes(number + 1))
        return number
    }
}
