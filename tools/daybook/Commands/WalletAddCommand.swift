import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let walletAdd = Command(
        "wallet add", does: """
            seal a wallet's key under a passphrase and record its public part
            Exactly one of --new, --mnemonic-file, --wif-file, --key-file and --keystore names the
            source of the key; F may be - for standard input. With --watch the key stays on another
            machine: see `approve --offline`.
            """,
        options: [
            Option("--chain", "CHAIN", "dash, axe or icon"),
            Option("--network", "NETWORK", "sandbox (default), regtest, testnet or mainnet"),
            Option("--new", nil, "make new words (shown once), or a new ICON key"),
            Option("--words", nil, "with --new: words for an ICON wallet too"),
            Option("--mnemonic-file", "F", "the words of BIP 39"),
            Option("--mnemonic-passphrase-file", "F", "BIP 39's passphrase of these words"),
            Option(
                "--gap", "N",
                "words on Dash and Axe: unused addresses to look at ahead, 20 (default) to 1000"),
            Option("--wif-file", "F", "a private key in wallet import format"),
            Option("--key-file", "F", "a private key of 64 hex digits"),
            Option("--keystore", "F", "an ICON keystore file"),
            Option(
                "--keystore-passphrase-file", "F",
                "the keystore file's own password; default: the same passphrase"),
            Option(
                "--watch", "XPUB",
                "only watch it: the `watch` of `wallet list --json` elsewhere, or the lines of"
                    + " `wallet export-descriptors`"),
            Option("--label", "L", "a name for the wallet"),
            Option("--nid", "N", "ICON: the wallet's network id, if not the network's usual one"),
            Option("--accounts", "N", "the number of BIP 44 accounts; default 1"),
            Option(
                "--coin-type", "N",
                "Axe's: 5 (default) or 4242; of words on ICON: 74 (default) or 4801368 (Ledger)"),
            Secrets.passphraseOption, Secrets.weakOption,
        ], changes: true
    ) { invocation, store in
        let choice = try WalletChoice(invocation)
        if choice.kind == "--watch" {
            let wallet = try await store.watchWallet(
                invocation.value("--watch") ?? "", chain: choice.chain, network: choice.network,
                label: invocation.value("--label"), coinType: choice.coinType,
                networkID: choice.networkID)
            try invocation.console.result(
                wallet.json, "watching wallet \(wallet.id): \(wallet.address)")
            return .done
        }
        var passphrase = try Secrets.passphrase(invocation, isNew: true)
        let source = try choice.source(invocation, passphrase)
        let added = try await store.addWallet(
            source, chain: choice.chain, network: choice.network,
            label: invocation.value("--label"), accounts: choice.accounts,
            coinType: choice.coinType, networkID: choice.networkID, gap: choice.gap,
            sealedBy: Passphrase(wiping: &passphrase),
            allowingWeak: invocation.has(Secrets.weakOption.name))
        do {
            try WalletOutput.show(added, isNew: choice.kind == "--new", invocation.console)
        } catch let error as SystemError where choice.makesWords {
            throw CommandFailure(
                "wordsNotShown", .store,
                "wallet \(added.wallet.id) is added, but its words may not have been seen: "
                    + error.description)
        }
        return .done
    }
}

/// What the options of `wallet add` say, apart from secrets.
private struct WalletChoice {
    let chain: ChainName
    let network: NetworkName
    let kind: String
    let accounts: Int
    let coinType: UInt32?
    let networkID: UInt64?
    /// The unused addresses that a search for used accounts looks at; nil without a search.
    let gap: Int?

    private static let kinds = [
        "--new", "--mnemonic-file", "--wif-file", "--key-file", "--keystore", "--watch",
    ]

