import DaybookEncoding

extension State {
    /// Which coins do not add up, in words; nil if all do.
    ///
    /// Of each asset of a chain, the wallets together hold what the world paid in less what was
    /// paid out to it. No event can change that, whatever it says.
    package func imbalance() -> String? {
        var held: [Bytes: UInt256] = [:]
        for (walletKey, wallet) in list(Key.wallets, WalletRow.self) {
            let id = Key.lastNumber(walletKey)
            for (key, row) in list(Key.balances(id), BalanceRow.self) {
                let world = Key.world(
                    wallet.wallet.chain, wallet.wallet.network, Key.asset(ofBalance: key) ?? "")
                for part in BalanceRow.Part.allCases where row[part] != .zero {
                    guard contains(world),
                        let sum = held[world, default: .zero].adding(row[part])
                    else { return "wallet \(id) holds \(Self.coins(world)) that nobody paid" }
                    held[world] = sum
                }
            }
        }
        for (key, row) in list(Key.worlds, WorldRow.self) {
            let sum = held[key] ?? .zero
            guard row.paidOut.adding(sum) == row.paidIn else {
                return "the wallets hold \(sum.decimal) of \(Self.coins(key)), but the world paid "
                    + "in \(row.paidIn.decimal) and got \(row.paidOut.decimal)"
            }
        }
        return nil
    }

    /// The chain, network and asset in a key of the world's.
    private static func coins(_ key: Bytes) -> String {
        key.dropFirst(Key.worlds.count).split(separator: 0)
            .map { Text.escaped(String(decoding: $0, as: UTF8.self)) }.joined(separator: " ")
    }
}
