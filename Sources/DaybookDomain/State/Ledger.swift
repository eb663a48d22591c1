package import DaybookChains
package import DaybookEncoding

/// One side of a movement between a wallet and the rest of its chain.
package enum LedgerAccount: Equatable, Sendable {
    case wallet(WalletID, BalanceRow.Part)
    /// The external account: everyone else on a chain.
    case external(Chain, Network)
}

extension State {
    /// Moves an amount between two accounts, so that the ledger always balances.
    ///
    /// An account can't be overdrawn: an attempt to do so means that the rows are damaged.
    mutating func move(
        _ amount: UInt256, of asset: String, from source: LedgerAccount, to target: LedgerAccount
    ) {
        guard amount != .zero, source != target else { return }
        change(source, of: asset, by: amount, adds: false)
        change(target, of: asset, by: amount, adds: true)
    }

    package func balance(_ wallet: WalletID, _ asset: String) -> BalanceRow {
        balances[BalanceKey(wallet, asset)] ?? BalanceRow()
    }

    private mutating func change(
        _ account: LedgerAccount, of asset: String, by amount: UInt256, adds: Bool
    ) {
        switch account {
        case .wallet(let wallet, let part):
            let key = BalanceKey(wallet, asset)
            var isLargeEnough = true
            func change(_ row: inout BalanceRow) {
                let result = adds ? row[part].adding(amount) : row[part].subtracting(amount)
                if let result { row[part] = result } else { isLargeEnough = false }
            }
            if !balances.update(key, change) {
                var row = BalanceRow()
                change(&row)
                if isLargeEnough { balances[key] = row }
            }
            if !isLargeEnough {
                note(damage: FieldError(field: "balance", expected: "large enough"))
            }
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
    /// Describes the first asset whose double-entry sums do not balance; nil if all balance.
    ///
    /// For each asset of a chain, the wallets together hold what came in from the external account
    /// less what went out to it. Events move amounts only in pairs, so that no event can change
    /// this.
    package func imbalance() -> String? {
        let accounts = externalAccounts.rows()
        var held = accounts.map { _ in UInt256.zero }
        for id in wallets.keys() {
            guard let chain = chainID(of: id) else { continue }
            // Both tables are in the order of the assets.
            var place = 0
            for (key, row) in balances.rows(.first(id)) {
                let asset = AssetKey(chain, key.second)
                while place < accounts.count, accounts[place].key < asset { place += 1 }
                let isKnown = place < accounts.count && accounts[place].key == asset
                for amount in row.parts where amount != .zero {
                    guard isKnown, let sum = held[place].adding(amount) else {
                        return "wallet \(id) holds \(Self.coins(asset)) that never came in"
                    }
                    held[place] = sum
                }
            }
        }
        for ((key, row), sum) in zip(accounts, held) {
            guard row.paidOut.adding(sum) == row.paidIn else {
                return "the wallets hold \(sum.decimal) of \(Self.coins(key)), but "
                    + "\(row.paidIn.decimal) came in and \(row.paidOut.decimal) went out"
            }
        }
        return nil
    }

    /// Describes a coin that is listed and can't be spent, or the reverse; nil if there is none.
    package func coinDifference() -> String? {
        var listed = Set(spendable.keys())
        for (key, row) in outputs.rows() {
            guard let coin = CoinKey(row, in: key.first) else { continue }
            guard listed.remove(coin) != nil else {
                return "wallet \(key.first) can spend \(key.second.text), which is not listed"
            }
        }
        return listed.min().map { key in
            "wallet \(key.first) can't spend \(key.outpoint.text), which is listed"
        }
    }

    /// The chain, network and asset of an external account, as text.
    private static func coins(_ key: AssetKey) -> String {
        [key.first.chain.rawValue, key.first.network.rawValue, key.text]
            .map { Text.escaped($0) }.joined(separator: " ")
    }
}
