import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookDomain

extension Given {
    /// Laws that hold after every event: nothing is damaged, and no coin came from nowhere.
    func checkLedger() {
        #expect(state.damage == nil)
        #expect(state.imbalance() == nil)
        #expect(state.coinDifference() == nil)
        for (key, row) in state.wallets.rows() {
            checkWallet(key, row.wallet)
        }
    }

    /// Finds each coin of a wallet in its part of the balance.
    private func checkWallet(_ id: WalletID, _ wallet: WalletAdded) {
        for (_, row) in state.balances.rows(.first(id)) { checkFigures(row) }
        guard let parameters = UTXOParameters.of(wallet.chain, wallet.network) else { return }
        var parts = BalanceRow()
        for (_, row) in state.outputs.rows(.first(id)) {
            guard let part = Self.part(of: row) else { continue }
            parts[part] = parts[part].adding(UInt256(row.output.amount))!
        }
        #expect(state.balance(id, parameters.chain.rules.coin.asset) == parts, "wallet \(id)")
    }

    /// The four figures that people see, by their definitions.
    private func checkFigures(_ row: BalanceRow) {
        func sum(_ parts: BalanceRow.Part...) -> UInt256 {
            parts.reduce(.zero) { $0.adding(row[$1])! }
        }
        #expect(
            row.confirmed
                == sum(.confirmedFree, .confirmedHeld, .confirmedReserved, .confirmedFrozen))
        #expect(
            row.unconfirmed
                == sum(
                    .unconfirmedFree, .unconfirmedHeld, .unconfirmedReserved, .unconfirmedFrozen))
        #expect(row.frozen == sum(.confirmedFrozen, .unconfirmedFrozen))
        #expect(row.reserved == sum(.confirmedReserved, .unconfirmedReserved))
        #expect(row.available == sum(.confirmedFree, .unconfirmedFree))
    }

    /// Where a coin stands, said a second time and in other words than the domain's.
    private static func part(of row: OutputRow) -> BalanceRow.Part? {
        switch (row.output.spentBy, row.output.height, row.reservedBy) {
        case (_?, _, _): nil
        case (nil, nil, nil) where row.isFrozen: .unconfirmedFrozen
        case (nil, _?, nil) where row.isFrozen: .confirmedFrozen
        case (nil, nil, nil): row.isOurs ? .unconfirmedFree : .unconfirmedHeld
        case (nil, nil, _?): .unconfirmedReserved
        case (nil, _?, _?): .confirmedReserved
        case (nil, _?, nil):
            row.output.coinbase && !row.isMature ? .confirmedHeld : .confirmedFree
        }
    }
}

extension State {
    /// The coins that a wallet can spend now.
    func spendableCoins(of wallet: WalletID) -> [Coin] {
        guard let owner = self.wallet(wallet)?.wallet else { return [] }
        var found: [Coin] = []
        WalletCoins(of: wallet, owner, self).byAmount.walk(.down(below: nil)) { coin in
            found.append(coin)
            return true
        }
        return found
    }
}
