package import Daybook
import DaybookCommands
import DaybookEncoding

extension Method {
    private static let nodes = ResultType.list("Nodes", "nodes", of: NodeStatus.resultType)

    static let nodeList = Method(
        "node.list", command: "node list",
        does: "list the nodes and check whether each can serve a wallet",
        gives: nodes, note: "each asked whether it can serve"
    ) { call in try MethodAnswer(nodes: try await call.store.checkNodes()) }

    static let nodeCheck = Method(
        "node.check",
        [
            .optional("chain", .text, of: ChainName.words, at: "[CHAIN]"),
            .optional("network", .text, of: NetworkName.ofNodes, at: "[NETWORK]"),
        ], command: "node check",
        does: """
            ask the nodes of a chain, or all, whether they can serve a wallet; say what is wrong
            Each problem is shown with a way to fix it. The status is 5 if a node can't.
            """, gives: nodes, note: "the same, of one chain"
    ) { call in
        let statuses: [NodeStatus]
        if call.arguments.has("chain") || call.arguments.has("network") {
            let (chain, network) = try call.arguments.realChain()
            statuses = try await call.store.checkNodes(chain, network)
        } else {
            statuses = try await call.store.checkNodes()
        }
        var answer = try MethodAnswer(nodes: statuses, warns: true)
        answer.status = statuses.allSatisfy(\.isOK) ? .done : .node
        return answer
    }

    package static let nodeSet = Method(
        "node.set",
        [
            Parameter("chain", .text, of: ChainName.words, at: "CHAIN"),
            Parameter("network", .text, of: NetworkName.ofNodes, at: "NETWORK"),
            .optional("url", .text), .optional("urls", .texts, at: "URL..."),
            .optional(
                "also", .flag, at: "--also",
                "keep the nodes that were set before, and ask these after them"),
            .optional("user", .text, at: "--user U", "the user of the node's JSON-RPC server"),
            .optional(
                "password", .secret, at: "--password-file F",
                "the user's password, or user:password, in a file that is yours alone; "
                    + "Core's .cookie is read each time; - is standard input"),
            .optional("cookieFile", .text),
            .optional(
                "debugURL", .text, at: "--debug-url URL",
                "ICON: where the node estimates steps: …/api/v3d"),
            .optional(
                "certificates", .text, at: "--ca-file F",
                "trust the issuers in this PEM file, not the system's"),
            .optional(
                "proxy", .text, at: "--proxy URL",
                "connect through this SOCKS5 proxy, which looks up the nodes' names; Tor's is"
                    + " socks5h://127.0.0.1:9050"),
            .optional(
                "proxyPassword", .secret, at: "--proxy-password-file F",
                "user:password for the proxy, in a file that is yours alone; - is standard input"),
        ], command: "node set",
        does: """
            set the nodes of a chain and network, and check whether they can serve a wallet
            CHAIN is dash, axe or icon; NETWORK is regtest, testnet or mainnet. URL is http:// or
            https://, a host, and optionally a port and a path, such as http://127.0.0.1:9998 or
            https://api.icon.community/api/v3. Of up to four nodes, the first one that answers
            serves; before a payment is signed, another one is asked about its coins and prices.
            User and password are for each URL. Nodes that were set before are removed, with their
            passwords.
            """, gives: nodes, note: "checked", changes: true
    ) { call in
        let (chain, network) = try call.arguments.realChain()
        let urls = (call.arguments.text("url").map { [$0] } ?? [])
            + (call.arguments.texts("urls") ?? [])
        guard !urls.isEmpty else { throw CommandFailure.usage("url or urls is needed") }
        let hasPassword = call.arguments.has("password") || call.arguments.has("cookieFile")
        if call.arguments.has("user"), !hasPassword {
            let password = call.arguments.spelled("password")
            throw CommandFailure.usage("\(call.arguments.spelled("user")) needs \(password)")
        }
        _ = try await call.store.setNodes(
            chain, network, urls: urls, keepingOthers: call.arguments.flag("also"),
            debugURL: call.arguments.text("debugURL"),
            certificates: call.arguments.text("certificates"),
            user: call.arguments.text("user"),
            password: call.arguments.has("cookieFile")
                ? nil : try call.arguments.secret("password"),
            cookieFile: call.arguments.text("cookieFile"), proxy: call.arguments.text("proxy"),
            proxyPassword: try call.arguments.secret("proxyPassword"))
        return try MethodAnswer(
            nodes: try await call.store.checkNodes(chain, network), warns: true)
    }

    static let nodeRemove = Method(
        "node.remove",
        [
            Parameter("chain", .text, of: ChainName.words, at: "CHAIN"),
            Parameter("network", .text, of: NetworkName.ofNodes, at: "NETWORK"),
            .optional("url", .text, at: "[URL]"),
        ], command: "node remove",
        does: "remove the nodes of a chain and network, or one, with their passwords",
        gives: ResultType(
            "RemovedNode",
            [.init("chain", .text), .init("network", .text), .optional("url", .text)]),
        changes: true
    ) { call in
        let (chain, network) = try call.arguments.realChain()
        let url = call.arguments.text("url")
        try await call.store.removeNode(chain, network, url: url)
        return MethodAnswer(
            .record([
                "chain": .string(chain.rawValue), "network": .string(network.rawValue),
                "url": url.map(JSON.string),
            ])
        ) {
            url.map { "\(Text.escaped($0)) is forgotten" }
                ?? "no node of \(chain.rawValue) \(network.rawValue) is set any more"
        }
    }

