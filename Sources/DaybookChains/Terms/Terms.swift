package import DaybookEncoding

/// What a user agrees to by approving a transaction: everything in it that can cost money.
///
/// A prompt shows all of it, and the signer signs nothing else. For example, the terms of a Dash
/// payment are the recipient, the amount and the highest fee.
package enum Terms: Equatable, Sendable {
    /// A payment on Dash or Axe.
    case payment(PaymentTerms)
    /// A transaction on ICON.
    case icon(ICONTerms)

    /// All of the terms in lines, of which a prompt has every one; different terms have different
    /// lines. Nil where they can't be shown whole.
    package func lines(token: TokenUnit? = nil) -> [ShownLine]? {
        switch self {
        case .payment(let terms): terms.lines
        case .icon(let terms): terms.lines(token: token)
        }
    }

    /// The lines that name chain and network, with which all terms begin.
    package static func place(_ chain: Chain, _ network: Network) -> [ShownLine] {
        [ShownLine("chain", chain.rawValue), ShownLine("network", network.rawValue)]
    }
}

/// The terms of a payment on Dash or Axe.
package struct PaymentTerms: Equatable, Sendable {
    /// Dash or Axe.
    package let chain: Chain
    /// The network of the wallet that pays.
    package let network: Network
    /// The address that is paid, as text.
    package let recipient: String
    /// What the recipient gets, in duffs.
    package let amount: UInt64
    /// The highest fee that the user agrees to, in duffs.
    package let highestFee: UInt64
    /// Whether the recipient is the wallet itself: nobody else may be paid then.
    package let returns: Bool

    /// Terms of their parts.
    package init(
        chain: Chain, network: Network, recipient: String, amount: UInt64, highestFee: UInt64,
        returns: Bool = false
    ) {
        self.chain = chain
        self.network = network
        self.recipient = recipient
        self.amount = amount
        self.highestFee = highestFee
        self.returns = returns
    }

    /// The name of the chain's coin.
    package var asset: String { chain == .axe ? "AXE" : "DASH" }

    /// All of the terms in lines of which none can be taken for another.
    package var lines: [ShownLine] { Terms.place(chain, network) + parts }

    /// The lines without those of the place.
    package var parts: [ShownLine] {
        [
            .escaping("to", recipient), ShownLine("asset", asset),
            ShownLine("amount", Duffs.text(amount)), ShownLine("minor", String(amount)),
            ShownLine("fee", Duffs.text(highestFee)),
        ] + (returns ? [ShownLine("recipient", "this wallet")] : [])
    }
}

/// The terms of a transaction on ICON: every parameter, as it is shown.
package struct ICONTerms: Equatable, Sendable {
    /// The network of the wallet that signs.
    package let network: Network
    /// All parameters of the transaction, without a signature.
    ///
    /// The timestamp is missing where the transaction gets the time of its approval.
    package let params: JSON
    /// The step limit at the price of a step, in loop; nil where no price is known.
    package let highestFee: UInt256?

    /// Terms of their parts.
    package init(network: Network, params: JSON, highestFee: UInt256?) {
        self.network = network
        self.params = params
        self.highestFee = highestFee
    }

    /// The parameters with a time where they have none of their own.
    package func params(at time: UInt64) -> JSON {
        guard case .object(let members) = params, params["timestamp"] == nil else { return params }
        let text = JSON.string(ICONInteger.text(time))
        return .object(members + [JSON.Member(name: "timestamp", value: text)])
    }
}
