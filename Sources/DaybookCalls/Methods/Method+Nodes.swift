import Daybook
import DaybookCommands
import DaybookEncoding

extension Method {
    static let nodeList = Method(
        "node.list", does: "lists the nodes and checks whether each can serve a wallet"
    ) { call in
        .record(["nodes": .array(try await call.store.checkNodes().map(\.json))])
    }

    static let nodeCheck = Method(
        "node.check", [.optional("chain", .text), .optional("network", .text)],
        does: "checks whether the nodes of a chain, or all, can serve a wallet"
    ) { call in
        guard call.arguments.has("chain") || call.arguments.has("network") else {
            return .record(["nodes": .array(try await call.store.checkNodes().map(\.json))])
        }
        let (chain, network) = try call.arguments.realChain()
        return .record([
            "nodes": .array(try await call.store.checkNodes(chain, network).map(\.json))
        ])
    }

    static let nodeSet = Method(
        "node.set",
        [
            Parameter("chain", .text), Parameter("network", .text), .optional("url", .text),
            .optional("urls", .texts), .optional("also", .flag), .optional("user", .text),
            .optional("password", .secret), .optional("cookieFile", .text),
            .optional("debugURL", .text), .optional("certificates", .text),
            .optional("proxy", .text), .optional("proxyPassword", .secret),
        ], does: "sets the nodes of a chain and network, and checks them"
    ) { call in
        let (chain, network) = try call.arguments.realChain()
        let urls = (call.arguments.text("url").map { [$0] } ?? [])
            + (call.arguments.texts("urls") ?? [])
        guard !urls.isEmpty else { throw CommandFailure.usage("url or urls is needed") }
        _ = try await call.store.setNodes(
            chain, network, urls: urls, keepingOthers: call.arguments.flag("also"),
            debugURL: call.arguments.text("debugURL"),
            certificates: call.arguments.text("certificates"),
            user: call.arguments.text("user"), password: call.arguments.secret("password"),
            cookieFile: call.arguments.text("cookieFile"), proxy: call.arguments.text("proxy"),
            proxyPassword: call.arguments.secret("proxyPassword"))
        return .record([
            "nodes": .array(try await call.store.checkNodes(chain, network).map(\.json))
        ])
    }

    static let nodeRemove = Method(
        "node.remove",
        [Parameter("chain", .text), Parameter("network", .text), .optional("url", .text)],
        does: "removes the nodes of a chain and network, or one, with their passwords"
    ) { call in
        let (chain, network) = try call.arguments.realChain()
        let url = call.arguments.text("url")
        try await call.store.removeNode(chain, network, url: url)
        return .record([
            "chain": .string(chain.rawValue), "network": .string(network.rawValue),
            "url": url.map(JSON.string),
        ])
    }

    static let sync = Method(
        "sync", [.optional("full", .flag)],
        does: "asks the nodes for changes and records them; problems are in the result"
    ) { call in
        let round = try await call.store.syncReachable(
            full: call.arguments.flag("full"), progress: call.syncProgress)
        return round.json(try await call.store.tips())
    }

    static let sandboxFund = Method(
        "sandbox.fund",
        [Parameter("wallet", .wallet), Parameter("amount", .amount), .optional("token", .flag)],
        does: "pays coins of the embedded chain's faucet to a wallet"
    ) { call in
        let wallet = try await call.arguments.wallet(required: "wallet", in: call.store)
        let decimals = wallet.chain.decimals
        let isToken = call.arguments.flag("token")
        if isToken, wallet.chain != .icon { throw CommandFailure.usage("only ICON has tokens") }
        guard let minor = try call.arguments.amount("amount", decimals: decimals) else {
            throw CommandFailure.usage("the parameter amount is needed")
        }
        let id = try await call.store.fundFromFaucet(
            wallet.id, amount: minor.decimal, token: isToken)
        return .record([
            "wallet": .int(wallet.id),
            "amount": .string(DecimalAmount.format(minor, decimals: decimals)),
            "minor": .string(minor.decimal), "txid": .string(id),
        ])
    }

    static let sandboxMine = Method(
        "sandbox.mine", [.optional("count", .number)],
        does: "mines blocks (1) on every embedded chain in use"
    ) { call in
        try await call.store.mine(Int(clamping: call.arguments.number("count") ?? 1))
        return .record(["tips": try await call.store.tips().json])
    }
}

extension Call {
    /// Reports the steps of a sync, if the door has notifications.
    fileprivate var syncProgress: SyncProgress? {
        guard let progress else { return nil }
        return { chain, network, done, all in
            progress(
                .record([
                    "chain": .string(chain.rawValue), "network": .string(network.rawValue),
                    "done": .int(done), "all": .int(all),
                ]))
        }
    }
}

extension Arguments {
    /// The chain and the network of nodes, which is not the embedded one.
    fileprivate func realChain() throws(CommandFailure) -> (ChainName, NetworkName) {
        guard let chain: ChainName = try choice("chain") else {
            throw .usage("the parameter chain is needed")
        }
        guard let network: NetworkName = try choice("network"), network != .sandbox else {
            throw .usage("network is regtest, testnet or mainnet: the sandbox is embedded")
        }
        return (chain, network)
    }
}
