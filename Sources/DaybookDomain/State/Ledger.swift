package import DaybookChains
package import DaybookEncoding

/// One side of a movement.
package enum Account: Equatable, Sendable {
    case wallet(WalletID, BalanceRow.Part)
    /// Everyone else on a chain.
    case world(Chain, Network)
}

extension State {
    /// Moves an amount between two accounts: what one side loses the other gains, always.
    ///
    /// More than the one side holds can't be moved; asking for it means that the rows are damaged.
    mutating func move(
        _ amount: UInt256, of asset: String, from source: Account, to target: Account
    ) {
        guard amount != .zero, source != target else { return }
        change(source, asset, amount, adds: false)
        change(target, asset, amount, adds: true)
    }

    package func balance(_ wallet: WalletID, _ asset: String) -> BalanceRow {
        balances[BalanceKey(wallet, asset)] ?? BalanceRow()
    }

    private mutating func change(
        _ account: Account, _ asset: String, _ amount: UInt256, adds: Bool
    ) {
        switch account {
        case .wallet(let wallet, let part):
            var row = balance(wallet, asset)
            let result = adds ? row[part].adding(amount) : row[part].subtracting(amount)
            guard let result else {
                return note(damage: FieldError(field: "balance", expected: "large enough"))
            }
            row[part] = result
            balances[BalanceKey(wallet, asset)] = row
        case .world(let chain, let network):
            let key = AssetKey(chain, network, asset)
            var row = worlds[key] ?? WorldRow()
            let sum = (adds ? row.paidOut : row.paidIn).adding(amount) ?? .max
            if adds { row.paidOut = sum } else { row.paidIn = sum }
            worlds[key] = row
        }
    }
}
