package import DaybookChains
package import DaybookEncoding

/// A node could not be asked; `reason` is one of our own words, never the node's.
package struct ChainUnavailable: EventData {
    package static let type = "chain.unavailable"

    package let chain: Chain
    package let network: Network
    package let reason: String

    package init(chain: Chain, network: Network, reason: String) {
        self.chain = chain
        self.network = network
        self.reason = reason
    }

    package var coded: CBOR {
        .record([
            "chain": .text(chain.rawValue), "network": .text(network.rawValue),
            "reason": .text(reason),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        chain = try fields.name("chain")
        network = try fields.name("network")
        reason = try fields.text("reason")
    }
}
