import DaybookChains
import DaybookEncoding
import DaybookNodes

/// The clients of a store, one for each of its nodes.
///
/// A client is made when it is first needed. It is kept, with its connection, until the settings of
/// its node change.
final class Nodes {
    let settings: NodeSettings
    /// The clients of chains that need no node.
    private let embedded: [ChainID: any ChainClient]
    private let replacing: (@Sendable (Chain, Network, any ChainClient) -> any ChainClient)?
    private let clock: @Sendable () -> UInt64
    private let activity: StoreActivity
    private var groups: [ChainID: NodeGroup] = [:]

    init(
        settings: NodeSettings, embedded: [ChainID: any ChainClient],
        replacing: (@Sendable (Chain, Network, any ChainClient) -> any ChainClient)?,
        clock: @escaping @Sendable () -> UInt64, activity: StoreActivity
    ) {
        self.activity = activity
        self.settings = settings
        self.embedded = embedded
        self.replacing = replacing
        self.clock = clock
    }

    /// The client of a chain; nil if no node is set.
    func client(of chainID: ChainID) throws -> (any ChainClient)? {
        if let replacing, let other = embedded.first(where: { $0.key.chain == chainID.chain }) {
            return replacing(chainID.chain, chainID.network, other.value)
        }
        return try embedded[chainID] ?? group(of: chainID)
    }

    /// The real nodes of a chain, or the group that stands for them; nil if there is none.
    func group(of chainID: ChainID) throws -> NodeGroup? {
        if replacing != nil { return try client(of: chainID) as? NodeGroup }
        // The settings of real nodes matter to no chain that needs none.
        if embedded[chainID] != nil { return nil }
        let nodes = try settings.nodes(of: chainID)
        guard !nodes.isEmpty else {
            if groups[chainID] != nil { activity.forgetNodes(of: chainID) }
            groups[chainID] = nil
            return nil
        }
        let old = groups[chainID]?.members ?? []
        var isSame = old.count == nodes.count
        let members = try nodes.enumerated().map { index, node in
            let access = try settings.access(to: node)
            let proxyLogin = try settings.proxyLogin(for: node)
            let kept = old.firstIndex {
                $0.node == node && $0.access == access && $0.proxyLogin == proxyLogin
            }
            isSame = isSame && kept == index
            if let kept { return old[kept] }
            let proxy = try node.proxy.map { try HTTPProxy(NodeProxy(parsing: $0), proxyLogin) }
            let client = NamedNode(client: try makeClient(node, access, proxy), node: node)
            return NodeGroup.Member(
                node: node, access: access, proxyLogin: proxyLogin, client: client)
        }
        if isSame, let group = groups[chainID] { return group }
        activity.forgetNodes(of: chainID)
        let group = NodeGroup(members, clock: clock, activity: activity)
        groups[chainID] = group
        return group
    }

    /// The client of a node; nil if the node is not set any more.
    func client(of node: Node) throws -> (any NodeClient)? {
        try group(of: node.chainID)?.members.first { $0.node == node }?.client
    }

    /// The failures of nodes that others serve for, on these chains or (nil) on all.
    func failures(of chainIDs: [ChainID]?) -> [ChainFailure] {
        (chainIDs ?? groups.keys.sorted()).flatMap { groups[$0]?.failures ?? [] }
    }

    /// At most so many requests are in flight to one node: Core answers four at a time.
    private static let connectionLimit = 4

    private func makeClient(
        _ node: Node, _ access: NodeAccess?, _ proxy: HTTPProxy?
    ) throws -> any NodeClient {
        let chainID = node.chainID
        let target = HTTPTarget(url: node.url, certificates: node.certificates, proxy: proxy)
        let transport = Self.transport(target, access)
        guard let parameters = UTXOParameters.of(chainID.chain, chainID.network) else {
            // A login goes to the server that it was set for, and to no other.
            let debug = try node.debugURL.map { url in
                let isSameServer =
                    try NodeURL(parsing: url).origin == NodeURL(parsing: node.url).origin
                var target = target
                target.url = url
                return Self.transport(target, isSameServer ? access : nil)
            }
            return ICONNode(chainID.network, transport, debug: debug, clock: clock)
        }
        let kept = TransactionFolder(path: settings.folder.transactionCache)
        return UTXONode(parameters, transport, keeping: kept)
    }

