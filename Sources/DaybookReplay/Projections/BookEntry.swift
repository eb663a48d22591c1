package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// What one event did to the book.
package struct BookEntry: Equatable, Sendable {
    /// The event's position.
    package let position: Position
    /// When it was recorded: microseconds since 1970.
    package let time: UInt64
    /// The event's type on disk.
    package let type: String
    /// The request that it belongs to.
    package let request: RequestID?
    /// Every account that changed, in the state's order; for each asset they sum to zero.
    package let postings: [Posting]
    /// What came to wallets and went from them, transaction by transaction.
    package let movements: [Movement]

    /// A change of one account.
    package struct Posting: Equatable, Sendable {
        package let account: LedgerAccount
        package let asset: Asset
        package let amount: SignedAmount
        /// What a wallet's part holds afterwards; nil for the rest of the world.
        package let balance: UInt256?
    }

    /// What one transaction added to all that a wallet holds of an asset, or took from it.
    package struct Movement: Equatable, Sendable {
        package let wallet: WalletID
        package let asset: Asset
        package let kind: Kind
        package let amount: SignedAmount
        /// What a transaction of ours cost, in the chain's coin; part of the amount in that coin.
        package let fee: UInt256?
        package let txid: Bytes?
        /// The request that made the transaction.
        package let request: RequestID?
        /// Who asked for it, as they call themselves.
        package let caller: String?
    }

    /// Why an amount moved.
    package enum Kind: String, Sendable {
        case received, sent
        /// A chain gave up what had moved: a transaction vanished, or a block left the chain.
        case reversed
        /// The wallet left the book with all that it held.
        case removed
    }

    /// What is counted: a coin of a chain, or a token by its contract.
    package struct Asset: Hashable, Sendable {
        package let chain: Chain
        package let network: Network
        /// `DASH`, `AXE`, `ICX` or a contract's address.
        package let name: String
        /// What people call it: of a token, the contract's own untrusted word.
        package let symbol: String
        /// How many decimals a whole coin has; nil for a token that has not said so yet.
        package let decimals: Int?

        /// Whether this is the chain's own coin.
        package var isCoin: Bool { chain != .icon || Text.equal(name, "ICX") }
    }
}

/// An amount that came or went, in minor units.
package struct SignedAmount: Equatable, Sendable {
    /// How much, whichever way.
    package private(set) var magnitude: UInt256
    /// Whether it went; never true of nothing.
    package private(set) var isNegative: Bool

    /// Nothing.
    package static let zero = SignedAmount(.zero)

    /// An amount that came, or one that went.
    package init(_ magnitude: UInt256, isNegative: Bool = false) {
        self.magnitude = magnitude
        self.isNegative = isNegative && magnitude != .zero
    }

    /// What is added to `old` to make `new`.
    init(from old: UInt256, to new: UInt256) {
        if let rise = new.subtracting(old) {
            self.init(rise)
        } else {
            self.init(old.subtracting(new) ?? .zero, isNegative: true)
        }
    }

    var negated: SignedAmount { SignedAmount(magnitude, isNegative: !isNegative) }

    /// The sum; amounts of coins that exist stay far below 256 bits.
    func adding(_ other: SignedAmount) -> SignedAmount {
        if isNegative == other.isNegative {
            let sum = magnitude.adding(other.magnitude) ?? .max
            return SignedAmount(sum, isNegative: isNegative)
        }
        let change = SignedAmount(from: other.magnitude, to: magnitude)
        return isNegative ? change.negated : change
    }

    /// The amount as digits, in whole coins of so many decimals.
    func text(decimals: Int) -> String {
        (isNegative ? "-" : "") + DecimalAmount.format(magnitude, decimals: decimals)
    }
}
