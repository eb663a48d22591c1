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
