package import DaybookEncoding

/// The terms of a transaction that a user approves: everything in it that can cost money.
///
/// A prompt shows all of them, and the signer signs nothing else. For example, the terms of a Dash
/// payment are the recipient, the amount and the highest fee.
package enum Terms: Equatable, Sendable {
    /// A payment on Dash or Axe.
    case payment(PaymentTerms)
    /// A transaction on ICON.
    case icon(ICONTerms)

    /// The content that a prompt shows; nil if the terms can't be shown in full.
    ///
    /// Different terms have different content.
    package func content(token: TokenUnit? = nil) -> PromptContent? {
        switch self {
        case .payment(let terms): terms.content
        case .icon(let terms): terms.content(token: token)
        }
    }

    /// The chain that the transaction is for.
    package var chain: Chain {
        switch self {
        case .payment(let terms): terms.chain
        case .icon: .icon
        }
    }

    /// The most coins of the chain that leave the wallet, in minor units; nil if the fee is not
    /// known.
    package var highestCost: UInt256? {
        switch self {
        case .payment(let terms):
            return UInt256(terms.returns ? 0 : terms.sum).adding(UInt256(terms.highestFee))
        case .icon(let terms):
            guard let value = terms.params["value"] else { return terms.highestFee }
            return terms.highestFee.flatMap {
                value.stringValue.flatMap(ICONInteger.parse)?.adding($0)
            }
        }
    }

    /// Whether nothing but the chain's coins can leave the wallet; a contract can move more.
    package var movesOnlyCoins: Bool {
        switch self {
        case .payment: true
        case .icon(let terms):
            terms.params["dataType"].map { $0.stringValue == "message" } ?? true
        }
    }

    /// The lines that name the chain and the network.
    package static func chainLines(_ chain: Chain, _ network: Network) -> [ShownLine] {
        [ShownLine("chain", chain.rawValue), ShownLine("network", network.rawValue)]
    }
}

/// The terms of a payment on Dash or Axe.
package struct PaymentTerms: Equatable, Sendable {
    /// Dash or Axe.
    package let chain: Chain
    /// The network of the wallet that pays.
    package let network: Network
    /// The address that is paid.
    package let recipient: String
    /// The amount that the recipient gets, in duffs.
    package let amount: UInt64
    /// The highest fee that the user agrees to, in duffs.
    package let highestFee: UInt64
    /// Whether the recipient is the wallet itself, so that nobody else may be paid.
    package let returns: Bool
    /// The change, if a restored wallet may not find it; nil if it does, or if there is none.
    package let farChange: FarChange?
    /// The amounts of the coins spent that could be a masternode's collateral, in duffs.
    package let collaterals: [UInt64]
    /// The coins that the user named: it spends all of these and no others; empty if the user
    /// named none.
    package let coins: [SpentCoin]

    /// A coin that the user named.
    package struct SpentCoin: Equatable, Sendable {
        package let outpoint: Outpoint
        /// Duffs.
        package let amount: UInt64

        package init(_ coin: Coin) { (outpoint, amount) = (coin.outpoint, coin.amount) }
    }

    /// The further payees, in the order of the outputs; only files of other programs name any.
    package let others: [Payee]

    /// An address that is paid, and its amount in duffs.
    package struct Payee: Equatable, Sendable {
        package let address: String
        package let amount: UInt64

        package init(address: String, amount: UInt64) {
            (self.address, self.amount) = (address, amount)
        }
    }

    /// The most addresses that a transaction may pay, so that all are read.
    package static let mostPayees = 100

    /// Change to an address so far ahead that a restored wallet may not look there.
    package struct FarChange: Equatable, Sendable {
        package let path: DerivationPath
        /// Duffs.
        package let amount: UInt64

        package init(path: DerivationPath, amount: UInt64) {
            self.path = path
            self.amount = amount
        }
    }

    package init(
        chain: Chain, network: Network, recipient: String, amount: UInt64, highestFee: UInt64,
        returns: Bool = false, farChange: FarChange? = nil, collaterals: [UInt64] = [],
        coins: [SpentCoin] = [], others: [Payee] = []
    ) {
        self.chain = chain
        self.network = network
        self.recipient = recipient
        self.amount = amount
        self.highestFee = highestFee
        self.returns = returns
        self.farChange = farChange
        self.collaterals = collaterals
        self.coins = coins
        self.others = others
    }

    /// All who are paid.
    package var payees: [Payee] { [Payee(address: recipient, amount: amount)] + others }

    /// The amount of all payees, in duffs.
    package var sum: UInt64 {
        others.reduce(amount) { sum, payee in
            let (next, isTooMuch) = sum.addingReportingOverflow(payee.amount)
            return isTooMuch ? .max : next
        }
    }

    /// The name of the chain's coin.
    package var asset: String { chain.rules.coin.asset }

    /// The content that a prompt shows.
    package var content: PromptContent {
        var content = PromptContent()
        content.headline = PromptContent.payment(of: Duffs.text(amount), asset, to: recipient)
        content.amounts = [ShownLine("amount", Duffs.text(amount), unit: asset)]
        if !others.isEmpty {
            let rest = Duffs.text(sum - amount)
            content.headline += " and \(rest) \(asset) to \(others.count) others"
            content.amounts.append(ShownLine("sum", Duffs.text(sum), unit: asset))
        }
        content.amounts.append(ShownLine("fee", Duffs.text(highestFee), unit: asset))
        content.details = [.escaping("to", recipient)]
            + others.map {
                .escaping("also pays", "\(Duffs.text($0.amount)) \(asset) to \($0.address)")
            }
            + (returns ? [ShownLine("recipient", "this wallet")] : [])
            + (farChange.map {
                [ShownLine("change", "\(Duffs.text($0.amount)) \(asset) to \($0.path.text)")]
            } ?? [])
            + coins.map { ShownLine("spends", "\($0.outpoint.text), \(Duffs.text($0.amount))") }
            + [ShownLine("minor", String(amount))] + Terms.chainLines(chain, network)
        return content
    }
}

