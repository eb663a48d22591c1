import Daybook
import DaybookCommands
import DaybookEncoding

extension Method {
    static let walletList = Method(
        "wallet.list", command: "wallet list", does: "list the wallets",
        gives: .list("Wallets", "wallets", of: Wallet.resultType)
    ) { call in
        let wallets = try await call.store.wallets()
        var objects: [JSON] = []
        for wallet in wallets { objects.append(try await wallet.json(in: call.store)) }
        let rows = zip(wallets, objects).map { $0.cells($1) }
        let empty: TerminalText = "no wallets yet; `daybook wallet add` adds one"
        return MethodAnswer("wallets", objects, empty: empty) {
            let head = ["id", "chain", "network", "address", "key origin", "label"]
            return Console.columns([head] + rows, right: [0])
        }
    }

    static let walletAddress = Method(
        "wallet.address", [.wallet], command: "wallet address",
        does: "show the next unused receive address of wallet W",
        gives: ResultType("Address", [.init("address", .text), .init("uri", .text)]),
        note: "the next unused address"
    ) { call in
        let wallet = try await call.arguments.wallet(required: "wallet", in: call.store)
        let address = try await call.store.address(of: wallet.id)
        return MethodAnswer(
            .record([
                "address": .string(address), "uri": .string(wallet.chain.uri(of: address)),
            ])
        ) { "\(address)" }
    }

    static let walletRename = Method(
        "wallet.rename", [.wallet, .optional("label", .text, at: "LABEL")],
        command: "wallet rename", does: "give wallet W another label, or none ('')",
        gives: Wallet.resultType, note: "without `label` it has none", changes: true
    ) { call in
        let wallet = try await call.arguments.wallet(required: "wallet", in: call.store)
        let label = call.arguments.text("label").flatMap { $0.isEmpty ? nil : $0 }
        return MethodAnswer(try await call.store.rename(wallet.id, to: label).json) {
            label.map { "wallet \(wallet.id) is now \($0)" } ?? "wallet \(wallet.id) has no label"
        }
    }

    private static let namedWallet = ResultType("NamedWallet", [.init("wallet", .number)])

    static let unlock = Method(
        "unlock",
        [
            .wallet, Parameter("passphrase", .secret), Parameter("seconds", .number),
            Parameter("limit", .amount),
        ], does: "let request.approve pay from a wallet without its passphrase, for a while",
        gives: ResultType("Unlocked", [.init("until", .time)]),
        note: """
            until then, approvals up to `limit` coins in all need no passphrase, through any door \
            of this process; `unlockOvertaken` if `lock` came meanwhile
            """
    ) { call in
        let wallet = try await call.arguments.wallet(required: "wallet", in: call.store)
        let limit = try call.arguments.amount(required: "limit", decimals: wallet.chain.decimals)
        let until = try await call.store.unlock(
            wallet.id, with: try call.arguments.secret(required: "passphrase"),
            seconds: Int(clamping: call.arguments.number("seconds") ?? 0),
            limit: MinorAmount(limit))
        return MethodAnswer(.record(["until": .string(Timestamp.text(until))]))
    }

    static let lock = Method(
        "lock", [.wallet], does: "end unlock at once, by id also for a wallet that was removed",
        gives: namedWallet, note: "also by the id of a wallet that was removed"
    ) { call in
        let id: WalletID
        do {
            // An id needs no look at the log, which another process may have changed.
            id = if let given: WalletID = call.arguments.id("wallet") { given } else {
                try await call.arguments.wallet(required: "wallet", in: call.store).id
            }
        } catch let failure as CommandFailure {
            let text = call.arguments.text("wallet") ?? ""
            guard Text.equal(failure.code, "unknownWallet"), let given = UInt64(text) else {
                throw failure
            }
            id = WalletID(given)
        }
        await call.store.lock(id)
        return MethodAnswer(.record(["wallet": .int(id)]))
    }

    static let walletRemove = Method(
        "wallet.remove", [.wallet], command: "wallet remove",
        does: """
            remove wallet W; its history and its sealed key stay
            It can be added again. To destroy the key, delete its file under keys/.
            """, gives: namedWallet, changes: true
    ) { call in
        let wallet = try await call.arguments.wallet(required: "wallet", in: call.store)
        try await call.store.removeWallet(wallet.id)
        return MethodAnswer(.record(["wallet": .int(wallet.id)])) {
            "removed wallet \(wallet.id)"
        }
    }

    static let walletPassphrase = Method(
        "wallet.passphrase",
        [
            .wallet, .passphrase(), .newPassphrase, .weak,
        ], command: "wallet passphrase",
        does: """
            seal wallet W's key again under another passphrase
            Copies of the old file, as in a backup, still open with the old passphrase.
            """, gives: namedWallet, changes: true
    ) { call in
        let wallet = try await call.arguments.wallet(required: "wallet", in: call.store)
        try await call.store.changePassphrase(
            of: wallet.id, from: try call.arguments.secret(required: "passphrase"),
            to: try call.arguments.secret(required: "new"),
            allowingWeak: call.arguments.flag("weak"))
        return MethodAnswer(.record(["wallet": .int(wallet.id)])) {
            "wallet \(wallet.id) is sealed under the new passphrase"
        }
    }
}