    init(_ invocation: Invocation) throws(CommandFailure) {
        guard let chain = invocation.value("--chain").flatMap(ChainName.init) else {
            throw .usage("which chain? --chain dash, axe or icon")
        }
        guard let network = NetworkName(rawValue: invocation.value("--network") ?? "sandbox")
        else { throw .usage("the networks are sandbox, regtest, testnet and mainnet") }
        let kinds = Self.kinds.filter { invocation.has($0) }
        guard kinds.count == 1 else {
            throw .usage("exactly one of \(Self.kinds.joined(separator: ", ")) is needed")
        }
        self.chain = chain
        self.network = network
        kind = kinds[0]
        accounts = Int(clamping: try invocation.number("--accounts") ?? 1)
        coinType = try invocation.number32("--coin-type")
        networkID = try Self.networkID(invocation)
        if let coinType { try Self.check(coinType, of: chain, kind, invocation) }
        if invocation.has("--words"), kind != "--new" { throw .usage("--words goes with --new") }
        if chain != .icon, networkID != nil { throw .usage("only ICON wallets have a --nid") }
        if kind != "--keystore", invocation.has("--keystore-passphrase-file") {
            throw .usage("--keystore-passphrase-file goes with --keystore")
        }
        gap = kind == "--mnemonic-file" && chain != .icon
            ? Int(clamping: try invocation.number("--gap") ?? 20) : nil
        if gap == nil, invocation.has("--gap") {
            throw .usage("--gap goes with --mnemonic-file, on Dash and Axe")
        }
        if kind != "--mnemonic-file", invocation.has("--mnemonic-passphrase-file") {
            throw .usage("--mnemonic-passphrase-file goes with --mnemonic-file")
        }
        if kind == "--watch" {
            guard !invocation.has("--accounts"), !invocation.has(Secrets.passphraseOption.name)
            else { throw .usage("--watch takes neither --accounts nor a passphrase") }
        }
        try Secrets.checkStandardInput(
            invocation,
            Self.kinds.filter { $0 != "--watch" }
                + [
                    "--keystore-passphrase-file", "--mnemonic-passphrase-file",
                    Secrets.passphraseOption.name,
                ])
        makesWords = kind == "--new" && (chain != .icon || invocation.has("--words"))
        try checkWordsCanBeShown(invocation)
    }

    private static func check(
        _ coinType: UInt32, of chain: ChainName, _ kind: String, _ invocation: Invocation
    ) throws(CommandFailure) {
        let hasWords = kind == "--mnemonic-file" || invocation.has("--words")
        switch chain {
        case .axe where [5, 4242].contains(coinType): return
        case .axe: throw .usage("Axe's coin type is 5 or 4242")
        case .icon where hasWords && [74, 4_801_368].contains(coinType): return
        case .icon: throw .usage("the coin type of words on ICON is 74 or 4801368")
        default: throw .usage("a wallet on \(chain.rawValue) has one --coin-type")
        }
    }

    /// Whether new words are generated.
    let makesWords: Bool

    /// Throws if new words could not be shown: without them, a damaged disk loses the wallet.
    private func checkWordsCanBeShown(_ invocation: Invocation) throws(CommandFailure) {
        guard makesWords, !invocation.console.isJSON else { return }
        guard Terminal.isTerminal(1) else {
            throw CommandFailure(
                "terminalMissing", .usage,
                "new words are shown on a terminal only; --json gives them to a program")
        }
    }

    private static func networkID(_ invocation: Invocation) throws(CommandFailure) -> UInt64? {
        guard let text = invocation.value("--nid") else { return nil }
        guard text.hasPrefix("0x") else { return try invocation.number("--nid") }
        guard let number = OutsideNumber.parse(text.dropFirst(2), radix: 16) else {
            throw .usage("--nid takes a number such as 3 or 0x3, up to \(OutsideNumber.greatest)")
        }
        return number
    }

