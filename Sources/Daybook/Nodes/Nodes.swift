import DaybookChains
import DaybookNodes

/// The clients of a store, one for each chain and network that it can reach.
struct Nodes: Sendable {
    private let sandbox: SandboxChains

    init(sandbox: SandboxChains) {
        self.sandbox = sandbox
    }

    /// The node of a chain and network; nil where none is set up.
    func client(_ chain: Chain, _ network: Network) -> (any ChainClient)? {
        network == .sandbox ? SandboxClient(chain: chain, chains: sandbox) : nil
    }
}
