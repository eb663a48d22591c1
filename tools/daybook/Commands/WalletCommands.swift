import Daybook
import DaybookCommands
import DaybookEncoding

extension Command {
    static let walletList = Command("wallet list", does: "list the wallets") { invocation, store in
        let wallets = try await store.wallets()
        for wallet in wallets where invocation.console.isJSON {
            try invocation.console.result(wallet.json, "")
        }
        try invocation.console.text(
            wallets.isEmpty
                ? "no wallets yet; `daybook wallet add` adds one"
                : Console.columns(
                    [["id", "chain", "network", "address", "label"]]
                        + wallets.map { wallet in
                            [
                                String(wallet.id), wallet.chain.rawValue,
                                wallet.network.rawValue, wallet.address,
                                Text.escaped(wallet.label ?? ""),
                            ]
                        }, right: [0]))
        return .done
    }

    static let walletAddress = Command(
        "wallet address", "W", count: 1...1,
        does: "show the next unused receive address of wallet W"
    ) { invocation, store in
        let wallet = try await WalletName.find(invocation.arguments[0], store)
        let address = try await store.address(of: wallet.id)
        try invocation.console.result(.record(["address": .string(address)]), "\(address)")
        return .done
    }
}

extension Wallet {
    var json: JSON {
        .record([
            "wallet": .int(id), "chain": .string(chain.rawValue),
            "network": .string(network.rawValue), "address": .string(address),
            "label": label.map(JSON.string) ?? .null,
        ])
    }
}
