import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding

extension Command {
    static let walletExportKeystore = Command(.walletExportKeystore)

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

extension Method {
    fileprivate static let walletExportKeystore = Method(
        "wallet.export-keystore",
        [
            .wallet, Parameter("file", .text, at: "FILE"), .passphrase(), .newPassphrase, .weak,
        ], command: "wallet export-keystore",
        does: """
            write ICON wallet W's key to FILE as a keystore file (V3) that ICON's wallets read
            The file has a passphrase of its own. `wallet add --keystore FILE` takes it back.
            """
    ) { call in
        let arguments = call.arguments
        let wallet = try await arguments.wallet(required: "wallet", in: call.store)
        let path = arguments.text("file") ?? ""
        try SigningFile.refuseExisting(path)
        let file = try await call.store.keystoreFile(
            of: wallet.id, unlockedBy: try arguments.secret(required: "passphrase"),
            sealedBy: try arguments.secret(required: "new"), allowingWeak: arguments.flag("weak"))
        try SigningFile.write(file, to: path)
        return MethodAnswer(.record(["wallet": .int(wallet.id), "file": .string(path)])) {
            "wrote \(path): whoever has it and its passphrase has the coins of \(wallet.address)"
        }
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
