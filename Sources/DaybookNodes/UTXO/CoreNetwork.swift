import DaybookChains

/// By what a node of Dash or Axe shows of which chain and network it is.
///
/// All in which the two kinds of nodes differ for us, but for the words of their refusals.
struct CoreNetwork: Equatable, Sendable {
    /// The hash of the first block.
    let genesis: String
    /// The network's name in `getblockchaininfo`.
    let name: String
    /// Whether a node that says it is still loading blocks really is: a regtest node says so
    /// whenever its last block is old.
    let isLoadingBelievable: Bool

    /// What a node of a chain and network shows; nil for the sandbox, which no node serves.
    static func of(_ parameters: UTXOParameters) -> CoreNetwork? {
        let isDash = parameters.chain == .dash
        // As asserted in `src/chainparams.cpp` of Dash Core 21.1.1 and Axe Core 1.6.1.1.
        return switch parameters.network {
        case .sandbox: nil
        case .mainnet:
            CoreNetwork(
                genesis: isDash
                    ? "00000ffd590b1485b3caadc19b22e6379c733355108f107a430458cdf3407ab6"
                    : "00000c33631ca6f2f61368991ce2dc03306b5bb50bf7cede5cfbba6db38e52e6",
                name: "main", isLoadingBelievable: true)
        case .testnet:
            CoreNetwork(
                genesis: isDash
                    ? "00000bafbc94add76cb75e2ec92894837288a481e5c005f6563d91623bf8bc2c"
                    : "000005b709662e7bc5e89c71d3aba6c9d4623b4bbf44ac205caec55f4cefb483",
                name: "test", isLoadingBelievable: true)
        case .regtest:
            CoreNetwork(
                genesis: isDash
                    ? "000008ca1832a4baf228eb1553c03d3a2c8e02399550dd6ea8d65cec3ef23d2e"
                    : "2026b8850f3774a0536152ba868c4dcbde9aef5ffc28a5d23f76f80e9b46e565",
                name: "regtest", isLoadingBelievable: false)
        }
    }
}
