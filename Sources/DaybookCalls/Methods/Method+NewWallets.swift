package import Daybook
import DaybookCommands
package import DaybookEncoding
import DaybookSystem

extension Method {
    static let walletAdd = Method(
        "wallet.add",
        [
            Parameter(
                "chain", .text, of: ChainName.words, at: "--chain CHAIN", "dash, axe or icon"),
            .optional(
                "network", .text, of: NetworkName.words, at: "--network NETWORK",
                "sandbox (default), regtest, testnet or mainnet"),
            .optional("new", .flag, at: "--new", "make new words (shown once), or a new ICON key"),
            .optional("words", .flag, at: "--words", "with --new: words for an ICON wallet too"),
            .optional("mnemonic", .secret, at: "--mnemonic-file F", "the words of BIP 39"),
            .optional(
                "mnemonicPassphrase", .secret, at: "--mnemonic-passphrase-file F",
                "BIP 39's passphrase of these words"),
            .optional(
                "gap", .number, at: "--gap N",
                "words on Dash and Axe: unused addresses to look at ahead, 20 (default) "
                    + "to 1000"),
            .optional("wif", .secret, at: "--wif-file F", "a private key in wallet import format"),
            .optional("key", .secret, at: "--key-file F", "a private key of 64 hex digits"),
            .optional("keystore", .object, at: "--keystore F", "an ICON keystore file"),
            .optional(
                "keystorePassphrase", .secret, at: "--keystore-passphrase-file F",
                "the keystore file's own password; default: the same passphrase"),
            .optional(
                "watch", .text, at: "--watch XPUB",
                "only watch it: the `watch` of `wallet list --json` elsewhere, or the "
                    + "lines of `wallet export-descriptors`"),
            .optional("label", .text, at: "--label L", "a name for the wallet"),
            .optional(
                "nid", .networkID, at: "--nid N",
                "ICON: the wallet's network id, if not the network's usual one"),
            .optional(
                "accounts", .number, at: "--accounts N",
                "the number of BIP 44 accounts; default 1"),
            .optional(
                "coinType", .number, at: "--coin-type N",
                "Axe's: 5 (default) or 4242; of words on ICON: 74 (default) or 4801368 "
                    + "(Ledger)"),
            .passphrase(.newSecret, required: false), .weak,
        ], command: "wallet add",
        does: """
            seal a wallet's key under a passphrase and record its public part
            Exactly one of --new, --mnemonic-file, --wif-file, --key-file and --keystore names the
            source of the key; F may be - for standard input. With --watch the key stays on another
            machine: see `approve --offline`.
            """,
        gives: AddedWallet.resultType,
        note: """
            with `mnemonic` if words were made, and `search` if it was restored from words (see \
            [COMMANDS](COMMANDS.md)); exactly one source of the key is given, and `passphrase` \
            unless it is `watch`
            """, changes: true
    ) { call in
        let wallet = try NewWallet(call.arguments)
        if let key = call.arguments.text("watch") {
            let watched = try await call.store.watchWallet(
                key, chain: wallet.chain, network: wallet.network, label: wallet.label,
                coinType: wallet.coinType, networkID: wallet.networkID)
            return MethodAnswer(watched.json) {
                "watching wallet \(watched.id): \(watched.address)"
            }
        }
        if wallet.makesWords { try call.door.checkWords() }
        let passphrase = try call.arguments.secretBytes(required: "passphrase")
        let added = try await call.store.addWallet(
            try wallet.source(call.arguments, passphrase), chain: wallet.chain,
            network: wallet.network, label: wallet.label, accounts: wallet.accounts,
            coinType: wallet.coinType, networkID: wallet.networkID, gap: wallet.gap,
            sealedBy: Passphrase(passphrase), allowingWeak: call.arguments.flag("weak"))
        return MethodAnswer(adding: added, isNew: wallet.source == .new)
    }
}

/// The arguments of `wallet.add`, apart from secrets, checked against each other.
private struct NewWallet {
    /// Where the key comes from: the parameter of that name.
    enum Source: String, CaseIterable {
        case new, mnemonic, wif, key, keystore, watch
    }

    let chain: ChainName
    let network: NetworkName
    let source: Source
    let label: String?
    let accounts: Int
    let coinType: UInt32?
    let networkID: UInt64?
    /// The unused addresses that a search for used accounts looks at; nil without a search.
    let gap: Int?
    /// Whether new words are generated.
    let makesWords: Bool

    init(_ arguments: Arguments) throws(CommandFailure) {
        chain = try arguments.chain()
        network = arguments.choice("network") ?? .sandbox
        let sources = Source.allCases.filter {
            $0 == .new ? arguments.flag("new") : arguments.has($0.rawValue)
        }
        guard sources.count == 1 else {
            let names = Source.allCases.map { arguments.spelled($0.rawValue) }
            throw .usage("exactly one of \(names.joined(separator: ", ")) is needed")
        }
        source = sources[0]
        label = arguments.text("label")
        accounts = Int(clamping: arguments.number("accounts") ?? 1)
        coinType = try arguments.number32("coinType")
        networkID = arguments.number("nid")
        let isSearched = source == .mnemonic && chain != .icon
        gap = isSearched ? Int(clamping: arguments.number("gap") ?? 20) : nil
        makesWords = source == .new && (chain != .icon || arguments.flag("words"))
        try check(arguments)
    }

