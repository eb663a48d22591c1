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

    /// The nodes, in the order of the file.
    func nodes() throws -> [Node] {
        try entries(of: try folder.readSettingsFile()).map(node)
    }

    /// The node of a chain and network; nil where none is set.
    func node(at place: ChainID) throws -> Node? {
        try nodes().first { $0.place == place }
    }

    /// User and password for a node, if it takes any.
    func login(for node: Node) throws -> NodeLogin? {
        try NodeCredentials(path: folder.credentials).login(for: node)
    }

    /// Sets the node of a place anew: what was set before goes, and what opened it.
    func set(_ node: Node, login: NodeLogin?) throws {
        try change(node.place) { entries in
            // First the login, which is for this address and no other: a crash between the two
            // files leaves a node without a login, and never a login for another node.
            try NodeCredentials(path: folder.credentials).set(login, for: node)
            entries.removeAll { $0.0 == node.place }
            entries.append((node.place, json(node)))
        }
    }

    /// Removes the node of a place and what opened it; false where there is none.
    func remove(_ place: ChainID) throws -> Bool {
        var isKnown = false
        try change(place) { entries in
            isKnown = entries.contains { $0.0 == place }
            guard isKnown else { return }
            try NodeCredentials(path: folder.credentials).remove(place)
            entries.removeAll { $0.0 == place }
        }
        return isKnown
    }

    /// Changes the entries of the file; all else in it stays as it was written.
    private func change(
        _ place: ChainID, _ body: (inout [(ChainID, JSON)]) throws -> Void
    ) throws {
        // Two processes that set nodes at once take turns, so that neither's is lost.
        let lock = try FileLock(directory: folder.path)
        folder.removeLeftovers()
        let settings = try folder.readSettingsFile()
        var entries = try entries(of: settings).map { (try node($0).place, $0) }
        let before = entries.map(\.1)
        try body(&entries)
        let nodes = JSON.array(entries.map(\.1))
        if entries.map(\.1) != before {
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
        if place.chain == .icon {
            if ["", "/"].contains(address.path) { address.path = "/api/v3" }
            if let path = debug?.path, ["", "/"].contains(path) { debug?.path = "/api/v3d" }
        } else if address.path.isEmpty {
            address.path = "/"
        }
        guard place.chain == .icon || debug == nil else {
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
