import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import DaybookSystem

extension Store {
    /// Sets the node of a chain and network, instead of those that were set before.
    ///
    /// `url` is `http` or `https`, a host, and optionally a port and a path; ICON's path is
    /// `/api/v3` by default. `debugURL` is where an ICON node estimates steps. `certificates`
    /// names a PEM file of issuers to trust instead of the system's. A password without a user
    /// is `user:password`. `cookieFile` is Core's `.cookie`; it is read each time and not copied,
    /// because the node replaces it at each start. `proxy` is `socks5h://`, a host and a port:
    /// the SOCKS5 proxy that connects to the node and resolves its name, such as Tor's;
    /// `proxyPassword` is `user:password` for it. The node is not asked yet. For example:
    ///
    ///     try await store.setNode(
    ///         .dash, .testnet, url: "http://127.0.0.1:19998", cookieFile: "/node/.cookie")
    ///
    /// - Throws: `invalidNode`, `invalidNodeURL`, `invalidProxy`, `invalidLogin`,
    ///   `unreadableFile`, `fileExposed`, `settingsInvalid`, `credentialsExposed`,
    ///   `credentialsDamaged`.
    @discardableResult
    public func setNode(
        _ chain: ChainName, _ network: NetworkName, url: String, debugURL: String? = nil,
        certificates: String? = nil, user: String? = nil,
        password: consuming Passphrase? = nil, cookieFile: String? = nil, proxy: String? = nil,
        proxyPassword: consuming Passphrase? = nil
    ) throws(DaybookError) -> Node {
        try setNodes(
            chain, network, urls: [url], debugURL: debugURL, certificates: certificates,
            user: user, password: password, cookieFile: cookieFile, proxy: proxy,
            proxyPassword: proxyPassword)[0]
    }

    /// Sets up to four nodes of a chain and network; the first one that answers serves.
    ///
    /// Before a transaction is signed, another node that answers is asked about the coins and
    /// prices that it relies on. With `keepingOthers`, nodes that were set before stay, and are
    /// asked before these. User, password and proxy are for each of these nodes; `debugURL` and
    /// `cookieFile` are only for a single node. The rest is as in `setNode`. For example:
    ///
    ///     try await store.setNodes(
    ///         .dash, .mainnet, urls: ["http://127.0.0.1:9998", "https://node.example"])
    ///
    /// - Throws: as `setNode`.
    @discardableResult
    public func setNodes(
        _ chain: ChainName, _ network: NetworkName, urls: [String], keepingOthers: Bool = false,
        debugURL: String? = nil, certificates: String? = nil, user: String? = nil,
        password: consuming Passphrase? = nil, cookieFile: String? = nil, proxy: String? = nil,
        proxyPassword: consuming Passphrase? = nil
    ) throws(DaybookError) -> [Node] {
        let login = try Self.login(user, password)
        var proxyLogin: NodeLogin?
        if let proxyPassword { proxyLogin = try NodeLogin(proxy: Self.bytes(of: proxyPassword)) }
        guard proxy != nil || proxyLogin == nil else {
            throw DaybookError("invalidLogin", .usage, "a proxy's password needs a proxy")
        }
        return try convertingErrors {
            let chainID = ChainID(named: chain, network)
            guard urls.count == 1 || (debugURL == nil && cookieFile == nil) else {
                throw Self.invalid("a debug address or a cookie file is for a single node")
            }
            let access = try Self.access(login, cookieFile, chain)
            let issuers = try certificates.map(Self.readableFile)
            let nodes = try urls.map { url in
                try Node(
                    chainID, url: url, debugURL: debugURL, certificates: issuers, proxy: proxy)
            }
            guard !nodes.isEmpty, Set(nodes.map(\.url)).count == nodes.count else {
                throw Self.invalid("each node of a chain and network needs its own address")
            }
            try checkFolder()
            try clients.settings.set(
                nodes, of: chainID, access: access, proxyLogin: proxyLogin,
                keepingOthers: keepingOthers)
            return nodes
        }
    }

    private static func invalid(_ reason: String) -> DaybookError {
        DaybookError("invalidNode", .usage, reason)
    }

    /// Removes the nodes of a chain and network, or the one at `url`, with their passwords.
    ///
    /// - Throws: `unknownNode`, `invalidNodeURL`, `settingsInvalid`, `credentialsExposed`,
    ///   `credentialsDamaged`.
    public func removeNode(
        _ chain: ChainName, _ network: NetworkName, url: String? = nil
    ) throws(DaybookError) {
        try convertingErrors {
            let chainID = ChainID(named: chain, network)
            let spelled = try url.map { try Node.address($0, of: chainID).text }
            try checkFolder()
            guard try clients.settings.removeNodes(of: chainID, url: spelled) else {
                throw DaybookError("unknownNode", .refused, "no such node is set")
            }
        }
    }

