package import DaybookChains
package import DaybookEncoding

/// One side of a movement.
package enum LedgerAccount: Equatable, Sendable {
    case wallet(WalletID, BalanceRow.Part)
    /// Everyone else on a chain.
    case external(Chain, Network)
}

extension State {
    /// Moves an amount between two accounts: what one side loses the other gains, always.
    ///
    /// More than the one side holds can't be moved; asking for it means that the rows are damaged.
    mutating func move(
        _ amount: UInt256, of asset: String, from source: LedgerAccount, to target: LedgerAccount
    ) {
        guard amount != .zero, source != target else { return }
        change(source, asset, amount, adds: false)
        change(target, asset, amount, adds: true)
    }

    package func balance(_ wallet: WalletID, _ asset: String) -> BalanceRow {
        balances[BalanceKey(wallet, asset)] ?? BalanceRow()
    }

    private mutating func change(
        _ account: LedgerAccount, _ asset: String, _ amount: UInt256, adds: Bool
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
        case .external(let chain, let network):
            let key = AssetKey(chain, network, asset)
            var row = externalAccounts[key] ?? ExternalAccountRow()
            let sum = (adds ? row.paidOut : row.paidIn).adding(amount) ?? .max
            if adds { row.paidOut = sum } else { row.paidIn = sum }
            externalAccounts[key] = row
        }
    }
}

extension State {
    /// Which coins do not add up, in words; nil if all do.
    ///
    /// Of each asset of a chain, the wallets together hold what the world paid in less what was
    /// paid out to it. No event can change that, whatever it says.
    package func imbalance() -> String? {
        var held: [AssetKey: UInt256] = [:]
        for (id, wallet) in wallets.rows() {
            for (key, row) in balances.rows(.first(id)) {
                let external = AssetKey(
                    wallet.wallet.chain, wallet.wallet.network, key.text)
                for part in BalanceRow.Part.allCases where row[part] != .zero {
                    guard externalAccounts.contains(external),
                        let sum = held[external, default: .zero].adding(row[part])
                    else { return "wallet \(id) holds \(Self.coins(external)) that nobody paid" }
                    held[external] = sum
                }
            }
        }
        for (key, row) in externalAccounts.rows() {
            let sum = held[key] ?? .zero
            guard row.paidOut.adding(sum) == row.paidIn else {
                return "the wallets hold \(sum.decimal) of \(Self.coins(key)), but the world paid "
                    + "in \(row.paidIn.decimal) and got \(row.paidOut.decimal)"
            }
        }
        return nil
    }

    /// The chain, network and asset in a key of the world's.
    private static func coins(_ key: AssetKey) -> String {
        [key.first.chain.rawValue, key.first.network.rawValue, key.text]
            .map { Text.escaped($0) }.joined(separator: " ")
    }
}
