package import DaybookEncoding

/// The fees of ICON, as a node tells them: every rule about the price and the number of steps.
///
/// The fee of a transaction is the number of steps that it takes, times the price. The sender sets
/// a limit of steps; unused ones are not charged.
package struct ICONFees: Hashable, Sendable {
    /// The price of a step in loop.
    package var price: UInt256
    package var steps: ICONSteps

    package init(price: UInt256, steps: ICONSteps) {
        self.price = price
        self.steps = steps
    }

    package init(price: UInt256, transfer: UInt64, inputByte: UInt64, contractCall: UInt64) {
        self.init(
            price: price,
            steps: ICONSteps(
                transfer: transfer, inputByte: inputByte, contractCall: contractCall))
    }

    /// The limit that ICONex gave to transactions with data.
    private static let unestimated: UInt64 = 1_000_000

    /// The usual fees of a network.
    ///
    /// A transfer costs 0.00125 ICX, a long call of contracts some tenths. The price is set by the
    /// network's governance and has been 12.5 Gloop for years; on a private network its operator
    /// sets it, and goloop's default is mainnet's.
    package static func usual(on network: Network) -> UsualFee {
        let tenICX = UInt256(1_000_000_000_000_000_000).multiplied(by: 10) ?? .max
        return UsualFee(
            price: UInt256(12_500_000_000), within: network == .regtest ? 1_000 : 10,
            highestFee: tenICX)
    }

    /// The fee of a number of steps in loop; nil above 256 bits.
    package func fee(ofSteps steps: UInt256) -> UInt256? { price.multiplied(by: steps) }

    /// The step limit of a transaction that neither its sender nor a node's estimate limits.
    ///
    /// It is exact without a contract, and generous for a call. Nil for a deployment, whose cost
    /// can't be guessed.
    package func limit(of params: JSON) -> UInt64? {
        if let exact = steps.exact(for: params) { return exact }
        if params["dataType"]?.stringValue == ICONDataType.deploy.rawValue { return nil }
        return max(steps.least(for: params) ?? .max, Self.unestimated)
    }

    /// Whether nodes accept a transaction with this step limit.
    package func accepts(_ limit: UInt256, of params: JSON) -> Bool {
        steps.least(for: params).map { limit >= UInt256($0) } ?? false
    }

    /// Whether anything costs more than before, in loop or in steps.
    package func areHigher(than before: ICONFees?) -> Bool {
        guard let before else { return true }
        return price > before.price || steps.transfer > before.steps.transfer
            || steps.inputByte > before.steps.inputByte
            || steps.contractCall > before.steps.contractCall
    }
}

/// The numbers of steps that a network charges, as far as a wallet needs them.
package struct ICONSteps: Hashable, Sendable {
    /// Of every transaction.
    package var transfer: UInt64
    /// Of each byte of `data`.
    package var inputByte: UInt64
    /// Of a contract call.
    package var contractCall: UInt64

    package init(transfer: UInt64, inputByte: UInt64, contractCall: UInt64) {
        self.transfer = transfer
        self.inputByte = inputByte
        self.contractCall = contractCall
    }

    /// Parses the answer to `getStepCosts`; nil if a cost is absent or not a canonical integer.
    package init?(_ answer: JSON) {
        func cost(_ name: String) -> UInt64? {
            answer[name]?.stringValue.flatMap(ICONInteger.parseSmall)
        }
        guard let transfer = cost("default"), let inputByte = cost("input"),
            let contractCall = cost("contractCall")
        else { return nil }
        self.init(transfer: transfer, inputByte: inputByte, contractCall: contractCall)
    }

    /// The least step limit that a node accepts; nil if it exceeds 64 bits.
    package func least(for params: JSON) -> UInt64? { least(dataSize: Self.dataSize(of: params)) }

    /// The least step limit for data of a size in bytes.
    package func least(dataSize: Int) -> UInt64? {
        guard let size = UInt64(exactly: dataSize) else { return nil }
        let (data, overflow) = inputByte.multipliedReportingOverflow(by: size)
        let (sum, tooLarge) = data.addingReportingOverflow(transfer)
        return overflow || tooLarge ? nil : sum
    }

    /// The exact steps of a transfer or message to an account; nil if a contract is called.
    package func exact(for params: JSON) -> UInt64? {
        guard let to = params["to"]?.stringValue.flatMap({ ICONAddress($0) }), to.kind == .account
        else { return nil }
        return least(for: params)
    }

    /// The size of `data` as compact JSON, by which nodes charge steps.
    package static func dataSize(of params: JSON) -> Int {
        params["data"].map { $0.text().utf8.count } ?? 0
    }
}
