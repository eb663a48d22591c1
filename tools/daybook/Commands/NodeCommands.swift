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
        ], changes: true
    ) { invocation, store in
        let place = try NodePlace(invocation)
        let option = "--password-file"
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
        try await store.setNodes(
            place.chain, place.network, urls: urls, keepingOthers: invocation.has("--also"),
            debugURL: invocation.value("--debug-url"),
            certificates: invocation.value("--ca-file"), user: invocation.value("--user"),
            password: password, cookieFile: cookieFile)
        let statuses = try await store.checkNodes(place.chain, place.network)
        return try invocation.show(MethodAnswer(nodes: statuses, warns: true))
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
