package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// The postings and movements of one event.
package struct BookEntry: Equatable, Sendable {
    /// The event's position.
    package let position: Position
    /// When it was recorded: microseconds since 1970.
    package let time: UInt64
    /// The event's type on disk.
    package let type: String
    /// The request that it belongs to.
    package let request: RequestID?
    /// The changes of accounts, which sum to zero for each asset.
    package let postings: [Posting]
    /// The movements of wallets, by transaction.
    package let movements: [Movement]

    /// A change of one account.
    package struct Posting: Equatable, Sendable {
        package let account: LedgerAccount
        package let asset: Asset
        package let amount: SignedAmount
        /// The account's balance afterwards; nil for an external account.
        package let balance: UInt256?
    }

    /// The change of a wallet's whole balance in an asset by one transaction.
    package struct Movement: Equatable, Sendable {
        package let wallet: WalletID
        package let asset: Asset
        package let kind: Kind
        package let amount: SignedAmount
        /// The fee that the wallet paid, in the chain's coin; part of the amount in that coin.
        package let fee: UInt256?
        package let txid: Bytes?
        /// The request that made the transaction.
        package let request: RequestID?
        /// The caller of that request, by its unverified name.
        package let caller: String?
    }

    /// The kind of a movement.
    package enum Kind: String, Sendable {
        case received, sent
        /// A transaction or block left the chain, which undid a movement.
        case reversed
        /// The wallet was removed, with its balance.
        case removed
    }

    /// A coin of a chain, or a token of a contract.
    package struct Asset: Hashable, Sendable {
        package let chain: Chain
        package let network: Network
        /// `DASH`, `AXE`, `ICX` or a contract's address.
        package let name: String
        /// The symbol; a token's comes from its contract and is untrusted.
        package let symbol: String
        /// How many decimals a whole coin has; nil for a token whose decimals are unknown.
        package let decimals: Int?

        /// Whether this is the chain's own coin.
        package var isCoin: Bool { Text.equal(name, chain.rules.coin.asset) }
    }
}
