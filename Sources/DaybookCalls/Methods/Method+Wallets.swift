package import Daybook
import DaybookCommands
package import DaybookEncoding

extension Method {
    static let walletList = Method(
        "wallet.list", command: "wallet list", does: "list the wallets",
        gives: """
            `{"wallets":[…]}`; an unlocked one has `unlocked`: \
            `{"until","remaining","minor","symbol"}`
            """
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
        gives: #"`{"address","uri"}`: the next unused address"#
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
        "wallet.rename", [.wallet, .optional("label", .text, .word("LABEL"))],
        command: "wallet rename", does: "give wallet W another label, or none ('')",
        gives: "the wallet; without `label` it has none", changes: true
    ) { call in
        let wallet = try await call.arguments.wallet(required: "wallet", in: call.store)
        let label = call.arguments.text("label").flatMap { $0.isEmpty ? nil : $0 }
        return MethodAnswer(try await call.store.rename(wallet.id, to: label).json) {
            label.map { "wallet \(wallet.id) is now \($0)" } ?? "wallet \(wallet.id) has no label"
        }
    }

    static let unlock = Method(
        "unlock",
        [
            .wallet, Parameter("passphrase", .secret), Parameter("seconds", .number),
            Parameter("limit", .amount),
        ], does: "let request.approve pay from a wallet without its passphrase, for a while",
        gives: """
            `{"until"}`: until then, approvals up to `limit` coins in all need no passphrase, \
            through any door of this process; `unlockOvertaken` if `lock` came meanwhile
            """
    ) { call in
        let wallet = try await call.arguments.wallet(required: "wallet", in: call.store)
        let limit = try call.arguments.amount("limit", decimals: wallet.chain.decimals)
        let until = try await call.store.unlock(
            wallet.id, with: try call.arguments.secret(required: "passphrase"),
            seconds: Int(clamping: call.arguments.number("seconds") ?? 0),
            limit: limit?.decimal ?? "")
        return MethodAnswer(.record(["until": .string(Timestamp.text(until))]))
    }