    private func check(_ arguments: Arguments) throws(CommandFailure) {
        if let coinType { try check(coinType, arguments) }
        try arguments.check("words", goesWith: "new", source == .new)
        try arguments.check("keystorePassphrase", goesWith: "keystore", source == .keystore)
        try arguments.check("mnemonicPassphrase", goesWith: "mnemonic", source == .mnemonic)
        if gap == nil, arguments.has("gap") {
            let (gap, mnemonic) = (arguments.spelled("gap"), arguments.spelled("mnemonic"))
            throw .usage("\(gap) goes with \(mnemonic), on Dash and Axe")
        }
        if chain != .icon, networkID != nil {
            throw .usage("only ICON wallets have a \(arguments.spelled("nid"))")
        }
        if source == .watch, arguments.has("accounts") || arguments.has("passphrase") {
            let (watch, accounts) = (arguments.spelled("watch"), arguments.spelled("accounts"))
            throw .usage("\(watch) takes neither \(accounts) nor a passphrase")
        }
    }

    private func check(_ coinType: UInt32, _ arguments: Arguments) throws(CommandFailure) {
        let hasWords = source == .mnemonic || arguments.flag("words")
        switch chain {
        case .axe where [5, 4242].contains(coinType): return
        case .axe: throw .usage("Axe's coin type is 5 or 4242")
        case .icon where hasWords && [74, 4_801_368].contains(coinType): return
        case .icon: throw .usage("the coin type of words on ICON is 74 or 4801368")
        case .dash:
            throw .usage("a wallet on dash has one \(arguments.spelled("coinType"))")
        }
    }

    /// Takes the secret; a keystore file has its own password or the wallet's passphrase.
    func source(_ arguments: Arguments, _ passphrase: WipedBytes) throws -> WalletSource {
        switch source {
        case .new: return makesWords ? .newWords : .new
        case .mnemonic:
            let words = try arguments.secret(required: "mnemonic")
            guard arguments.has("mnemonicPassphrase") else { return .mnemonic(words) }
            return .protectedMnemonic(
                words, passphrase: try arguments.secret(required: "mnemonicPassphrase"))
        case .wif: return .wif(try arguments.secret(required: "wif"))
        case .key: return .hexKey(try arguments.secret(required: "key"))
        case .keystore, .watch:
            let value = arguments["keystore"]
            let file = Array((value?.stringValue ?? value?.text() ?? "").utf8)
            guard arguments.has("keystorePassphrase") else {
                return .keystore(file: file, password: Passphrase(passphrase))
            }
            return .keystore(
                file: file, password: try arguments.secret(required: "keystorePassphrase"))
        }
    }
}

extension MethodAnswer {
    /// A new wallet, what was looked at for it, and, only now, its words.
    fileprivate init(adding added: borrowing AddedWallet, isNew: Bool) {
        let wallet = added.wallet
        var words: WipedBytes?
        added.withMnemonic { text in
            let bytes = text.span
            let copy = WipedBytes(capacity: bytes.count)
            for index in bytes.indices { copy.append(bytes[index]) }
            words = copy
        }
        let place = "\(wallet.chain.rawValue), \(wallet.network.rawValue)"
        var lines: [TerminalText] = ["added wallet \(wallet.id) (\(place)): \(wallet.address)"]
        if let other = added.otherAddress, !isNew {
            lines.append(
                "With the other --coin-type the same words have the address \(other); coins that "
                    + "lie there need a wallet of their own.")
        }
        lines += added.search?.lines ?? []
        if added.mayBeElectrum, added.search?.isEmpty != false {
            lines.append("The words may be Electrum's, which makes other keys of them.")
        }
        if isNew, words == nil {
            lines.append(
                "An ICON key has no words. Keep a copy of it outside this store:\n"
                    + "  daybook wallet export-keystore \(wallet.id) FILE")
        }
        let text = lines.joined(separator: "\n")
        self.init(added.json) { text }
        self.words = words
    }
}

extension AddedWallet {
    static let resultType = ResultType(
        "AddedWallet", adding: Wallet.resultType,
        [
            .optional("otherAddress", .text, "that of the same words with the other coin type"),
            .optional("search", .object(WalletSearch.resultType)),
            .optional("mayBeElectrum", .flag),
            .optional("mnemonic", .secret, "the words of a new wallet, this once"),
        ])

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
    static let resultType = ResultType(
        "WalletSearch",
        [
            .init("gap", .number), .init("accounts", .list(.object(account))),
            .optional("coinJoin", .flag),
            .optional("problem", .object(NodeProblem.resultType)),
        ])

    private static let account = ResultType(
        "SearchedAccount",
        [.init("account", .number), .init("used", .flag), .init("coinJoin", .flag)])

    /// The searched addresses, as an object.
    fileprivate var json: JSON {
        .record([
            "gap": .int(gap),
            "accounts": .array(
                accounts.map { account in
                    .record([
                        "account": .int(account.number), "used": .bool(account.isUsed),
                        "coinJoin": .bool(account.isCoinJoinUsed),
                    ])
                }),
            "coinJoin": isCoinJoinUsed.map(JSON.bool), "problem": problem?.json,
        ])
    }
}

extension WalletSearch {
    /// The searched addresses, and the possible causes of an empty answer.
    fileprivate var lines: [TerminalText] {
        var lines: [TerminalText] = []
        if let problem {
            lines = [
                "The search for used accounts ended early: \(problem.sentence)",
                "To search again, remove the wallet and add it again when a node answers.",
            ]
        }
        for account in accounts {
            lines.append(
                "account \(account.number): \(account.isUsed ? "used" : "unused") in its first"
                    + " \(gap) addresses, CoinJoin's path (DIP 9)"
                    + " \(account.isCoinJoinUsed ? "used" : "unused")")
        }
        guard isEmpty else { return lines }
        return lines + [
            "Nothing was found. Compare the address above with the first one that the other wallet"
                + " shows: if they differ, the words have a passphrase of BIP 39"
                + " (--mnemonic-passphrase-file), or their wallet makes other keys of them, as"
                + " Electrum does. If they are the same, a larger --gap finds coins further ahead."
        ]
    }
}
