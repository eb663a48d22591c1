import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes

@testable import Daybook

extension Store {
    /// Where a sandbox wallet's balance is not what its chain says; empty after a `sync`.
    func differencesFromChains() async throws -> [String] {
        var differences: [String] = []
        for (id, row) in try journal.read({ $0.wallets() })
        where row.wallet.network == .sandbox {
            let (chain, address) = (row.wallet.chain, row.address)
            let held: [String: (UInt256, UInt256)]
            if chain == .icon {
                held = try await chains.icon { sandbox, _ in
                    guard let holder = ICONAddress(address) else { return [:] }
                    return [
                        "ICX": (sandbox.balance(of: holder), .zero),
                        ICONSandbox.token.text: (sandbox.tokens(of: holder), .zero),
                    ]
                }
            } else {
                let scripts = try journal.read {
                    $0.addresses.rows(.wallet(id)).map(\.row.script)
                }
                let coin = chain.rules.coin.asset
                held = try await chains.utxo(chain) { sandbox, _ in
                    var sums: (UInt256, UInt256) = (.zero, .zero)
                    for output in sandbox.outputs(of: scripts) where output.spender == nil {
                        let amount = UInt256(output.amount)
                        if output.height == nil {
                            sums.1 = sums.1.adding(amount) ?? .max
                        } else {
                            sums.0 = sums.0.adding(amount) ?? .max
                        }
                    }
                    return [coin: sums]
                }
            }
            for (asset, (confirmed, unconfirmed)) in held {
                // A token is followed from the first request on that names it.
                let key = BalanceKey(id, asset)
                if asset.hasPrefix("cx"), try journal.read({ $0.balances[key] }) == nil {
                    continue
                }
                let balance = try journal.read { $0.balance(id, asset) }
                if balance.confirmed != confirmed || balance.unconfirmed != unconfirmed {
                    differences.append(
                        "wallet \(id) \(asset): \(balance.confirmed.decimal)+"
                            + "\(balance.unconfirmed.decimal), on the chain "
                            + "\(confirmed.decimal)+\(unconfirmed.decimal)")
                }
            }
        }
        return differences
    }
}
