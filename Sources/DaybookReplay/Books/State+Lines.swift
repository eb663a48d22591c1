package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// The balance of a wallet in an asset.
package struct BalanceLine: Equatable, Sendable {
    package let wallet: WalletID
    package let asset: String
    /// The asset's symbol.
    package let symbol: String
    /// How many decimals a whole coin has; nil for a token whose decimals are unknown.
    package let decimals: Int?
    package let balance: BalanceRow
}

/// An address or key that a request gave to its caller.
package struct BindingLine: Equatable, Sendable {
    package let request: RequestID
    package let row: BindingRow
}

/// The lists that front ends and auditors get from a state.
extension State {
    /// The balances of a wallet, or of all wallets that were not removed.
    package func balanceLines(wallet: WalletID? = nil) -> [BalanceLine] {
        balances.rows(wallet.map { .first($0) }).compactMap { key, row in
            let (number, asset) = (key.first, key.text)
            guard wallet != nil || self.wallet(number) != nil else { return nil }
            let unit = unit(of: asset, in: number)
            return BalanceLine(
                wallet: number, asset: asset, symbol: unit.symbol, decimals: unit.decimals,
                balance: row)
        }
    }

    /// The symbol of an asset of a wallet, and its number of decimals.
    package func unit(of asset: String, in id: WalletID) -> (symbol: String, decimals: Int?) {
        guard let row = wallets[id] else { return (asset, nil) }
        return unit(of: asset, row.wallet.chain, row.wallet.network)
    }

    /// An asset's symbol and its number of decimals.
    package func unit(
        of asset: String, _ chain: Chain, _ network: Network
    ) -> (symbol: String, decimals: Int?) {
        let coin = chain.rules.coin
        if asset == coin.asset { return (asset, coin.decimals) }
        let token = tokens[TokenKey(network, asset)]
        let unit = token?.unit(of: asset)
        return (unit?.asset ?? asset, unit?.decimals)
    }

    /// The bindings, in the order of the requests.
    package func bindingLines() -> [BindingLine] {
        bindings.rows().map {
            BindingLine(request: $0.key, row: $0.row)
        }
    }

    /// The pending requests, in the order in which they were received.
    package func pendingRequests() -> [RequestID] {
        pending.keys().map(\.second).sorted()
    }
}
