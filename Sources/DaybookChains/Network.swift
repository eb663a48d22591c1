/// Which instance of a chain: the embedded sandbox, or one of the real networks.
package enum Network: String, CaseIterable, Hashable, Sendable {
    case sandbox
    case regtest
    case testnet
    case mainnet
}