    /// The nodes that are set, in the order in which they were set.
    ///
    /// - Throws: `settingsInvalid`.
    public func nodes() throws(DaybookError) -> [Node] {
        try convertingErrors { try clients.settings.nodes() }
    }

    /// Checks, at the same time, whether the nodes of a chain and network can serve a wallet.
    ///
    /// - Throws: `nodeMissing` if none is set, `invalidNode` for the sandbox, `settingsInvalid`.
    public func checkNodes(
        _ chain: ChainName, _ network: NetworkName
    ) async throws(DaybookError) -> [NodeStatus] {
        try await convertingErrors {
            let chainID = ChainID(named: chain, network)
            guard chainID.network != .sandbox else { throw Node.isEmbedded }
            let nodes = try clients.settings.nodes(of: chainID)
            guard !nodes.isEmpty else {
                throw DaybookError(
                    NodeProblem(ChainFailure(.noNode, "no node is set up"), of: chainID))
            }
            return await statuses(of: nodes)
        }
    }

    /// Checks, at the same time, whether each node that is set can serve a wallet.
    ///
    /// - Throws: `settingsInvalid`.
    public func checkNodes() async throws(DaybookError) -> [NodeStatus] {
        try await convertingErrors { await statuses(of: try clients.settings.nodes()) }
    }

    /// The problems of nodes that failed and that other nodes of their chains serve for.
    ///
    /// A node is listed from its failure until it is asked again and answers.
    public func nodesPassedOver() -> [NodeProblem] { nodesPassedOver(of: nil) }

    /// The same, for these chains only unless nil.
    func nodesPassedOver(of chainIDs: [ChainID]?) -> [NodeProblem] {
        clients.failures(of: chainIDs).compactMap { failure in
            failure.origin.map { NodeProblem(failure, of: $0.chainID) }
        }
    }

    private func statuses(of nodes: [Node]) async -> [NodeStatus] {
        let setAside = (try? journal.read { $0.setAside() }) ?? []
        let asked = nodes.map { node in
            (
                node, Result { try clients.client(of: node) },
                Result {
                    try journal.read {
                        ChainQuery(identityOf: node.chainID.chain, node.chainID.network, in: $0)
                    }
                }
            )
        }
        return await withTaskGroup(of: (Int, NodeStatus).self) { group in
            for (index, (node, client, known)) in asked.enumerated() {
                group.addTask { (index, await Self.status(of: node, client, known)) }
            }
            var all: [(Int, NodeStatus)] = []
            for await status in group { all.append(status) }
            return all.sorted { $0.0 < $1.0 }.map { $0.1.adding(setAside) }
        }
    }

    private static func status(
        of node: Node, _ client: Result<(any NodeClient)?, any Error>,
        _ known: Result<ChainQuery, any Error>
    ) async -> NodeStatus {
        do {
            guard let client = try client.get() else {
                throw ChainFailure(.noNode, "no node is set up")
            }
            let standing = try await client.check(try known.get())
            return NodeStatus(
                node: node, tip: standing.height, problem: nil, notes: standing.notes)
        } catch {
            return NodeStatus(
                node: node, tip: nil, problem: NodeProblem(error, of: node.chainID), notes: [])
        }
    }

    private static func login(
        _ user: String?, _ password: consuming Passphrase?
    ) throws(DaybookError) -> NodeLogin? {
        guard let password else {
            guard user == nil else {
                throw DaybookError("invalidLogin", .usage, "a user needs a password")
            }
            return nil
        }
        let bytes = bytes(of: password)
        guard let user else { return try NodeLogin(cookie: bytes) }
        return try NodeLogin(user: user, password: bytes)
    }

    private static func bytes(of password: borrowing Passphrase) -> Bytes {
        password.secret.withBytes { span in
            var bytes = Bytes()
            bytes.reserveCapacity(span.count)
            for index in span.indices { bytes.append(span[index]) }
            return bytes
        }
    }

    private static func access(
        _ login: NodeLogin?, _ cookieFile: String?, _ chain: ChainName
    ) throws -> NodeAccess? {
        guard let cookieFile else { return login.map { .login($0) } }
        guard login == nil, DaybookChains.Chain(chain).rules.hasCookieFiles else {
            throw DaybookError(
                "invalidLogin", .usage,
                "a cookie file is for Dash and Axe, and excludes a password")
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

extension NodeStatus {
    /// The status with notes of what is set aside of the answers about its chain.
    fileprivate func adding(_ setAside: [SetAsidePart]) -> NodeStatus {
        let parts = setAside.filter { $0.chain == node.chain && $0.network == node.network }
        let new = parts.map(\.sentence).filter { !notes.contains($0) }
        return NodeStatus(node: node, tip: tip, problem: problem, notes: notes + new)
    }
}