/// The terms of a transaction on ICON: all of its parameters.
package struct ICONTerms: Equatable, Sendable {
    /// The network of the wallet that signs.
    package let network: Network
    /// All parameters of the transaction, without a signature.
    ///
    /// Without a timestamp the transaction gets the time of its approval.
    package let params: JSON
    /// The step limit times the price of a step, in loop; nil if no price is known.
    package let highestFee: UInt256?

    package init(network: Network, params: JSON, highestFee: UInt256?) {
        self.network = network
        self.params = params
        self.highestFee = highestFee
    }

    /// The parameters, with this time if they have no timestamp.
    package func params(at time: UInt64) -> JSON {
        guard case .object(let members) = params, params["timestamp"] == nil else { return params }
        let text = JSON.string(ICONInteger.text(time))
        return .object(members + [JSON.Member(name: "timestamp", value: text)])
    }
}

/// The usual fees of a chain and network, so that a prompt can warn of others that a node claims.
package struct UsualFee: Hashable, Sendable {
    /// The usual price, in loop for a step or in duffs for 1000 bytes.
    package let price: UInt256
    /// How many times lower or higher a price is without a warning.
    private let factor: UInt64
    /// The highest fee of a transaction without a warning, in minor units.
    package let highestFee: UInt256

    init(price: UInt256, within factor: UInt64, highestFee: UInt256) {
        self.price = price
        self.factor = factor
        self.highestFee = highestFee
    }

    /// The usual fees of a chain and network.
    package static func of(_ chain: Chain, _ network: Network) -> UsualFee {
        switch chain.rules.ledger {
        case .outputs: UTXOFees.usual
        case .accounts: ICONFees.usual(on: network)
        }
    }

    /// Whether a price needs no warning.
    package func isUsual(_ asked: UInt256) -> Bool {
        let highest = price.multiplied(by: UInt256(factor)) ?? .max
        let isLow = asked.multiplied(by: UInt256(factor)).map { $0 < price } ?? false
        return !isLow && asked <= highest
    }

    /// The usual fee for a number of steps.
    package func fee(ofSteps steps: UInt256) -> UInt256? { price.multiplied(by: steps) }
}
