import DaybookChains
import DaybookEncoding
import DaybookNodes

/// The clients of a store, one for each node that it can reach.
///
/// A client is made when it is first needed and kept, with its connection, for as long as its
/// settings stay the same.
final class Nodes {
    let settings: NodeSettings
    private let sandbox: SandboxChains
    private let replacing: (@Sendable (Chain, Network, any ChainClient) -> any ChainClient)?
    private let clock: @Sendable () -> UInt64
    private var groups: [ChainID: NodeGroup] = [:]

    init(
        settings: NodeSettings, sandbox: SandboxChains,
        replacing: (@Sendable (Chain, Network, any ChainClient) -> any ChainClient)?,
        clock: @escaping @Sendable () -> UInt64
    ) {
        self.settings = settings
        self.sandbox = sandbox
        self.replacing = replacing
        self.clock = clock
    }

    /// The nodes of a chain and network; nil where none is set up.
    func client(_ chain: Chain, _ network: Network) throws -> (any ChainClient)? {
        let embedded = SandboxClient(chain: chain, chains: sandbox)
        if let replacing { return replacing(chain, network, embedded) }
        return network == .sandbox ? embedded : try group(at: ChainID(chain, network))
    }

    /// The real nodes of a place; nil where none is set up, or where others stand for them.
    func group(at place: ChainID) throws -> NodeGroup? {
        let nodes = replacing == nil ? try settings.nodes(at: place) : []
        guard !nodes.isEmpty else {
            groups[place] = nil
            return nil
        }
        let old = groups[place]?.members ?? []
        var isSame = old.count == nodes.count
        let members = try nodes.enumerated().map { index, node in
            let access = try settings.access(to: node)
            let kept = old.firstIndex { $0.node == node && $0.access == access }
            isSame = isSame && kept == index
            if let kept { return old[kept] }
            let client = NamedNode(client: try makeClient(node, access), node: node)
            return NodeGroup.Member(node: node, access: access, client: client)
        }
        if isSame, let group = groups[place] { return group }
        let group = NodeGroup(members, clock: clock)
        groups[place] = group
        return group
    }

    /// The client of a node; nil where it is not set any more.
    func client(of node: Node) throws -> (any NodeClient)? {
        try group(at: node.place)?.members.first { $0.node == node }?.client
    }

    /// What is wrong with nodes of these places in whose stead others are asked.
    ///
    /// Of all places where none are named.
    func failures(at places: [ChainID]?) -> [ChainFailure] {
        (places ?? groups.keys.sorted()).flatMap { groups[$0]?.failures ?? [] }
    }

    /// So many requests of one node are under way at most: Core does four at a time.
    private static let requestsAtOnce = 4

    private func makeClient(_ node: Node, _ access: NodeAccess?) throws -> any NodeClient {
        let place = node.place
        let transport = Self.transport(node.url, node, access)
        guard let parameters = UTXOParameters.of(place.chain, place.network) else {
            // A login is for the server that it was set for, and for no other.
            let debug = try node.debugURL.map { url in
                let isSameServer =
                    try NodeURL(parsing: url).origin == NodeURL(parsing: node.url).origin
                return Self.transport(url, node, isSameServer ? access : nil)
            }
            return ICONNode(place.network, transport, debug: debug, clock: clock)
        }
        let kept = TransactionFolder(path: settings.folder.transactionCache)
        return UTXONode(parameters, transport, keeping: kept)
    }

    private static func transport(
        _ url: String, _ node: Node, _ access: NodeAccess?
    ) -> any RPCTransport {
        let certificates = node.certificates
        let connect: @Sendable (NodeLogin?) -> any RPCTransport = { login in
            HTTPClient(
                HTTPTarget(
                    url: url, user: login?.user, password: login?.password,
                    certificates: certificates), connections: requestsAtOnce)
        }
        switch access {
        case .cookie(let path): return CookieTransport(path: path, connect: connect)
        case .login(let login): return connect(login)
        case nil: return connect(nil)
        }
    }
}

/// A node that a store asks about a chain and network.
public struct Node: Equatable, Sendable {
    /// The chain that it serves.
    public let chain: ChainName
    /// The network of the chain.
    public let network: NetworkName
    /// Where it answers JSON-RPC calls.
    public let url: String
    /// ICON: where it estimates the steps of a transaction, if that is told.
    public let debugURL: String?
    /// The absolute path of a PEM file of issuers to trust, in place of the system's.
    public let certificates: String?

    /// Whether user, password and addresses travel readable by others.
    public var isReadableByOthers: Bool {
        [url, debugURL].contains { text in
            guard let address = text.flatMap({ try? NodeURL(parsing: $0) }) else { return false }
            return !address.isEncrypted && !address.isLoopback
        }
    }
}

/// What is wrong with the node of a chain and network.
public struct NodeProblem: Equatable, Sendable {
    /// The chain that was asked about.
    public let chain: ChainName
    /// The network of the chain.
    public let network: NetworkName
    /// The stable name, one of `DaybookError`'s codes.
    public let code: String
    /// The address of the node that was asked; nil where none was.
    public let url: String?
    /// What happened, in one sentence in lower case.
    public let message: String
    /// What can be done about it, in one sentence in lower case, where the message does not say.
    public let advice: String?

    let kind: DaybookError.Kind
}

/// How a node stands: the height of its highest block, or what is wrong with it.
public struct NodeStatus: Equatable, Sendable {
    /// The node that was asked.
    public let node: Node
    /// The height of its highest block; nil where there is a problem.
    public let tip: UInt64?
    /// What is wrong; nil where it can serve a wallet.
    public let problem: NodeProblem?
    /// What else is worth knowing, each in one sentence in lower case.
    public let notes: [String]

    /// Whether the node can serve a wallet.
    public var isOK: Bool { problem == nil }
}
