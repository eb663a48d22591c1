import DaybookChains
import DaybookEncoding

extension State {
    /// Which coins do not add up, in words; nil if all do.
    ///
    /// Of each asset of a chain, the wallets together hold what the world paid in less what was
    /// paid out to it. No event can change that, whatever it says.
    package func imbalance() -> String? {
        var held: [AssetKey: UInt256] = [:]
        for (id, wallet) in wallets.rows() {
            for (key, row) in balances.rows(.first(id)) {
                let world = AssetKey(
                    wallet.wallet.chain, wallet.wallet.network, key.text)
                for part in BalanceRow.Part.allCases where row[part] != .zero {
                    guard worlds.contains(world),
                        let sum = held[world, default: .zero].adding(row[part])
                    else { return "wallet \(id) holds \(Self.coins(world)) that nobody paid" }
                    held[world] = sum
                }
            }
        }
        for (key, row) in worlds.rows() {
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
