package import DaybookEncoding

/// What fees usually are on a network, so that a prompt can warn of those that a node made up.
///
/// ICON's price of a step is set by the network's governance and has been 12.5 Gloop for years;
/// Dash and Axe relay for 1000 duffs for 1000 bytes, and their blocks are never full.
package struct UsualFee: Hashable, Sendable {
    /// The usual price: loop for a step, or duffs for 1000 bytes.
    package let price: UInt256
    /// The lowest price without a warning.
    package let lowestPrice: UInt256
    /// The highest price without a warning.
    package let highestPrice: UInt256
    /// The highest fee of a transaction without a warning, in minor units.
    package let highestFee: UInt256

    /// What is usual on a chain's network.
    package static func of(_ chain: Chain, _ network: Network) -> UsualFee {
        switch (chain, network) {
        case (.dash, _), (.axe, _): duffs
        case (.icon, .mainnet), (.icon, .testnet), (.icon, .sandbox): loop(within: 10)
        // Who runs a network of their own sets its price; goloop's default is the main network's.
        case (.icon, .regtest): loop(within: 1_000)
        }
    }

    /// A price that is usual.
    package func isUsual(_ asked: UInt256) -> Bool { lowestPrice <= asked && asked <= highestPrice }

    /// The usual fee of a transaction of as many steps.
    package func fee(ofSteps steps: UInt256) -> UInt256? { price.multiplied(by: steps) }

    /// Between a tenth and ten times the price; the largest standard transaction costs 0.001.
    private static let duffs = UsualFee(
        price: UInt256(RelayPolicy.minimumFeePerKilobyte),
        lowestPrice: UInt256(RelayPolicy.minimumFeePerKilobyte / 10),
        highestPrice: UInt256(RelayPolicy.minimumFeePerKilobyte * 10), highestFee: UInt256(100_000))

    /// A transfer costs 0.00125 ICX, a long call of contracts some tenths.
    private static func loop(within factor: UInt64) -> UsualFee {
        let price: UInt64 = 12_500_000_000
        let tenICX = UInt256(1_000_000_000_000_000_000).multiplied(by: 10) ?? .max
        return UsualFee(
            price: UInt256(price), lowestPrice: UInt256(price / factor),
            highestPrice: UInt256(price * factor), highestFee: tenICX)
    }
}
