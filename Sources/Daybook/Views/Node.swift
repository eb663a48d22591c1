/// A node that a store asks about a chain and network.
public struct Node: Equatable, Sendable {
    /// The chain that it serves.
    public let chain: ChainName
    /// The network of the chain.
    public let network: NetworkName
    /// Where it answers JSON-RPC calls.
    public let url: String
    /// ICON: where it estimates the steps of a transaction, if that is told.
    public let debugURL: String?
    /// The absolute path of a PEM file of issuers to trust, in place of the system's.
    public let certificates: String?

    /// Whether user, password and addresses travel readable by others.
    public var isReadableByOthers: Bool {
        [url, debugURL].contains { text in
            guard let address = text.flatMap({ try? NodeURL(parsing: $0) }) else { return false }
            return !address.isEncrypted && !address.isLoopback
        }
    }
}

/// What is wrong with the node of a chain and network.
public struct NodeProblem: Equatable, Sendable {
    /// The chain that was asked about.
    public let chain: ChainName
    /// The network of the chain.
    public let network: NetworkName
    /// The stable name, one of `DaybookError`'s codes.
    public let code: String
    /// The address of the node that was asked; nil where none was.
    public let url: String?
    /// What happened, in one sentence in lower case.
    public let message: String
    /// What can be done about it, in one sentence in lower case, where the message does not say.
    public let advice: String?

    let kind: DaybookError.Kind
}

/// How a node stands: the height of its highest block, or what is wrong with it.
public struct NodeStatus: Equatable, Sendable {
    /// The node that was asked.
    public let node: Node
    /// The height of its highest block; nil where there is a problem.
    public let tip: UInt64?
    /// What is wrong; nil where it can serve a wallet.
    public let problem: NodeProblem?
    /// What else is worth knowing, each in one sentence in lower case.
    public let notes: [String]

    /// Whether the node can serve a wallet.
    public var isOK: Bool { problem == nil }
}
