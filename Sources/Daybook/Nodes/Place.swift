import DaybookChains

/// A chain and one of its networks: what a node is for.
struct Place: Hashable, Sendable {
    let chain: Chain
    let network: Network

    init(_ chain: Chain, _ network: Network) {
        self.chain = chain
        self.network = network
    }

    init(named chain: ChainName, _ network: NetworkName) {
        self.init(Chain(chain), Network(network))
    }

    var chainName: ChainName { ChainName(chain) }
    var networkName: NetworkName { NetworkName(network) }
}

extension Node {
    var place: Place { Place(named: chain, network) }
}

extension NodeProblem {
    var place: Place { Place(named: chain, network) }
}
