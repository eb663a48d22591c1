package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// A movement of money between a wallet and somebody else, as books list it.
///
/// It adds `received` to what the payee holds of the asset, and takes `sent` of the asset and `fee`
/// of the chain's coin from what the payer holds. The movements of a log add up to its balances.
package struct Movement: Equatable, Sendable {
    package let kind: Kind
    /// The wallet whose movement it is; of a transfer, the one that sends if the books have it.
    package let wallet: WalletID
    /// The wallet that paid, and the one that was paid; nil for somebody else.
    package let payer: WalletID?
    package let payee: WalletID?
    /// The moved asset; of a movement that is nothing but a fee, the chain's coin.
    package let asset: BookAsset
    /// The payer's amount without the fee; zero if it is not in these books.
    package let sent: UInt256
    /// The payee's amount; zero if it is not in these books.
    package let received: UInt256
    /// The payer's cost of the transaction, in the chain's coin; zero if that is not known.
    package let fee: UInt256
    /// When the block was made, or when the movement was recorded, if that is all that is known.
    package let date: UInt64
    /// When the movement was recorded first.
    package let recorded: UInt64
    /// The event that recorded it first.
    package let position: Position
    package let txid: Bytes?
    /// The request that made the transaction.
    package let request: RequestID?
    /// The sender of that request, by its unverified name.
    package let sender: String?
    /// The request's own word about its purpose: untrusted.
    package let message: String?
    /// The address of the other side; nil if it is not known.
    package let counterparty: String?

    /// The kinds of movements in books. The raw values are written to files.
    package enum Kind: String, CaseIterable, Sendable {
        /// To somebody else.
        case payment
        /// From somebody else.
        case receipt
        /// Between own wallets, within one, or out of the books with a wallet that was removed.
        case transfer
        /// The cost of a transaction that moved nothing, as a call on ICON that failed.
        case fee
    }
}

/// A coin of a chain, or a token of a contract.
package struct BookAsset: Hashable, Sendable {
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

    /// The coin in which this chain takes fees.
    package var coin: BookAsset {
        let coin = chain.rules.coin
        return BookAsset(
            chain: chain, network: network, name: coin.asset, symbol: coin.asset,
            decimals: coin.decimals)
    }

    /// An amount in whole coins, or in minor units where the number of decimals is unknown.
    package func text(of minor: UInt256) -> String {
        DecimalAmount.format(minor, decimals: decimals ?? 0)
    }
}

extension State {
    /// An asset of a wallet, which may have been removed; nil if there is no such wallet.
    package func bookAsset(_ name: String, of wallet: WalletID) -> BookAsset? {
        guard let row = wallets[wallet] else { return nil }
        let (chain, network) = (row.wallet.chain, row.wallet.network)
        let unit = unit(of: name, chain, network)
        return BookAsset(
            chain: chain, network: network, name: name, symbol: unit.symbol,
            decimals: unit.decimals)
    }
}
