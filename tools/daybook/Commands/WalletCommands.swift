import Daybook
import DaybookCommands
import DaybookEncoding

extension Command {
    static let walletList = Command("wallet list", does: "list the wallets") { invocation, store in
        let wallets = try await store.wallets()
        for wallet in wallets where invocation.console.isJSON {
            // A wallet whose key is missing or another one has a problem to tell, and no keys.
            let key = wallet.problem == nil ? try await store.watchKey(of: wallet.id) : nil
            let watch = key.map { [JSON.Member(name: "watch", value: .string($0))] } ?? []
            try invocation.console.result(.object((wallet.json.objectValue ?? []) + watch), "")
        }
        try invocation.console.text(
            wallets.isEmpty
                ? "no wallets yet; `daybook wallet add` adds one"
                : Console.columns(
                    [["id", "chain", "network", "address", "label"]]
                        + wallets.map { wallet in
                            [
                                String(wallet.id), wallet.chain.rawValue,
                                wallet.network.rawValue,
                                wallet.problem.map { "(\($0))" } ?? wallet.address,
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

extension Command {
    static let walletPassphrase = Command(
        "wallet passphrase", "W", count: 1...1,
        does: """
            seal wallet W's key again under another passphrase
            Copies of the old file, as in a backup, still open with the old passphrase.
            """,
        options: [
            Secrets.passphraseOption, Secrets.newPassphraseOption, Secrets.weakOption,
        ], changes: true
    ) { invocation, store in
        try Secrets.checkStandardInput(
            invocation, [Secrets.passphraseOption.name, Secrets.newPassphraseOption.name])
        let wallet = try await WalletName.find(invocation.arguments[0], store)
        var old = try Secrets.passphrase(invocation)
        var new = try Secrets.passphrase(
            invocation, isNew: true, from: Secrets.newPassphraseOption)
        try await store.changePassphrase(
            of: wallet.id, from: Passphrase(wiping: &old), to: Passphrase(wiping: &new),
            allowingWeak: invocation.has(Secrets.weakOption.name))
        try invocation.console.result(
            .record(["wallet": .int(wallet.id)]),
            "wallet \(wallet.id) is sealed under the new passphrase")
        return .done
    }
}

extension Wallet {
    var json: JSON {
        .record([
            "wallet": .int(id), "chain": .string(chain.rawValue),
            "network": .string(network.rawValue),
            "address": problem == nil ? .string(address) : .null,
            "label": label.map(JSON.string) ?? .null, "problem": problem.map(JSON.string),
        ])
    }
}