    /// The connections to a server, which is logged in to as `access` says.
    private static func transport(
        _ target: HTTPTarget, _ access: NodeAccess?
    ) -> any RPCTransport {
        let connect: @Sendable (NodeLogin?) -> any RPCTransport = { login in
            var target = target
            (target.user, target.password) = (login?.user, login?.password)
            return HTTPClient(
                target, limits: target.proxy == nil ? .standard : .proxied,
                connections: connectionLimit)
        }
        switch access {
        case .cookie(let path): return CookieTransport(path: path, connect: connect)
        case .login(let login): return connect(login)
        case nil: return connect(nil)
        }
    }
}

/// A node that a store asks about a chain.
public struct Node: Codable, Hashable, Sendable {
    /// The chain that it serves.
    public let chain: ChainName
    /// The network of the chain.
    public let network: NetworkName
    /// The address of its JSON-RPC server.
    public let url: String
    /// ICON: the address at which it estimates the steps of a transaction, if one is set.
    public let debugURL: String?
    /// The absolute path of a PEM file of issuers to trust instead of the system's.
    public let certificates: String?
    /// The address of the SOCKS5 proxy that it is asked through, if one is set.
    public let proxy: String?

    /// A node for previews and tests of a front end; `Store.setNode` sets one.
    public init(
        chain: ChainName, network: NetworkName, url: String, debugURL: String? = nil,
        certificates: String? = nil, proxy: String? = nil
    ) {
        (self.chain, self.network, self.url) = (chain, network, url)
        (self.debugURL, self.certificates, self.proxy) = (debugURL, certificates, proxy)
    }

    /// Whether others can read the connection, with its password and the wallet's addresses.
    public var isReadableByOthers: Bool {
        let proxy = proxy.flatMap { try? NodeProxy(parsing: $0) }
        return [url, debugURL].contains { text in
            guard let address = text.flatMap({ try? NodeURL(parsing: $0) }), !address.isEncrypted
            else { return false }
            // Behind a proxy, loopback is the proxy's own computer.
            return !address.isLoopback && !address.isOnion || proxy?.isLoopback == false
        }
    }
}

/// A problem with a node of a chain.
public struct NodeProblem: Codable, Hashable, Sendable {
    /// The chain that was asked about.
    public let chain: ChainName
    /// The network of the chain.
    public let network: NetworkName
    /// The stable name, one of `DaybookError`'s codes.
    public let code: DaybookError.Code
    /// The address of the node that was asked; nil if none was asked.
    public let url: String?
    /// The problem, in one sentence in lower case.
    public let message: String
    /// The user's remedy, in one sentence in lower case, unless the message says it.
    public let advice: String?
    /// The kind of the error that it would be if it were thrown.
    public let kind: DaybookError.Kind

    /// A problem for previews and tests of a front end.
    public init(
        chain: ChainName, network: NetworkName, code: DaybookError.Code, url: String? = nil,
        message: String, advice: String? = nil, kind: DaybookError.Kind = .node
    ) {
        (self.chain, self.network, self.code) = (chain, network, code)
        (self.url, self.message, self.advice, self.kind) = (url, message, advice, kind)
    }
}

/// The status of a node: the height of its highest block, or its problem.
public struct NodeStatus: Codable, Hashable, Sendable {
    /// The node that was asked.
    public let node: Node
    /// The height of its highest block; nil if there is a problem.
    public let tip: UInt64?
    /// The problem; nil if the node can serve a wallet.
    public let problem: NodeProblem?
    /// Remarks, each one sentence in lower case.
    public let notes: [String]

    /// A status for previews and tests of a front end.
    public init(
        node: Node, tip: UInt64? = nil, problem: NodeProblem? = nil, notes: [String] = []
    ) {
        (self.node, self.tip, self.problem, self.notes) = (node, tip, problem, notes)
    }

    /// Whether the node can serve a wallet.
    public var isOK: Bool { problem == nil }
}
