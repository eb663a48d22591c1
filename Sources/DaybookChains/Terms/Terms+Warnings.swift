package import DaybookEncoding

/// What is known where terms are shown, besides the terms: of the chain, and of the wallet.
///
/// The store that has a node knows prices; the machine that has only the key knows its own clock.
package struct TermsContext: Sendable {
    /// The fee rate that the node asks for, in duffs for 1000 bytes; nil without a node.
    package var feeRate: UInt64?
    /// The price of a step in loop; nil if no node has told it.
    package var stepPrice: UInt256?
    /// The steps that the node estimates for a call whose sender sets the limit.
    package var estimatedSteps: UInt64?
    /// The time that a timestamp is compared with: of the request, or of this machine.
    package var time: UInt64?
    /// What the time is, for a sentence: `the request came`.
    package var timeName = "the request came"
    /// Whether the wallet has derived the address of the change.
    package var knowsChange = false

    package init() {}
}

extension Terms {
    /// The warnings about a transaction, the same for a prompt and for the signer's display.
    package func warnings(_ context: TermsContext) -> [ShownLine] {
        let texts = switch self {
        case .payment(let terms): terms.warnings(context)
        case .icon(let terms): terms.warnings(context)
        }
        return texts.map { ShownLine.escaping("warning", $0) }
    }
}

extension PaymentTerms {
    fileprivate func warnings(_ context: TermsContext) -> [String] {
        let usual = UsualFee.of(chain, network)
        var warnings: [String] = []
        if let rate = context.feeRate, !usual.isUsual(UInt256(rate)) {
            warnings.append(
                "the node asks for \(rate) duffs for 1000 bytes; usual are \(usual.price.decimal)")
        }
        if UInt256(highestFee) > usual.highestFee {
            let highest = DecimalAmount.format(usual.highestFee, decimals: Duffs.decimals)
            warnings.append("the fee is high: usual is less than \(highest) \(asset)")
        } else if highestFee > sum, !returns {
            warnings.append("the fee is more than what the recipient gets")
        }
        if highestFee > amount, returns {
            warnings.append("the fee is more than what comes back")
        }
        let known = UTXOParameters.of(chain, network)?.collaterals ?? []
        for amount in known where collaterals.contains(amount) {
            warnings.append(
                "this spends a coin of exactly \(Duffs.text(amount)) \(asset), because no others"
                    + " are enough: if it is the collateral of a masternode, that masternode ends")
        }
        if let change = farChange, !context.knowsChange {
            warnings.append(
                "a wallet that is restored from its words may not find the change: it looks"
                    + " \(DerivationPath.gapLimit) addresses ahead of the last used one; compare"
                    + " the end of \(change.path.text) with that of your last payment")
        }
        return warnings
    }
}

extension ICONTerms {
    fileprivate func warnings(_ context: TermsContext) -> [String] {
        warningsOfFee(context) + warningsOfTime(context)
    }

    /// Warns of a step limit that is too low, an unusual step price or a high fee: the step limit
    /// times the price at most.
    private func warningsOfFee(_ context: TermsContext) -> [String] {
        let price = context.stepPrice
        guard let steps = params["stepLimit"]?.stringValue.flatMap(ICONInteger.parse) else {
            return []
        }
        var warnings: [String] = []
        if let needed = context.estimatedSteps, UInt256(needed) > steps {
            warnings.append(
                "THE STEP LIMIT IS TOO LOW: the node estimates \(needed) steps, and the sender"
                    + " allows \(steps.decimal); the call would fail, and its fee would be lost")
        }
        let usual = UsualFee.of(.icon, network)
        let fee = usual.fee(ofSteps: steps).map { DecimalAmount.format($0, decimals: 18) }
        let usually = "at the usual price of \(usual.price.decimal) loop the fee is at most"
            + " \(fee ?? "more than there is of") ICX"
        if let price, !usual.isUsual(price) {
            warnings.append("a step costs \(price.decimal) loop, says the node; \(usually)")
        } else if price == nil {
            warnings.append("no node has told the price of a step; \(usually)")
        }
        let highest = [price, usual.price].compactMap(\.self).max()?.multiplied(by: steps) ?? .max
        if highest > usual.highestFee {
            let most = DecimalAmount.format(usual.highestFee, decimals: 18)
            warnings.append("the fee can be high: usual is less than \(most) ICX")
        }
        return warnings
    }

    /// Warns if nodes do not accept the timestamp that the caller chose.
    ///
    /// A prompt compares it with the time when the request arrived, so that the prompt is the same
    /// at any time.
    private func warningsOfTime(_ context: TermsContext) -> [String] {
        guard let time = params["timestamp"]?.stringValue.flatMap(ICONInteger.parseSmall),
            let now = context.time
        else { return [] }
        let window = Self.timeWindow
        if time < now, now - time > window {
            return [
                "no node takes this transaction: its time was over when \(context.timeName), at "
                    + Timestamp.seconds(now)
            ]
        }
        if time > now, time - now > window {
            return [
                "nodes take this transaction only later: from "
                    + "\(Timestamp.seconds(time - window)) on; \(context.timeName) at "
                    + Timestamp.seconds(now)
            ]
        }
        return []
    }
}

extension PaymentTerms {
    /// The highest fee of a transaction of some bytes that is ever paid, in duffs.
    ///
    /// It is that of the highest fee rate, and below the nodes' limit for absurd fees. Change below
    /// the dust limit, which goes to the fee, comes on top.
    package static func highestFee(
        ofBytes size: UInt64,
        ratePerKilobyte rate: UInt64 = CoinSelection.maximumFeeRatePerKilobyte
    ) -> UInt64 {
        let fee = RelayPolicy.fee(ofBytes: size, ratePerKilobyte: rate)
        return min(fee + RelayPolicy.p2pkhDust, RelayPolicy.suspiciousFee)
    }
}
