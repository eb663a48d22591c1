import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookNodes
import DaybookSystem

extension Store {
    /// Names the node to ask about a chain and network; those that were set before are forgotten.
    ///
    /// `url` is `http` or `https`, a host, and perhaps a port and a path: ICON's is `/api/v3`
    /// unless another is given. `debugURL` is where an ICON node estimates steps. `certificates`
    /// names a PEM file of issuers to trust in place of the system's. A password without a user
    /// is `user:password`; without a password the node is asked without one. `cookieFile` is
    /// Core's `.cookie`: it is not copied, but read whenever it is needed, for each start of the
    /// node writes another one. Nothing is asked of the node yet. For example:
    ///
    ///     try await store.setNode(
    ///         .dash, .testnet, url: "http://127.0.0.1:19998", cookieFile: "/node/.cookie")
    ///
    /// - Throws: `invalidNode`, `invalidNodeURL`, `invalidLogin`, `unreadableFile`,
    ///   `settingsInvalid`, `credentialsExposed`, `credentialsDamaged`.
    @discardableResult
    public func setNode(
        _ chain: ChainName, _ network: NetworkName, url: String, debugURL: String? = nil,
        certificates: String? = nil, user: String? = nil,
        password: consuming Passphrase? = nil, cookieFile: String? = nil
    ) throws -> Node {
        try setNodes(
            chain, network, urls: [url], debugURL: debugURL, certificates: certificates,
            user: user, password: password, cookieFile: cookieFile)[0]
    }

    /// Names up to four nodes of a chain and network: the first that answers serves.
    ///
    /// Before a transaction is signed, what it relies on is compared with another node that
    /// answers. With `keepingOthers` those that were set before are asked before these. A user and
    /// password are for each of these; a `debugURL` and a `cookieFile` are of one node. All else is
    /// as in `setNode`. For example:
    ///
    ///     try await store.setNodes(
    ///         .dash, .mainnet, urls: ["http://127.0.0.1:9998", "https://node.example"])
    ///
    /// - Throws: as `setNode`.
    @discardableResult
    public func setNodes(
        _ chain: ChainName, _ network: NetworkName, urls: [String], keepingOthers: Bool = false,
        debugURL: String? = nil, certificates: String? = nil, user: String? = nil,
        password: consuming Passphrase? = nil, cookieFile: String? = nil
    ) throws -> [Node] {
        let login = try Self.login(user, password)
        return try facing {
            let place = ChainID(named: chain, network)
            guard urls.count == 1 || (debugURL == nil && cookieFile == nil) else {
                throw Self.invalid("a debug address and a cookie file are of one node")
            }
            let access = try Self.access(login, cookieFile, chain)
            let issuers = try certificates.map(Self.readableFile)
            let nodes = try urls.map { url in
                try Node(place, url: url, debugURL: debugURL, certificates: issuers)
            }
            guard !nodes.isEmpty, Set(nodes.map(\.url)).count == nodes.count else {
                throw Self.invalid("the nodes of a chain and network have different addresses")
            }
            try clients.settings.set(
                nodes, at: place, access: access, keepingOthers: keepingOthers)
            return nodes
        }
    }

    private static func invalid(_ reason: String) -> DaybookError {
        DaybookError("invalidNode", .usage, reason)
    }

    /// Forgets the nodes of a chain and network, or the one at `url`, with users and passwords.
    ///
    /// - Throws: `unknownNode`, `invalidNodeURL`, `settingsInvalid`, `credentialsExposed`,
    ///   `credentialsDamaged`.
    public func removeNode(
        _ chain: ChainName, _ network: NetworkName, url: String? = nil
    ) throws {
        try facing {
            let place = ChainID(named: chain, network)
            let spelled = try url.map { url in
                try Node(place, url: url, debugURL: nil, certificates: nil).url
            }
            guard try clients.settings.remove(place, url: spelled) else {
                throw DaybookError("unknownNode", .refused, "no such node is set")
            }
        }
    }

