package import DaybookChains
package import DaybookEncoding

/// The coins of its wallet that a Dash or Axe payment spends, as the user chose.
package struct CoinChoice: Hashable, Sendable {
    /// The coins that it spends: all of these and no others; empty for a choice by the rules.
    package let named: [Outpoint]
    /// Whether it pays all that the named coins hold, or else all that can be spent, less its fee.
    package let isAll: Bool

    package init(named: [Outpoint] = [], isAll: Bool = false) {
        self.named = named
        self.isAll = isAll
    }

    /// The choice that the rules make (`CoinSelection`).
    package static let automatic = CoinChoice()
}

extension State {
    /// The coins that the user named, or the reason why one of them can't be spent.
    func named(
        _ choice: CoinChoice, of wallet: WalletID, _ coins: WalletCoins
    ) -> Result<[Coin], Refusal> {
        var found: [Coin] = []
        for outpoint in choice.named {
            if let coin = coins[outpoint], coin.isMature, !found.contains(coin) {
                found.append(coin)
                continue
            }
            let cause = found.contains { $0.outpoint == outpoint }
                ? "is named twice" : unspendable(outpoint, of: wallet)
            return .failure(
                Refusal(.coinUnavailable, parameter: "\(outpoint.text) \(cause)"))
        }
        return .success(found)
    }

    /// Why a wallet can't spend a coin, as the end of a sentence.
    package func unspendable(_ outpoint: Outpoint, of wallet: WalletID) -> String {
        let key = OutputKey(wallet, outpoint)
        guard let row = outputs[key] else {
            let isSpent = spentOutputs.contains(key)
            return isSpent ? "is spent" : "is no coin of wallet \(wallet)"
        }
        if let id = row.reservedBy { return "is reserved for the payment of request \(id)" }
        if row.isFrozen { return "is frozen: see daybook coin unfreeze" }
        guard let height = row.output.height else { return "is in no block yet" }
        if row.output.coinbase, !row.isMature {
            let (first, _) = height.addingReportingOverflow(UInt64(RelayPolicy.coinbaseMaturity))
            return "is a block reward, which can be spent from block \(first) on"
        }
        return "can't be spent"
    }
}
