package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// What a wallet holds of one asset.
package struct BalanceLine: Equatable, Sendable {
    package let wallet: WalletID
    package let asset: String
    /// What people call the asset.
    package let symbol: String
    /// How many decimals a whole coin has; nil for a token that has not said so yet.
    package let decimals: Int?
    package let balance: BalanceRow
}

/// What one caller was told by one request.
package struct BindingLine: Equatable, Sendable {
    package let request: RequestID
    package let row: BindingRow
}

/// The lists that front ends and auditors read out of a state.
extension State {
    /// Every balance, by wallet and asset.
    ///
    /// That of a removed wallet, which holds nothing any more, only where it is asked for.
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

    private func unit(of asset: String, in id: WalletID) -> (symbol: String, decimals: Int?) {
        guard let row = wallets[id] else { return (asset, nil) }
        return unit(of: asset, row.wallet.chain, row.wallet.network)
    }

    /// What people call an asset, and how many decimals a whole coin of it has.
    package func unit(
        of asset: String, _ chain: Chain, _ network: Network
    ) -> (symbol: String, decimals: Int?) {
        let coin = chain.rules.coin
        if asset == coin.asset { return (asset, coin.decimals) }
        let token = tokens[TokenKey(network, asset)]
        let unit = token?.unit(of: asset)
        return (unit?.asset ?? asset, unit?.decimals)
    }

    /// Who was told what, in the order of the requests.
    package func bindingLines() -> [BindingLine] {
        bindings.rows().map {
            BindingLine(request: $0.key, row: $0.row)
        }
    }

    /// The requests that wait for their user, in the order in which they came.
    package func pendingRequests() -> [RequestID] {
        pending.keys().map(\.second).sorted()
    }

    /// The requests whose callbacks are due, in their order.
    package func dueCallbacks() -> [RequestID] {
        callbacks.keys()
    }
}
