import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding

extension Command {
    static let coinList = Command(
        "coin list", "W", count: 1...1, does: """
            list the coins of Dash or Axe wallet W, the largest first
            W is an id or a label. A coin is named TXID:INDEX everywhere.
            """
    ) { invocation, store in
        let wallet = try await WalletName.find(invocation.arguments[0], store)
        var coins: [WalletCoin] = []
        var page = try await store.coins(of: wallet.id, limit: 1000)
        coins += page.coins
        while let next = page.next {
            page = try await store.coins(of: wallet.id, after: next, limit: 1000)
            coins += page.coins
        }
        coins.sort { UInt64($0.amount) ?? 0 > UInt64($1.amount) ?? 0 }
        try show(coins, of: [wallet], invocation)
        return .done
    }

    static let coinFreeze = Command(
        "coin freeze", "COIN...", count: 1...1000, does: """
            keep coins back: no payment spends them, and no balance counts them as available
            A coin is TXID:INDEX, as `coin list` shows it. It stays frozen until it is unfrozen.
            """,
        options: [coinWallet], changes: true
    ) { invocation, store in
        try await change(invocation, store) { try await store.freeze($0, of: $1) }
    }

    static let coinUnfreeze = Command(
        "coin unfreeze", "COIN...", count: 1...1000,
        does: "let payments spend frozen coins again", options: [coinWallet], changes: true
    ) { invocation, store in
        try await change(invocation, store) { try await store.unfreeze($0, of: $1) }
    }

    private static let coinWallet = Option(
        "--wallet", "W", "the wallet, if wallets of several chains have such a coin")

    private static func change(
        _ invocation: Invocation, _ store: Store,
        _ change: (_ coins: [CoinID], _ wallet: WalletID?) async throws -> [WalletCoin]
    ) async throws -> ExitStatus {
        var coins: [CoinID] = []
        for text in invocation.arguments { coins.append(try CoinID.read(text)) }
        let wallet = try await WalletName.findIfNamed(invocation.value("--wallet"), store)
        try show(
            try await change(coins, wallet?.id), of: try await store.wallets(), invocation)
        return .done
    }

    private static func show(
        _ coins: [WalletCoin], of wallets: [Wallet], _ invocation: Invocation
    ) throws {
        var rows: [[String]] = [["coin", "amount", "asset", "address", "block", "state"]]
        for coin in coins {
            try invocation.console.result(coin.json, "")
            rows.append([
                coin.id.description, CoinAmount.format(coin.amount, decimals: 8),
                wallets.first { $0.id == coin.wallet }?.chain.coin ?? "", coin.address,
                coin.height?.description ?? "", coin.state,
            ])
        }
        try invocation.console.text(
            coins.isEmpty ? "no coins" : Console.columns(rows, right: [1, 4]))
    }
}

extension WalletCoin {
    /// What a payment can do with it, in words.
    fileprivate var state: String {
        if let reservedBy { return "reserved by request \(reservedBy)" }
        if isFrozen { return "frozen" }
        if isSpendable { return "spendable" }
        return height == nil ? "in no block yet" : "not mature yet"
    }
}
