import DaybookChains
import DaybookEncoding
import DaybookSystem

/// The nodes of a store as `settings.json` has them; what opens them is in `credentials.json`.
///
/// Both files are read whenever they are needed, for another process may set a node.
struct NodeSettings: Sendable {
    let folder: StoreFolder

    private static let member = "nodes"
    private static let count = 64
    /// So many nodes a chain and network can have.
    static let countOfPlace = 4

    /// The nodes, in the order of the file.
    func nodes() throws -> [Node] {
        try entries(of: try folder.readSettingsFile()).map(node)
    }

    /// The nodes of a chain and network, in the order in which they are asked.
    func nodes(at place: ChainID) throws -> [Node] {
        try nodes().filter { $0.place == place }
    }

    /// What lets us into a node, if it takes any.
    func access(to node: Node) throws -> NodeAccess? {
        try NodeCredentials(path: folder.credentials).access(to: node)
    }

    /// Sets nodes of a place, with what lets us into each of them.
    ///
    /// Those that were set before are asked first, or are forgotten with what opened them.
    func set(
        _ nodes: [Node], at place: ChainID, access: NodeAccess?, keepingOthers: Bool
    ) throws {
        try change { entries in
            let kept = entries.map(\.node).filter { node in
                keepingOthers && node.place == place
                    && !nodes.contains { Text.equal($0.url, node.url) }
            }
            guard kept.count + nodes.count <= Self.countOfPlace else {
                throw DaybookError(
                    "invalidNode", .usage,
                    "a chain and network has at most \(Self.countOfPlace) nodes")
            }
            // First the logins, each for an address and no other: a crash between the two files
            // leaves a node without a login, and never a login for another node.
            try credentials.set(access, for: nodes, at: place, keeping: kept)
            entries.removeAll { $0.node.place == place && !kept.contains($0.node) }
            entries += nodes.map { ($0, json($0)) }
        }
    }

    /// Removes the nodes of a place, or one by its address, and what opened them; false where
    /// there is none.
    func remove(_ place: ChainID, url: String?) throws -> Bool {
        var isKnown = false
        try change { entries in
            let all = entries.map(\.node).filter { $0.place == place }
            let kept = all.filter { node in url.map { !Text.equal($0, node.url) } ?? false }
            isKnown = kept.count < all.count
            guard isKnown else { return }
            try credentials.set(nil, for: [], at: place, keeping: kept)
            entries.removeAll { $0.node.place == place && !kept.contains($0.node) }
        }
        return isKnown
    }

    private var credentials: NodeCredentials { NodeCredentials(path: folder.credentials) }

    /// Changes the entries of the file; all else in it stays as it was written.
    private func change(_ body: (inout [(node: Node, json: JSON)]) throws -> Void) throws {
        // Two processes that set nodes at once take turns, so that neither's is lost.
        let lock = try FileLock(directory: folder.path)
        folder.removeLeftovers()
        let settings = try folder.readSettingsFile()
        var entries = try entries(of: settings).map { (node: try node($0), json: $0) }
        let before = entries.map(\.json)
        try body(&entries)
        let nodes = JSON.array(entries.map(\.json))
        if entries.map(\.json) != before {
            var members = settings.objectValue ?? []
            if let index = members.firstIndex(where: { Text.equal($0.name, Self.member) }) {
                members[index].value = nodes
            } else {
                members.append(.init(name: Self.member, value: nodes))
            }
            try folder.writeSettingsFile(.object(members))
        }
        _ = consume lock
    }

    // MARK: - Entries

    private func entries(of settings: JSON) throws -> [JSON] {
        guard let member = settings[Self.member] else { return [] }
        guard let entries = member.arrayValue, entries.count <= Self.count else {
            throw invalid("nodes is no list of at most \(Self.count) nodes")
        }
        return entries
    }

    private func node(_ entry: JSON) throws -> Node {
        guard let chain = entry["chain"]?.stringValue.flatMap(ChainName.init),
            let network = entry["network"]?.stringValue.flatMap(NetworkName.init),
            let url = entry["url"]?.stringValue
        else { throw invalid("a node has no chain, network and url that are known") }
        do {
            return try Node(
                ChainID(named: chain, network), url: url, debugURL: entry["debugURL"]?.stringValue,
                certificates: entry["certificates"]?.stringValue)
        } catch {
            throw invalid(error.message)
        }
    }

    private func json(_ node: Node) -> JSON {
        .record([
            "chain": .string(node.chain.rawValue), "network": .string(node.network.rawValue),
            "url": .string(node.url), "debugURL": node.debugURL.map(JSON.string),
            "certificates": node.certificates.map(JSON.string),
        ])
    }

    private func invalid(_ reason: String) -> DaybookError {
        DaybookError("settingsInvalid", .store, "\(folder.settings): \(reason)")
    }
}

extension Node {
    /// A node whose parts fit together; its addresses are spelled in one way.
    init(
        _ place: ChainID, url: String, debugURL: String?, certificates: String?
    ) throws(DaybookError) {
        guard place.network != .sandbox else { throw Self.isEmbedded }
        var address = try NodeURL(parsing: url)
        var debug: NodeURL?
        if let debugURL { debug = try NodeURL(parsing: debugURL) }
        let rules = place.chain.rules
        if ["", "/"].contains(address.path) { address.path = rules.nodePath }
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
        self.init(
            chain: place.chainName, network: place.networkName, url: address.text,
            debugURL: debug?.text, certificates: certificates)
    }

    static var isEmbedded: DaybookError {
        DaybookError(
            "invalidNode", .usage, "the sandbox is embedded: it has no node of its own")
    }
}
