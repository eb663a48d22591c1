import DaybookChains
import DaybookEncoding

/// The nodes of a store in `settings.json`; their logins are in `credentials.json`.
///
/// Both files are read each time, because another process may set a node.
struct NodeSettings: Sendable {
    let folder: StoreFolder

    private static let member = "nodes"
    private static let limit = 64
    /// The number of nodes that a chain can have.
    static let limitOfChain = 4

    /// The nodes, in the order of the file.
    func nodes() throws -> [Node] {
        try entries(of: try folder.readSettingsFile()).map(node)
    }

    /// The nodes of a chain, in the order in which they are asked.
    func nodes(of chainID: ChainID) throws -> [Node] {
        try nodes().filter { $0.chainID == chainID }
    }

    /// How to log in to a node; nil if it needs no login.
    func access(to node: Node) throws -> NodeAccess? {
        try NodeCredentials(path: folder.credentials).access(to: node)
    }

    /// The login for the proxy that a node is asked through; nil if it needs none.
    func proxyLogin(for node: Node) throws -> NodeLogin? {
        try NodeCredentials(path: folder.credentials).proxyLogin(for: node)
    }

    /// Sets nodes of a chain, with the access to each of them.
    ///
    /// Nodes that were set before are asked first, or else are removed with their logins.
    func set(
        _ nodes: [Node], of chainID: ChainID, access: NodeAccess?, proxyLogin: NodeLogin? = nil,
        keepingOthers: Bool
    ) throws {
        try change { entries in
            let kept = entries.map(\.node).filter { node in
                keepingOthers && node.chainID == chainID
                    && !nodes.contains { Text.equal($0.url, node.url) }
            }
            guard kept.count + nodes.count <= Self.limitOfChain else {
                throw DaybookError(
                    "invalidNode", .usage,
                    "a chain and network has at most \(Self.limitOfChain) nodes")
            }
            // The logins are written first: a crash between the two files leaves a login without
            // a node or a node without its login, and never sends a login to another node.
            try credentials.set(
                access, proxyLogin: proxyLogin, for: nodes, of: chainID, keeping: kept)
            entries.removeAll { $0.node.chainID == chainID && !kept.contains($0.node) }
            entries += nodes.map { ($0, json($0)) }
        }
    }

    /// Removes the nodes of a chain, or the one at `url`, with their logins; false if none is set.
    func removeNodes(of chainID: ChainID, url: String?) throws -> Bool {
        var isKnown = false
        try change { entries in
            let all = entries.map(\.node).filter { $0.chainID == chainID }
            let kept = all.filter { node in url.map { !Text.equal($0, node.url) } ?? false }
            isKnown = kept.count < all.count
            guard isKnown else { return }
            try credentials.set(nil, for: [], of: chainID, keeping: kept)
            entries.removeAll { $0.node.chainID == chainID && !kept.contains($0.node) }
        }
        return isKnown
    }

    private var credentials: NodeCredentials { NodeCredentials(path: folder.credentials) }

    /// Changes the entries of the file and leaves the rest of it as it is.
    private func change(_ body: (inout [(node: Node, json: JSON)]) throws -> Void) throws {
        try folder.changeSettingsFile { members in
            let before = try entries(of: .object(members))
            var entries = try before.map { (node: try node($0), json: $0) }
            try body(&entries)
            let after = entries.map(\.json)
            if after != before { members.set(Self.member, to: .array(after)) }
        }
    }

    // MARK: - Entries

    private func entries(of settings: JSON) throws -> [JSON] {
        guard let member = settings[Self.member] else { return [] }
        guard let entries = member.arrayValue, entries.count <= Self.limit else {
            throw invalid("nodes is not a list of at most \(Self.limit) nodes")
        }
        return entries
    }

    private func node(_ entry: JSON) throws -> Node {
        guard let chain = entry["chain"]?.stringValue.flatMap(ChainName.init),
            let network = entry["network"]?.stringValue.flatMap(NetworkName.init),
            let url = entry["url"]?.stringValue
        else { throw invalid("a node lacks a known chain or network, or a url") }
        do {
            return try Node(
                ChainID(named: chain, network), url: url, debugURL: entry["debugURL"]?.stringValue,
                certificates: entry["certificates"]?.stringValue,
                proxy: entry["proxy"]?.stringValue)
        } catch {
            throw invalid(error.message)
        }
    }

    private func json(_ node: Node) -> JSON {
        .record([
            "chain": .string(node.chain.rawValue), "network": .string(node.network.rawValue),
            "url": .string(node.url), "debugURL": node.debugURL.map(JSON.string),
            "certificates": node.certificates.map(JSON.string),
            "proxy": node.proxy.map(JSON.string),
        ])
    }

    private func invalid(_ reason: String) -> DaybookError {
        DaybookError("settingsInvalid", .store, "\(folder.settings): \(reason)")
    }
}

extension Node {
    /// Checks that the parts fit together, and spells the addresses canonically.
    init(
        _ chainID: ChainID, url: String, debugURL: String?, certificates: String?,
        proxy: String? = nil
    ) throws(DaybookError) {
        let address = try Self.address(url, of: chainID)
        var debug: NodeURL?
        if let debugURL { debug = try NodeURL(parsing: debugURL) }
        let rules = chainID.chain.rules
        if let path = debug?.path, ["", "/"].contains(path) {
            debug?.path = rules.debugPath ?? path
        }
        guard rules.debugPath != nil || debug == nil else {
            throw DaybookError("invalidNode", .usage, "only ICON's nodes have a debug address")
        }
        if certificates != nil {
            guard address.isEncrypted || debug?.isEncrypted == true else {
                throw DaybookError(
                    "invalidNode", .usage, "certificates are for an https:// address")
            }
        }
        var spelledProxy: String?
        if let proxy { spelledProxy = try NodeProxy(parsing: proxy).text }
        guard spelledProxy != nil || !address.isOnion && debug?.isOnion != true else {
            throw DaybookError(
                "invalidNode", .usage,
                "only Tor reaches an onion service: add --proxy socks5h://127.0.0.1:9050")
        }
        self.init(
            chain: chainID.chainName, network: chainID.networkName, url: address.text,
            debugURL: debug?.text, certificates: certificates, proxy: spelledProxy)
    }

    /// The address of a node of a chain, whose path is the usual one unless it has another.
    static func address(_ url: String, of chainID: ChainID) throws(DaybookError) -> NodeURL {
        guard chainID.network != .sandbox else { throw isEmbedded }
        var address = try NodeURL(parsing: url)
        if ["", "/"].contains(address.path) { address.path = chainID.chain.rules.nodePath }
        return address
    }

    static var isEmbedded: DaybookError {
        DaybookError(
            "invalidNode", .usage, "the sandbox is embedded: it has no node of its own")
    }
}
