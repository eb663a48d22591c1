import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding

extension Command {
    static let nodeSet = Command(
        "node set", "CHAIN NETWORK URL...", count: 3...6, does: """
            set the nodes of a chain and network, and check whether they can serve a wallet
            CHAIN is dash, axe or icon; NETWORK is regtest, testnet or mainnet. URL is http:// or
            https://, a host, and optionally a port and a path, such as http://127.0.0.1:9998 or
            https://api.icon.community/api/v3. Of up to four nodes, the first one that answers
            serves; before a payment is signed, another one is asked about its coins and prices.
            User and password are for each URL. Nodes that were set before are removed, with their
            passwords.
            """,
        options: [
            Option("--also", nil, "keep the nodes that were set before, and ask these after them"),
            Option("--user", "U", "the user of the node's JSON-RPC server"),
            Option(
                "--password-file", "F",
                "the user's password, or user:password, in a file that is yours alone;"
                    + " Core's .cookie is read each time; - is standard input"),
            Option("--debug-url", "URL", "ICON: where the node estimates steps: …/api/v3d"),
            Option("--ca-file", "F", "trust the issuers in this PEM file, not the system's"),
            Option(
                "--proxy", "URL",
                "connect through this SOCKS5 proxy, which looks up the nodes' names; Tor's is"
                    + " socks5h://127.0.0.1:9050"),
            Option(
                "--proxy-password-file", "F",
                "user:password for the proxy, in a file that is yours alone; - is standard input"),
        ], changes: true
    ) { invocation, store in
        let place = try NodePlace(invocation)
        let option = "--password-file"
        let proxyOption = "--proxy-password-file"
        try Secrets.checkStandardInput(invocation, [option, proxyOption])
        guard invocation.has(option) || !invocation.has("--user") else {
            throw CommandFailure.usage("--user needs --password-file")
        }
        var password: Passphrase?
        var cookieFile: String?
        let urls = Array(invocation.arguments[2...])
        if let path = invocation.value(option) {
            let isFile = !invocation.has("--user") && path != "-"
            var bytes = try Secrets.secret(path, of: option) { isFile && isCookie(path, $0) }
            if isFile, isCookie(path, bytes) { cookieFile = path }
            if cookieFile == nil { password = Passphrase(wiping: &bytes) }
        }
        var proxyPassword: Passphrase?
        if let path = invocation.value(proxyOption) {
            var bytes = try Secrets.secret(path, of: proxyOption)
            proxyPassword = Passphrase(wiping: &bytes)
        }
        try await store.setNodes(
            place.chain, place.network, urls: urls, keepingOthers: invocation.has("--also"),
            debugURL: invocation.value("--debug-url"),
            certificates: invocation.value("--ca-file"), user: invocation.value("--user"),
            password: password, cookieFile: cookieFile, proxy: invocation.value("--proxy"),
            proxyPassword: proxyPassword)
        let statuses = try await store.checkNodes(place.chain, place.network)
        try NodeOutput.show(statuses, invocation.console)
        try NodeOutput.warn(of: statuses, invocation.console)
        return .done
    }

    static let nodeRemove = Command(
        "node remove", "CHAIN NETWORK [URL]", count: 2...3,
        does: "remove the nodes of a chain and network, or one, with their passwords",
        changes: true
    ) { invocation, store in
        let place = try NodePlace(invocation)
        let url = invocation.arguments.dropFirst(2).first
        try await store.removeNode(place.chain, place.network, url: url)
        try invocation.console.result(
            .record([
                "chain": .string(place.chain.rawValue), "network": .string(place.network.rawValue),
                "url": url.map(JSON.string),
            ]),
            url.map { "\(Text.escaped($0)) is forgotten" }
                ?? "no node of \(place.chain.rawValue) \(place.network.rawValue) is set any more")
        return .done
    }

    static let nodeList = Command(
        "node list", does: "list the nodes and check whether each can serve a wallet"
    ) { invocation, store in
        try NodeOutput.show(try await store.checkNodes(), invocation.console)
        return .done
    }

    static let nodeCheck = Command(
        "node check", "[CHAIN NETWORK]", count: 0...2, does: """
            ask the nodes of a chain, or all, whether they can serve a wallet; say what is wrong
            Each problem is shown with a way to fix it. The status is 5 if a node can't.
            """
    ) { invocation, store in
        let statuses: [NodeStatus]
        if invocation.arguments.isEmpty {
            statuses = try await store.checkNodes()
        } else {
            let place = try NodePlace(invocation)
            statuses = try await store.checkNodes(place.chain, place.network)
        }
        try NodeOutput.show(statuses, invocation.console)
        try NodeOutput.warn(of: statuses, invocation.console)
        return statuses.allSatisfy(\.isOK) ? .done : .node
    }
}

/// Whether a file is Core's cookie file, by its name or its user.
private func isCookie(_ path: String, _ content: [UInt8]) -> Bool {
    path.split(separator: "/").last == ".cookie" || content.starts(with: "__cookie__:".utf8)
}

/// The chain and network in the first two arguments.
private struct NodePlace {
    let chain: ChainName
    let network: NetworkName

    init(_ invocation: Invocation) throws(CommandFailure) {
        let words = invocation.arguments
        guard words.count >= 2 else { throw .usage("expected: \(invocation.name) CHAIN NETWORK") }
        guard let chain = ChainName(rawValue: words[0]) else {
            throw .usage("the chains are dash, axe and icon")
        }
        guard let network = NetworkName(rawValue: words[1]), network != .sandbox else {
            throw .usage(
                "nodes are of the networks regtest, testnet and mainnet; the sandbox is embedded")
        }
        self.chain = chain
        self.network = network
    }
}

/// Shows nodes with their status.
private enum NodeOutput {
    static func show(_ statuses: [NodeStatus], _ console: Console) throws {
        for status in statuses { try console.result(status.json, status.text) }
        if statuses.isEmpty { try console.text("no node is set; `daybook node set` sets one") }
    }

    static func warn(of statuses: [NodeStatus], _ console: Console) throws {
        for status in statuses where status.node.isReadableByOthers {
            try console.note(
                "note: \(Text.escaped(status.node.url)) is not encrypted: others on the way "
                    + "can read user, password and addresses")
        }
    }
}

extension NodeStatus {
    fileprivate var text: TerminalText {
        let place = "\(node.chain.rawValue) \(node.network.rawValue)"
        let standing = tip.map { "ok, at block \($0)" } ?? problem?.sentence ?? ""
        let lines: [TerminalText] = ["\(place)  \(Text.escaped(node.url))", "  \(standing)"]
        return (lines + notes.map { "  note: \($0)" }).joined(separator: "\n")
    }
}
