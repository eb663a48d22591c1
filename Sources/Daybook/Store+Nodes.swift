import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookNodes
import DaybookSystem

extension Store {
    /// Names the node to ask about a chain and network; one that was set before is forgotten.
    ///
    /// `url` is `http` or `https`, a host, and perhaps a port and a path: ICON's is `/api/v3`
    /// unless another is given. `debugURL` is where an ICON node estimates steps. `certificates`
    /// names a PEM file of issuers to trust in place of the system's. A password without a user
    /// is `user:password`, as Core's file `.cookie` has it; without a password the node is asked
    /// without one. Nothing is asked of the node yet. For example:
    ///
    ///     try store.setNode(.dash, .testnet, url: "http://127.0.0.1:19998", password: cookie)
    ///
    /// - Throws: `invalidNode`, `invalidNodeURL`, `invalidLogin`, `unreadableFile`,
    ///   `settingsInvalid`, `credentialsExposed`, `credentialsDamaged`.
    @discardableResult
    public func setNode(
        _ chain: ChainName, _ network: NetworkName, url: String, debugURL: String? = nil,
        certificates: String? = nil, user: String? = nil,
        password: consuming Passphrase? = nil
    ) throws -> Node {
        let login = try Self.login(user, password)
        return try facing {
            let node = try Node(
                ChainID(named: chain, network), url: url, debugURL: debugURL,
                certificates: try certificates.map(Self.readableFile))
            try clients.settings.set(node, login: login)
            return node
        }
    }

    /// Forgets the node of a chain and network, and its user and password.
    ///
    /// - Throws: `unknownNode`, `settingsInvalid`, `credentialsExposed`, `credentialsDamaged`.
    public func removeNode(_ chain: ChainName, _ network: NetworkName) throws {
        try facing {
            guard try clients.settings.remove(ChainID(named: chain, network)) else {
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

    /// Asks the node of a chain and network whether it can serve a wallet.
    ///
    /// - Throws: `nodeMissing` where none is set, `invalidNode` for the sandbox, `settingsInvalid`.
    public func checkNode(_ chain: ChainName, _ network: NetworkName) async throws -> NodeStatus {
        try await facing {
            let place = ChainID(named: chain, network)
            guard place.network != .sandbox else { throw Node.isEmbedded }
            guard let node = try clients.settings.node(at: place) else {
                throw DaybookError(
                    NodeProblem(ChainFailure(.noNode, "no node is set up"), at: place))
            }
            return await Self.status(of: node, Result { try clients.client(at: place) })
        }
    }

    /// Asks every node that is set whether it can serve a wallet, all at once.
    ///
    /// - Throws: `settingsInvalid`.
    public func checkNodes() async throws -> [NodeStatus] {
        try await facing {
            let asked = try clients.settings.nodes().map { node in
                (node, Result { try clients.client(at: node.place) })
            }
            return await withTaskGroup(of: (Int, NodeStatus).self) { group in
                for (index, (node, client)) in asked.enumerated() {
                    group.addTask { (index, await Self.status(of: node, client)) }
                }
                var all: [(Int, NodeStatus)] = []
                for await status in group { all.append(status) }
                return all.sorted { $0.0 < $1.0 }.map(\.1)
            }
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