    /// Reads the secret; a keystore file has its own password or the wallet's passphrase.
    func source(_ invocation: Invocation, _ passphrase: [UInt8]) throws -> WalletSource {
        guard kind != "--new", let path = invocation.value(kind) else {
            return makesWords ? .newWords : .new
        }
        if kind == "--keystore" {
            let file = try Secrets.keystore(path, of: kind)
            let option = "--keystore-passphrase-file"
            let own = try invocation.value(option).map { try Secrets.secret($0, of: option) }
            var password = own ?? passphrase
            return .keystore(file: file, password: Passphrase(wiping: &password))
        }
        var bytes = try Secrets.secret(path, of: kind)
        let secret = Passphrase(wiping: &bytes)
        switch kind {
        case "--mnemonic-file":
            let option = "--mnemonic-passphrase-file"
            guard let path = invocation.value(option) else { return .mnemonic(secret) }
            var bytes = try Secrets.secret(path, of: option)
            return .protectedMnemonic(secret, passphrase: Passphrase(wiping: &bytes))
        case "--wif-file": return .wif(secret)
        default: return .hexKey(secret)
        }
    }
}

/// Shows a new wallet and, only now, its words.
private enum WalletOutput {
    static func show(
        _ added: borrowing AddedWallet, isNew: Bool, _ console: Console
    ) throws {
        let wallet = added.wallet
        if !console.isJSON {
            let place = "\(wallet.chain.rawValue), \(wallet.network.rawValue)"
            try console.text("added wallet \(wallet.id) (\(place)): \(wallet.address)")
        }
        var hasWords = false
        try added.withMnemonic { words in
            hasWords = true
            let (before, after) = console.isJSON ? frame(added.json) : ("\n  ", "\n")
            // The only place that prints a secret: as bytes, which are wiped at once.
            var line = Array(before.utf8)
            line.reserveCapacity(before.utf8.count + words.count + after.utf8.count + 1)
            for index in words.indices { line.append(words[index]) }
            line += Array(after.utf8)
            line.append(UInt8(ascii: "\n"))
            defer { Secrets.wipe(&line) }
            try StandardStreams.write(line, to: .output)
            try console.text(
                "These words are the wallet. Write them down: they are not shown again.")
        }
        if !hasWords, console.isJSON { try console.result(added.json, "") }
        if let other = added.otherAddress, !isNew {
            try console.text(
                "With the other --coin-type the same words have the address \(other); coins that "
                    + "lie there need a wallet of their own.")
        }
        try show(added.search, of: added, console)
        if isNew, !hasWords {
            try console.text(
                "An ICON key has no words. Keep a copy of it outside this store:\n"
                    + "  daybook wallet export-keystore \(wallet.id) FILE")
        }
    }

    /// Says what was looked at, and what an empty answer may come from.
    private static func show(
        _ search: WalletSearch?, of added: borrowing AddedWallet, _ console: Console
    ) throws {
        let isOfTwoKinds = "The words may be Electrum's, which makes other keys of them."
        guard let search else {
            if added.mayBeElectrum { try console.text("\(isOfTwoKinds)") }
            return
        }
        if let problem = search.problem {
            try console.text(
                "The search for used accounts ended early: \(problem.sentence)")
            try console.text(
                "To search again, remove the wallet and add it again when a node answers.")
        }
        for account in search.accounts {
            try console.text(
                "account \(account.number): \(account.isUsed ? "used" : "unused") in its first"
                    + " \(search.gap) addresses, CoinJoin's path (DIP 9)"
                    + " \(account.isCoinJoinUsed ? "used" : "unused")")
        }
        guard search.isEmpty else { return }
        try console.text(
            "Nothing was found. Compare the address above with the first one that the other wallet"
                + " shows: if they differ, the words have a passphrase of BIP 39"
                + " (--mnemonic-passphrase-file), or their wallet makes other keys of them, as"
                + " Electrum does. If they are the same, a larger --gap finds coins further ahead.")
        if added.mayBeElectrum { try console.text("\(isOfTwoKinds)") }
    }

    /// The JSON around the words, which need no escaping.
    private static func frame(_ object: JSON) -> (String, String) {
        (String(Console.line(object).dropLast()) + #","mnemonic":""#, #""}"#)
    }
}
