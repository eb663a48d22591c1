/// A chain together with one of its networks: one ledger.
package struct ChainID: Hashable, Comparable, Sendable {
    package let chain: Chain
    package let network: Network

    package init(_ chain: Chain, _ network: Network) {
        self.chain = chain
        self.network = network
    }

    /// Sorts by the names of chain and network, as bytes.
    package static func < (left: ChainID, right: ChainID) -> Bool { left.rank < right.rank }

    private var rank: UInt8 {
        let chain: UInt8 =
            switch chain {
            case .axe: 0
            case .dash: 1
            case .icon: 2
            }
        let network: UInt8 =
            switch network {
            case .mainnet: 0
            case .regtest: 1
            case .sandbox: 2
            case .testnet: 3
            }
        return chain << 2 | network
    }
}

/// A supported chain; the raw value is its name on disk and in commands.
package enum Chain: String, CaseIterable, Hashable, Sendable {
    case dash
    case axe
    case icon
}

/// A network of a chain: the embedded sandbox, or one of the real networks.
package enum Network: String, CaseIterable, Hashable, Sendable {
    case sandbox
    case regtest
    case testnet
    case mainnet
}
