package import Daybook
import DaybookCommands
package import DaybookEncoding
import DaybookSystem

extension Method {
    package static let coinList = Method(
        "coin.list", [.wallet, .optional("after", .text), .optional("limit", .number)],
        command: "coin list",
        does: """
            list the coins of Dash or Axe wallet W, the largest first
            W is an id or a label. A coin is named TXID:INDEX everywhere.
            """,
        gives: .list("Coins", "coins", of: WalletCoin.resultType, .optional("next", .text)),
        note: """
            the unspent [coins](COMMANDS.md#coins) of a Dash or Axe wallet, in the order of \
            their ids
            """, pages: "after"
    ) { call in
        let wallet = try await call.arguments.wallet(required: "wallet", in: call.store)
        let after = try call.arguments.text("after").map { text in try CoinID.read(text) }
        let page = try await call.store.coins(
            of: wallet.id, after: after, limit: try call.arguments.pageSize())
        return MethodAnswer(
            coins: page.coins, of: [wallet], next: page.next.map { .string($0.description) })
    }

    static let coinFreeze = Method(
        "coin.freeze", coins, command: "coin freeze",
        does: """
            keep coins back: no payment spends them, and no balance counts them as available
            A coin is TXID:INDEX, as `coin list` shows it. It stays frozen until it is unfrozen.
            """,
        gives: changedCoins,
        note: """
            no payment spends these any more; `coins` is an array of `TXID:INDEX`, `wallet` is \
            needed if wallets of several chains have such a coin
            """, changes: true
    ) { call in
        try await change(call) { coins, wallet in
            try await call.store.freeze(coins, of: wallet)
        }
    }

    static let coinUnfreeze = Method(
        "coin.unfreeze", coins, command: "coin unfreeze",
        does: "let payments spend frozen coins again",
        gives: changedCoins, note: "payments may spend these again", changes: true
    ) { call in
        try await change(call) { coins, wallet in
            try await call.store.unfreeze(coins, of: wallet)
        }
    }

    private static let changedCoins = ResultType.list(
        "ChangedCoins", "coins", of: WalletCoin.resultType)

    private static let coins: [Parameter] = [
        Parameter("coins", .texts, at: "COIN..."),
        .optional(
            "wallet", .wallet, at: "--wallet W",
            "the wallet, if wallets of several chains have such a coin"),
    ]

    private static func change(
        _ call: Call,
        _ change: (_ coins: [CoinID], _ wallet: WalletID?) async throws -> [WalletCoin]
    ) async throws -> MethodAnswer {
        var coins: [CoinID] = []
        for text in call.arguments.texts("coins") ?? [] { coins.append(try CoinID.read(text)) }
        let wallet = try await call.arguments.wallet("wallet", in: call.store)
        return MethodAnswer(
            coins: try await change(coins, wallet?.id), of: try await call.store.wallets())
    }
}

extension MethodAnswer {
    /// A list of coins, which a command prints as a table.
    package init(coins: [WalletCoin], of wallets: [Wallet], next: JSON? = nil) {
        self.init("coins", coins.map(\.json), next: next, empty: "no coins") {
            // Few coins have labels.
            let isLabelled = coins.contains { $0.label != nil }
            let head = ["coin", "amount", "asset", "address", "block", "state"]
                + (isLabelled ? ["label"] : [])
            let rows = coins.map { coin in
                [
                    coin.id.description, coin.amount.inCoins(decimals: 8),
                    wallets.first { $0.id == coin.wallet }?.chain.coin ?? "", coin.address,
                    coin.height?.description ?? "", coin.state,
                ] + (isLabelled ? [Text.escaped(coin.label ?? "")] : [])
            }
            return Console.columns([head] + rows, right: [1, 4])
        }
    }
}

extension WalletCoin {
    /// The coin's use for a payment, in words.
    fileprivate var state: String {
        if let reservedBy { return "reserved by request \(reservedBy)" }
        if isFrozen { return "frozen" }
        if isSpendable { return "spendable" }
        return height == nil ? "in no block yet" : "not mature yet"
    }
}
