import DaybookChains

extension ChainID {
    init(named chain: ChainName, _ network: NetworkName) {
        self.init(Chain(chain), Network(network))
    }

    var chainName: ChainName { ChainName(chain) }
    var networkName: NetworkName { NetworkName(network) }
}

extension Node {
    var place: ChainID { ChainID(named: chain, network) }
}

extension NodeProblem {
    var place: ChainID { ChainID(named: chain, network) }
}