    /// The nodes that are set, in the order in which they were.
    ///
    /// - Throws: `settingsInvalid`.
    public func nodes() throws -> [Node] {
        try facing { try clients.settings.nodes() }
    }

    /// Asks the nodes of a chain and network whether they can serve a wallet, all at once.
    ///
    /// - Throws: `nodeMissing` where none is set, `invalidNode` for the sandbox, `settingsInvalid`.
    public func checkNodes(
        _ chain: ChainName, _ network: NetworkName
    ) async throws -> [NodeStatus] {
        try await facing {
            let place = ChainID(named: chain, network)
            guard place.network != .sandbox else { throw Node.isEmbedded }
            let nodes = try clients.settings.nodes(at: place)
            guard !nodes.isEmpty else {
                throw DaybookError(
                    NodeProblem(ChainFailure(.noNode, "no node is set up"), at: place))
            }
            return await statuses(of: nodes)
        }
    }

    /// Asks every node that is set whether it can serve a wallet, all at once.
    ///
    /// - Throws: `settingsInvalid`.
    public func checkNodes() async throws -> [NodeStatus] {
        try await facing { await statuses(of: try clients.settings.nodes()) }
    }

    /// What is wrong with nodes in whose stead others of their chains were asked.
    ///
    /// A node is among them from when it fails until it is asked again and answers.
    public func nodesPassedOver() -> [NodeProblem] { nodesPassedOver(at: nil) }

    /// The same, of these places alone where any are named.
    func nodesPassedOver(at places: [ChainID]?) -> [NodeProblem] {
        clients.failures(at: places).compactMap { failure in
            failure.origin.map { NodeProblem(failure, at: $0.chainID) }
        }
    }

    private func statuses(of nodes: [Node]) async -> [NodeStatus] {
        let asked = nodes.map { node in (node, Result { try clients.client(of: node) }) }
        return await withTaskGroup(of: (Int, NodeStatus).self) { group in
            for (index, (node, client)) in asked.enumerated() {
                group.addTask { (index, await Self.status(of: node, client)) }
            }
            var all: [(Int, NodeStatus)] = []
            for await status in group { all.append(status) }
            return all.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private static func status(
        of node: Node, _ client: Result<(any NodeClient)?, any Error>
    ) async -> NodeStatus {
        do {
            guard let client = try client.get() else {
                throw ChainFailure(.noNode, "no node is set up")
            }
            let standing = try await client.check()
            return NodeStatus(
                node: node, tip: standing.height, problem: nil, notes: standing.notes)
        } catch {
            return NodeStatus(
                node: node, tip: nil, problem: NodeProblem(error, at: node.place), notes: [])
        }
    }

    private static func login(
        _ user: String?, _ password: consuming Passphrase?
    ) throws -> NodeLogin? {
        guard let password else {
            guard user == nil else {
                throw DaybookError("invalidLogin", .usage, "a user needs a password")
            }
            return nil
        }
        let bytes = password.secret.withBytes { span in
            var bytes = Bytes()
            bytes.reserveCapacity(span.count)
            for index in span.indices { bytes.append(span[index]) }
            return bytes
        }
        guard let user else { return try NodeLogin(cookie: bytes) }
        return try NodeLogin(user: user, password: bytes)
    }

    private static func access(
        _ login: NodeLogin?, _ cookieFile: String?, _ chain: ChainName
    ) throws -> NodeAccess? {
        guard let cookieFile else { return login.map { .login($0) } }
        guard login == nil, DaybookChains.Chain(chain).rules.hasCookieFiles else {
            throw DaybookError(
                "invalidLogin", .usage, "a cookie file is of Dash and Axe, without a password")
        }
        let path = try readableFile(cookieFile)
        _ = try NodeLogin(cookieFile: path)
        return .cookie(path)
    }

    private static func readableFile(_ path: String) throws -> String {
        do {
            let resolved = try Files.resolved(path)
            _ = try Files.read(resolved, limit: 4_194_304)
            return resolved
        } catch {
            throw DaybookError("unreadableFile", .usage, error.description)
        }
    }
}
