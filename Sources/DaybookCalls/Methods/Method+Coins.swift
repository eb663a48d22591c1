import Daybook
import DaybookCommands
import DaybookEncoding

extension Method {
    static let coinList = Method(
        "coin.list",
        [Parameter("wallet", .wallet), .optional("after", .text), .optional("limit", .number)],
        does: "lists the unspent coins of a Dash or Axe wallet"
    ) { call in
        let wallet = try await call.arguments.wallet(required: "wallet", in: call.store)
        let after = try call.arguments.text("after").map { text in try CoinID.read(text) }
        let page = try await call.store.coins(
            of: wallet.id, after: after, limit: try call.arguments.pageSize())
        return .record([
            "coins": .array(page.coins.map(\.json)),
            "next": page.next.map { .string($0.description) },
        ])
    }

    static let coinFreeze = Method(
        "coin.freeze", [Parameter("coins", .texts), .optional("wallet", .wallet)],
        does: "freezes coins, which no payment spends then"
    ) { call in
        try await change(call) { coins, wallet in
            try await call.store.freeze(coins, of: wallet)
        }
    }

    static let coinUnfreeze = Method(
        "coin.unfreeze", [Parameter("coins", .texts), .optional("wallet", .wallet)],
        does: "unfreezes coins, which payments may spend again"
    ) { call in
        try await change(call) { coins, wallet in
            try await call.store.unfreeze(coins, of: wallet)
        }
    }

    private static func change(
        _ call: Call,
        _ change: (_ coins: [CoinID], _ wallet: WalletID?) async throws -> [WalletCoin]
    ) async throws -> JSON {
        var coins: [CoinID] = []
        for text in call.arguments.texts("coins") ?? [] { coins.append(try CoinID.read(text)) }
        let wallet = try await call.arguments.wallet("wallet", in: call.store)
        return .record(["coins": .array(try await change(coins, wallet?.id).map(\.json))])
    }
}
