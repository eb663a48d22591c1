package import DaybookEncoding

/// The facts beside the terms where these are shown: about the chain, and about the wallet.
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
    /// The name of the time, for a sentence: `the request came`.
    package var timeName = "the request came"
    /// Whether the wallet has derived the address of the change.
    package var knowsChange = false

    package init() {}
}

extension Terms {
    /// Adds the warnings about a transaction, the same for a prompt and for the signer's display.
    package func warn(_ context: TermsContext, _ content: inout PromptContent) {
        switch self {
        case .payment(let terms): terms.warn(context, &content)
        case .icon(let terms):
            terms.warnOfFee(context, &content)
            terms.warnOfTime(context, &content)
        }
    }
}

extension PaymentTerms {
    fileprivate func warn(_ context: TermsContext, _ content: inout PromptContent) {
        let usual = UsualFee.of(chain, network)
        if let rate = context.feeRate, !usual.isUsual(UInt256(rate)) {
            content.warn(
                "unusualFeeRate",
                "The node asks for \(rate) duffs per 1000 bytes. The usual rate is"
                    + " \(usual.price.decimal).")
        }
        if UInt256(highestFee) > usual.highestFee {
            let highest = DecimalAmount.format(usual.highestFee, decimals: Duffs.decimals)
            content.warn(
                "highFee", "The fee is high. It is usually less than \(highest) \(asset).")
        } else if highestFee > sum, !returns {
            content.warn("feeAboveAmount", "The fee is more than the recipient gets.")
        }
        if highestFee > amount, returns {
            content.warn("feeAboveAmount", "The fee is more than the amount that comes back.")
        }
        for amount in chain.rules.collaterals where collaterals.contains(amount) {
            content.warn(
                "collateral",
                "This spends a coin of exactly \(Duffs.text(amount)) \(asset), because the other"
                    + " coins are not enough. If it is the collateral of a masternode, that"
                    + " masternode stops.")
        }
        if let change = farChange, !context.knowsChange {
            content.warn(
                "farChange",
                "A wallet that is restored from its words may not find the change: it searches"
                    + " \(DerivationPath.gapLimit) addresses after the last used one. Compare the"
                    + " end of \(change.path.text) with the path in your last payment.")
        }
    }
}

extension ICONTerms {
    /// Warns of a step limit that is too low, an unusual step price or a high fee: the step limit
    /// times the price at most.
    fileprivate func warnOfFee(_ context: TermsContext, _ content: inout PromptContent) {
        let price = context.stepPrice
        guard let steps = params["stepLimit"]?.stringValue.flatMap(ICONInteger.parse) else {
            return
        }
        if let needed = context.estimatedSteps, UInt256(needed) > steps {
            content.warn(
                "lowStepLimit",
                "The step limit is too low. The node estimates \(needed) steps, and the sender"
                    + " allows \(steps.decimal). The call would fail, and its fee would be lost.")
        }
        let usual = UsualFee.of(.icon, network)
        let fee = usual.fee(ofSteps: steps).map { DecimalAmount.format($0, decimals: 18) }
        let usually = "At the usual price of \(usual.price.decimal) loop the fee is at most"
            + " \(fee ?? "more than there is of") ICX."
        if let price, !usual.isUsual(price) {
            content.warn(
                "unusualStepPrice",
                "The node asks for \(price.decimal) loop for a step. \(usually)")
        } else if price == nil {
            content.warn("unknownStepPrice", "No node has told the price of a step. \(usually)")
        }
        let highest = [price, usual.price].compactMap(\.self).max()?.multiplied(by: steps) ?? .max
        if highest > usual.highestFee {
            let most = DecimalAmount.format(usual.highestFee, decimals: 18)
            content.warn("highFee", "The fee can be high. It is usually less than \(most) ICX.")
        }
    }

    /// Warns if nodes do not accept the timestamp that the caller chose.
    ///
    /// A prompt compares it with the time when the request arrived, so that the prompt is the same
    /// at any time.
    fileprivate func warnOfTime(_ context: TermsContext, _ content: inout PromptContent) {
        guard let time = params["timestamp"]?.stringValue.flatMap(ICONInteger.parseSmall),
            let now = context.time
        else { return }
        let window = Self.timeWindow
        if time < now, now - time > window {
            content.warn(
                "pastTime",
                "No node accepts this transaction: its time had passed when"
                    + " \(context.timeName), at \(Timestamp.seconds(now)).")
        }
        if time > now, time - now > window {
            content.warn(
                "futureTime",
                "Nodes accept this transaction only from \(Timestamp.seconds(time - window)) on."
                    + " It was \(Timestamp.seconds(now)) when \(context.timeName).")
        }
    }
}
