import DaybookChains
import DaybookEncoding
import DaybookHTTP
import DaybookNodes

/// The clients of a store, one for each chain and network that it can reach.
///
/// A client is made when it is first needed and kept, with its connection, for as long as its
/// settings stay the same.
final class Nodes {
    let settings: NodeSettings
    private let sandbox: SandboxChains
    private let replacing: (@Sendable (Chain, Network, any ChainClient) -> any ChainClient)?
    private let clock: @Sendable () -> UInt64
    private var connections: [ChainID: Connection] = [:]

    private struct Connection {
        let node: Node
        let login: NodeLogin?
        let client: any NodeClient
    }

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

    /// The node of a chain and network; nil where none is set up.
    func client(_ chain: Chain, _ network: Network) throws -> (any ChainClient)? {
        let embedded = SandboxClient(chain: chain, chains: sandbox)
        if let replacing { return replacing(chain, network, embedded) }
        return network == .sandbox ? embedded : try client(at: ChainID(chain, network))
    }

    /// The real node of a place; nil where none is set up.
    func client(at place: ChainID) throws -> (any NodeClient)? {
        guard let node = try settings.node(at: place) else {
            connections[place] = nil
            return nil
        }
        let login = try settings.login(for: node)
        if let connection = connections[place], connection.node == node,
            connection.login == login
        {
            return connection.client
        }
        let client = try makeClient(node, login)
        connections[place] = Connection(node: node, login: login, client: client)
        return client
    }

    private func makeClient(_ node: Node, _ login: NodeLogin?) throws -> any NodeClient {
        let place = node.place
        let transport = HTTPClient(target(node.url, node, login))
        guard let parameters = UTXOParameters.of(place.chain, place.network) else {
            // A login is for the server that it was set for, and for no other.
            let debug = try node.debugURL.map { url in
                let isSameServer =
                    try NodeURL(parsing: url).origin == NodeURL(parsing: node.url).origin
                return HTTPClient(target(url, node, isSameServer ? login : nil))
            }
            return ICONNode(place.network, transport, debug: debug, clock: clock)
        }
        return UTXONode(parameters, transport)
    }

    private func target(_ url: String, _ node: Node, _ login: NodeLogin?) -> HTTPTarget {
        HTTPTarget(
            url: url, user: login?.user, password: login?.password,
            certificates: node.certificates)
    }
}
