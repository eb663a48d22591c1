import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// The names of currencies, wallets and payees in books.
///
/// No two currencies or wallets of a log have the same name. Each format allows other
/// characters in a name; `spelling` makes an allowed name of a text.
package struct BookNames {
    private let state: State
    private let currencies: [AssetKey: String]
    private let wallets: [WalletID: String]

    /// How a format spells names.
    package struct Spelling: Sendable {
        let currency: @Sendable (String) -> String
        let wallet: @Sendable (String) -> String

        /// The names as they are.
        package static let plain = Spelling(currency: { $0 }, wallet: { $0 })
    }

    package init(_ state: State, log: Bytes, spelling: Spelling = .plain) {
        self.state = state
        var wallets: [(key: WalletID, names: [String])] = []
        var assets: [(key: AssetKey, names: [String])] = []
        state.wallets.walk { id, row in
            let whole = "wallet \(id) of \(Hex.encode(log.prefix(4)))"
            let label = row.wallet.label
            wallets.append((id, (label.map { [$0, "\($0) \(id)"] } ?? []) + [whole]))
            let (chain, network) = (row.wallet.chain, row.wallet.network)
            let coin = chain.rules.coin.asset
            let key = AssetKey(chain, network, coin)
            if !assets.contains(where: { $0.key == key }) {
                assets.append((key, [coin, "\(coin)-\(network.rawValue)"]))
            }
            return true
        }
        state.tokens.walk { key, row in
            let (network, contract) = (key.first, key.text)
            let names = [
                row.unit(of: contract).asset, contract, "\(contract)-\(network.rawValue)",
            ]
            assets.append((AssetKey(.icon, network, contract), names))
            return true
        }
        self.wallets = Self.unique(wallets, spelling.wallet)
        var currencies = Self.unique(assets, spelling.currency)
        for (key, _) in assets where key.first.network == .mainnet {
            // Programs know the coins of the real chains by these names.
            let coin = key.first.chain.rules.coin.asset
            if Text.equal(coin, key.text) { currencies[key] = spelling.currency(coin) }
        }
        self.currencies = currencies
    }

    /// Chooses for each key its first name that no other key could have, or else its last.
    private static func unique<Key>(
        _ all: [(key: Key, names: [String])], _ spelled: (String) -> String
    ) -> [Key: String] {
        let all = all.map { (key: $0.key, names: $0.names.map(spelled)) }
        var uses: [String: Int] = [:]
        for entry in all {
            for (index, name) in entry.names.enumerated()
            where !entry.names[..<index].contains(name) {
                uses[name, default: 0] += 1
            }
        }
        return all.reduce(into: [:]) { chosen, entry in
            chosen[entry.key] = entry.names.first { uses[$0] == 1 } ?? entry.names.last
        }
    }

    /// The name of an asset: its symbol, or a token's contract where the symbol is ambiguous.
    package func currency(_ asset: BookAsset) -> String {
        currencies[AssetKey(asset.chain, asset.network, asset.name)] ?? asset.name
    }

    /// The names of the assets that prices of `name` are about: those of a coin on each network.
    package func currencies(ofPriced name: String) -> [String] {
        currencies.filter { Text.equal($0.key.text, name) }.map(\.value).sorted()
    }

    /// The name of a wallet: its label if it has one of its own.
    package func wallet(_ id: WalletID) -> String { wallets[id] ?? "wallet \(id)" }

    /// The payee or payer: the user's name for them, or the sender; nil if nobody is named.
    package func payee(_ movement: Movement) -> String? {
        let sender = movement.sender
        return sender.flatMap { state.label(.sender($0)) }
            ?? movement.counterparty.flatMap { state.label(.address($0)) } ?? sender
            ?? state.label(ofTransaction: movement.txid, by: movement.request)
    }

    /// The purpose of a movement: the user's label, else the sender and the request's message.
    package func description(_ movement: Movement) -> String {
        state.label(ofTransaction: movement.txid, by: movement.request)
            ?? movement.counterparty.flatMap { state.label(.address($0)) }
            ?? movement.sender.flatMap { state.label(.sender($0)) }
            ?? [movement.sender, movement.message].compactMap { $0 }.joined(separator: ": ")
    }
}
