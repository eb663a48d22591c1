package import DaybookEncoding

/// What work costs on a network, in steps: the part of it that a wallet needs.
package struct ICONSteps: Hashable, Sendable {
    /// Every transaction.
    package var `default`: UInt64
    /// Each byte of `data`.
    package var input: UInt64
    /// The call of a contract.
    package var contractCall: UInt64

    /// Costs as a network sets them.
    package init(default: UInt64, input: UInt64, contractCall: UInt64) {
        self.default = `default`
        self.input = input
        self.contractCall = contractCall
    }

    /// Costs from the answer to `getStepCosts`; nil when one is absent or no canonical integer.
    package init?(_ answer: JSON) {
        func cost(_ name: String) -> UInt64? {
            answer[name]?.stringValue.flatMap(ICONInteger.parseSmall)
        }
        guard let standard = cost("default"), let input = cost("input"),
            let call = cost("contractCall")
        else { return nil }
        self.init(default: standard, input: input, contractCall: call)
    }

    /// The least step limit that a node takes; nil when the number is too large for 64 bits.
    package func minimum(dataSize: Int) -> UInt64? {
        guard let size = UInt64(exactly: dataSize) else { return nil }
        let (data, overflow) = input.multipliedReportingOverflow(by: size)
        let (sum, tooLarge) = data.addingReportingOverflow(`default`)
        return overflow || tooLarge ? nil : sum
    }

    /// The exact steps of a transfer or message to an account; nil for all that runs a contract.
    package func exact(for params: JSON) -> UInt64? {
        guard let to = params["to"]?.stringValue.flatMap({ ICONAddress($0) }), to.kind == .account
        else { return nil }
        return minimum(dataSize: Self.dataSize(of: params))
    }

    /// How long `data` is as compact JSON, which is what nodes charge input for.
    package static func dataSize(of params: JSON) -> Int {
        params["data"].map { $0.text().utf8.count } ?? 0
    }
}