    package static let sync = Method(
        "sync",
        [
            .optional(
                "full", .flag, at: "--full", "compare everything that is recorded with the nodes")
        ], command: "sync",
        does: """
            ask the nodes for changes and record them
            All chains are asked, also if the nodes of one fail. Then the changes and the problems
            are shown, and the status is 5 if there is a problem. About once a day everything that
            is recorded is compared with the nodes, and corrected where a node had left something
            out or invented it; `--full` does so now.
            """,
        gives: SyncRound.resultType, note: "problems of nodes are part of the result"
    ) { call in
        let round = try await call.store.syncReachable(
            full: call.arguments.flag("full"), progress: call.syncProgress)
        let tips = try await call.store.tips()
        var answer = MethodAnswer(round.json(tips)) { round.report(tips) }
        answer.notes = round.asides
        answer.error = round.failure
        return answer
    }

    static let sandboxFund = Method(
        "sandbox.fund",
        [
            .wallet, Parameter("amount", .amount, at: "AMOUNT"),
            .optional("token", .flag, at: "--token", "ICON: the sandbox's token instead of ICX"),
        ], command: "sandbox fund", does: "pay coins of the sandbox's faucet to wallet W",
        gives: ResultType(
            "Funded",
            [
                .init("wallet", .number), .init("amount", .amount), .init("minor", .minor),
                .init("txid", .text),
            ])
    ) { call in
        let wallet = try await call.arguments.wallet(required: "wallet", in: call.store)
        let decimals = wallet.chain.decimals
        let minor = try call.arguments.amount(required: "amount", decimals: decimals)
        let isToken = call.arguments.flag("token")
        if isToken, wallet.chain != .icon { throw CommandFailure.usage("only ICON has tokens") }
        let id = try await call.store.fundFromFaucet(
            wallet.id, amount: MinorAmount(minor), token: isToken)
        let amount = DecimalAmount.format(minor, decimals: decimals)
        return MethodAnswer(
            .record([
                "wallet": .int(wallet.id), "amount": .string(amount),
                "minor": .string(minor.decimal), "txid": .string(id),
            ])
        ) {
            let coin = isToken ? "tokens" : wallet.chain.coin
            return "wallet \(wallet.id) got \(amount) \(coin) (sandbox) by \(id)"
        }
    }

    static let sandboxMine = Method(
        "sandbox.mine", [.optional("count", .number, at: "[N]")], command: "sandbox mine",
        does: "mine N blocks (1) on every sandbox chain in use",
        gives: ResultType("Tips", [.init("tips", .map(.number))])
    ) { call in
        let count = Int(clamping: call.arguments.number("count") ?? 1)
        try await call.store.mine(count)
        return MethodAnswer(tips: try await call.store.tips(), after: "mined", blocks: count)
    }

    /// The actions on a sandbox chain that only a person does.
    package static let sandboxReorganise = Method(
        "sandbox.reorganise",
        [
            Parameter("chain", .text, of: ChainName.words, at: "CHAIN"),
            Parameter("count", .number, at: "N"),
        ],
        command: "sandbox reorganise",
        does: "replace the last N blocks of a sandbox chain by others"
    ) { call in
        let depth = Int(clamping: call.arguments.number("count") ?? 0)
        try await call.store.reorganise(try call.arguments.chain(), depth: depth)
        return MethodAnswer(tips: try await call.store.tips(), after: "replaced", blocks: depth)
    }
}

extension MethodAnswer {
    /// The nodes with their status; a command also warns of those that are not encrypted.
    package init(nodes statuses: [NodeStatus], warns: Bool = false) throws {
        try self.init(
            "nodes", statuses, empty: "no node is set; `daybook node set` sets one", json: \.json,
            text: \.text)
        guard warns else { return }
        notes = statuses.filter(\.node.isReadableByOthers).map { status in
            "note: \(Text.escaped(status.node.url)) is not encrypted: others on the way can read "
                + "user, password and addresses"
        }
    }

    /// The heights of the sandbox chains, after some blocks were made.
    fileprivate init(tips: [ChainTip], after done: TerminalText, blocks count: Int) {
        self.init(.record(["tips": tips.json])) {
            let blocks: TerminalText = count == 1 ? "1 block" : "\(count) blocks"
            return (["\(done) \(blocks)"] + tips.map { "\($0.chain) is at block \($0.height)" })
                .joined(separator: "\n")
        }
    }
}

extension Call {
    /// Reports the steps of a sync, if anybody is told.
    fileprivate var syncProgress: SyncProgress? {
        guard let progress else { return nil }
        return { progress(.sync($0, $1, done: $2, all: $3)) }
    }
}

extension Arguments {
    /// The chain, which is needed.
    func chain() throws(CommandFailure) -> ChainName {
        guard let chain: ChainName = choice("chain") else { throw missing("chain") }
        return chain
    }

    /// The chain and the network of nodes, which is not the embedded one.
    fileprivate func realChain() throws(CommandFailure) -> (ChainName, NetworkName) {
        let chain = try chain()
        guard let network: NetworkName = choice("network") else { throw missing("network") }
        return (chain, network)
    }
}
