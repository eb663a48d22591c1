import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding

extension Command {
    static let walletList = Command("wallet list", does: "list the wallets") { invocation, store in
        let wallets = try await store.wallets()
        var rows = [["id", "chain", "network", "address", "key origin", "label"]]
        for wallet in wallets {
            let json = try await wallet.json(in: store)
            if invocation.console.isJSON { try invocation.console.result(json, "") }
            rows.append([
                wallet.id.description, wallet.chain.rawValue, wallet.network.rawValue,
                wallet.problem.map { "(\($0))" } ?? wallet.address,
                origin(in: json["watch"]?.stringValue ?? ""), Text.escaped(wallet.label ?? ""),
            ])
        }
        try invocation.console.text(
            wallets.isEmpty
                ? "no wallets yet; `daybook wallet add` adds one"
                : Console.columns(rows, right: [0]))
        return .done
    }

    /// The master key's fingerprint and the path, as the text of a watched key begins with them.
    private static func origin(in watch: String) -> String {
        guard watch.hasPrefix("["), let end = watch.firstIndex(of: "]") else { return "" }
        return String(watch[...end])
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
    static let walletRename = Command(
        "wallet rename", "W LABEL", count: 2...2,
        does: "give wallet W another label, or none ('')", changes: true
    ) { invocation, store in
        let wallet = try await WalletName.find(invocation.arguments[0], store)
        let label = invocation.arguments[1]
        try await store.rename(wallet.id, to: label.isEmpty ? nil : label)
        try invocation.console.result(
            .record(["wallet": .int(wallet.id)]),
            label.isEmpty
                ? "wallet \(wallet.id) has no label" : "wallet \(wallet.id) is now \(label)")
        return .done
    }

    static let walletRemove = Command(
        "wallet remove", "W", count: 1...1,
        does: """
            remove wallet W; its history and its sealed key stay
            It can be added again. To destroy the key, delete its file under keys/.
            """, changes: true
    ) { invocation, store in
        let wallet = try await WalletName.find(invocation.arguments[0], store)
        try await store.removeWallet(wallet.id)
        try invocation.console.result(
            .record(["wallet": .int(wallet.id)]), "removed wallet \(wallet.id)")
        return .done
    }

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

extension Command {
    static let walletExportKeystore = Command(
        "wallet export-keystore", "W FILE", count: 2...2,
        does: """
            write ICON wallet W's key to FILE as a keystore file (V3) that ICON's wallets read
            The file has a passphrase of its own. `wallet add --keystore FILE` takes it back.
            """,
        options: [
            Secrets.passphraseOption, Secrets.newPassphraseOption, Secrets.weakOption,
        ]
    ) { invocation, store in
        try Secrets.checkStandardInput(
            invocation, [Secrets.passphraseOption.name, Secrets.newPassphraseOption.name])
        let wallet = try await WalletName.find(invocation.arguments[0], store)
        let path = invocation.arguments[1]
        try SigningFile.refuseExisting(path)
        let file = try await keystoreFile(of: wallet.id, invocation, store)
        try SigningFile.write(file, to: path)
        try invocation.console.result(
            .record(["wallet": .int(wallet.id), "file": .string(path)]),
            "wrote \(path): whoever has it and its passphrase has the coins of \(wallet.address)")
        return .done
    }

    private static func keystoreFile(
        of wallet: WalletID, _ invocation: Invocation, _ store: Store
    ) async throws -> [UInt8] {
        var own = try Secrets.passphrase(invocation)
        var new = try Secrets.passphrase(
            invocation, isNew: true, from: Secrets.newPassphraseOption)
        return try await store.keystoreFile(
            of: wallet, unlockedBy: Passphrase(wiping: &own), sealedBy: Passphrase(wiping: &new),
            allowingWeak: invocation.has(Secrets.weakOption.name))
    }

    static let walletExportDescriptors = Command(
        "wallet export-descriptors", "W", count: 1...1,
        does: """
            show the descriptors by which Dash Core can watch wallet W
            They hold no secret, but show all of the wallet's addresses. With --json `descriptors`
            is what the call `importdescriptors` takes.
            """
    ) { invocation, store in
        let wallet = try await WalletName.find(invocation.arguments[0], store)
        let descriptors = try await store.descriptors(of: wallet.id)
        if invocation.console.isJSON {
            let list = JSON.array(descriptors.map(\.json))
            try invocation.console.result(
                .record(["wallet": .int(wallet.id), "descriptors": list]), "")
        }
        for descriptor in descriptors { try invocation.console.text("\(descriptor.text)") }
        return .done
    }
}

extension WalletDescriptor {
    /// The argument of `importdescriptors`, which scans from the first block.
    fileprivate var json: JSON {
        .record([
            "desc": .string(text), "active": .bool(isActive), "internal": .bool(isChange),
            "range": lastIndex.map { .array([.int(0), .int($0)]) }, "timestamp": .int(0),
        ])
    }
}
