/// A client of a real node, which can say how it stands.
package protocol NodeClient: ChainClient {
    /// Whether the node can serve a wallet: of the right network, caught up, with its indexes.
    ///
    /// What is missing is thrown, each by its own reason.
    func check() async throws(ChainFailure) -> NodeStanding
}