    static let lock = Method(
        "lock", [.wallet], does: "end unlock at once, by id also for a wallet that was removed",
        gives: #"`{"wallet"}`, also by the id of a wallet that was removed"#
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
            """, gives: #"`{"wallet"}`"#, changes: true
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
            .wallet, Parameter("passphrase", .secret), Parameter("new", .secret),
            .optional("weak", .flag),
        ], command: "wallet passphrase",
        does: "seal a wallet's key again under another passphrase", gives: #"`{"wallet"}`"#
    ) { call in
        let wallet = try await call.arguments.wallet(required: "wallet", in: call.store)
        try await call.store.changePassphrase(
            of: wallet.id, from: try call.arguments.secret(required: "passphrase"),
            to: try call.arguments.secret(required: "new"),
            allowingWeak: call.arguments.flag("weak"))
        return MethodAnswer(.record(["wallet": .int(wallet.id)]))
    }
}

extension Method {
    static let walletAdd = Method(
        "wallet.add",
        [
            Parameter("chain", .text), .optional("network", .text), .optional("label", .text),
            .optional("new", .flag), .optional("words", .flag), .optional("mnemonic", .secret),
            .optional("mnemonicPassphrase", .secret), .optional("gap", .number),
            .optional("wif", .secret), .optional("key", .secret), .optional("keystore", .object),
            .optional("keystorePassphrase", .secret), .optional("watch", .text),
            .optional("passphrase", .secret), .optional("weak", .flag),
            .optional("accounts", .number), .optional("coinType", .number),
            .optional("nid", .number),
        ], command: "wallet add",
        does: "seal a wallet's key and record its public part, or watch a public key",
        gives: """
            the wallet, with `mnemonic` if words were made, and `search` if it was restored from \
            words (see [COMMANDS](COMMANDS.md)); exactly one source of the key is given, and \
            `passphrase` unless it is `watch`
            """
    ) { call in
        let wish = try WalletWish(call.arguments)
        if let key = call.arguments.text("watch") {
            let wallet = try await call.store.watchWallet(
                key, chain: wish.chain, network: wish.network, label: wish.label,
                coinType: wish.coinType, networkID: wish.networkID)
            return MethodAnswer(wallet.json)
        }
        let source = try wish.source(call.arguments)
        let added = try await call.store.addWallet(
            source, chain: wish.chain, network: wish.network, label: wish.label,
            accounts: wish.accounts, coinType: wish.coinType, networkID: wish.networkID,
            gap: wish.gap, sealedBy: try call.arguments.secret(required: "passphrase"),
            allowingWeak: call.arguments.flag("weak"))
        // The answer is the one place with a secret: the words of a new wallet, this once.
        added.withMnemonic { call.reply.set(words: $0) }
        return MethodAnswer(added.json)
    }
}

extension AddedWallet {
    /// The wallet as an object, without its words.
    package var json: JSON {
        var members = wallet.json.objectValue ?? []
        if let other = otherAddress {
            members.append(.init(name: "otherAddress", value: .string(other)))
        }
        if let search { members.append(.init(name: "search", value: search.json)) }
        if mayBeElectrum { members.append(.init(name: "mayBeElectrum", value: .bool(true))) }
        return .object(members)
    }
}

extension WalletSearch {
    /// What was looked at, as an object.
    fileprivate var json: JSON {
        .record([
            "gap": .int(gap),
            "accounts": .array(
                accounts.map { .record(["account": .int($0.number), "used": .bool($0.isUsed)]) }),
            "coinJoin": isCoinJoinUsed.map(JSON.bool), "problem": problem?.json,
        ])
    }
}

/// The arguments of `wallet.add`, apart from secrets.
private struct WalletWish {
    let chain: ChainName
    let network: NetworkName
    let label: String?
    let accounts: Int
    let coinType: UInt32?
    let networkID: UInt64?
    /// The unused addresses that a search for used accounts looks at; nil without a search.
    let gap: Int?
    private let kind: String

    private static let kinds = ["new", "mnemonic", "wif", "key", "keystore", "watch"]

    init(_ arguments: Arguments) throws {
        let kinds = Self.kinds.filter { $0 == "new" ? arguments.flag($0) : arguments.has($0) }
        guard kinds.count == 1 else {
            throw CommandFailure.usage(
                "exactly one of \(Self.kinds.joined(separator: ", ")) is needed")
        }
        kind = kinds[0]
        guard let chain: ChainName = try arguments.choice("chain") else {
            throw CommandFailure.usage("the parameter chain is needed")
        }
        self.chain = chain
        network = try arguments.choice("network") ?? .sandbox
        label = arguments.text("label")
        accounts = Int(clamping: arguments.number("accounts") ?? 1)
        coinType = try arguments.number32("coinType")
        networkID = arguments.number("nid")
        gap = kind == "mnemonic" && chain != .icon
            ? Int(clamping: arguments.number("gap") ?? 20) : nil
        if gap == nil, arguments.has("gap") {
            throw CommandFailure.usage("gap goes with mnemonic, on Dash and Axe")
        }
        if kind != "mnemonic", arguments.has("mnemonicPassphrase") {
            throw CommandFailure.usage("mnemonicPassphrase goes with mnemonic")
        }
        if kind == "watch", arguments.has("passphrase") {
            throw CommandFailure.usage("watch takes no passphrase")
        }
    }

    func source(_ arguments: Arguments) throws -> WalletSource {
        switch kind {
        case "new":
            return chain != .icon || arguments.flag("words") ? .newWords : .new
        case "mnemonic":
            let words = try arguments.secret(required: kind)
            guard arguments.has("mnemonicPassphrase") else { return .mnemonic(words) }
            return .protectedMnemonic(
                words, passphrase: try arguments.secret(required: "mnemonicPassphrase"))
        case "wif": return .wif(try arguments.secret(required: kind))
        case "key": return .hexKey(try arguments.secret(required: kind))
        default:
            let value = arguments["keystore"]
            let text = value?.stringValue ?? value?.text() ?? ""
            return .keystore(
                file: Array(text.utf8),
                password: try arguments.secret(required: "keystorePassphrase"))
        }
    }
}
