import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding

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
