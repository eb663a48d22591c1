package import DaybookChains

/// Why a node gave no usable answer.
package struct ChainFailure: Error, Equatable, Sendable {
    package let reason: Reason
    /// The failure, for people: one sentence in lower case without secrets.
    package let message: String
    /// The node that failed, where it is known.
    package var origin: Origin?
    /// The `Retry-After` of a busy server.
    package var retryAfterSeconds: Int?

    /// A node: its chain and its URL.
    package struct Origin: Equatable, Sendable {
        package let chainID: ChainID
        /// The node's address, without user and password.
        package let url: String

        package init(chainID: ChainID, url: String) {
            self.chainID = chainID
            self.url = url
        }
    }

    /// The kind of failure; the log records the raw value.
    package enum Reason: String, Sendable, CaseIterable {
        /// No node is set up for the chain and network.
        case noNode = "no node"
        /// No connection: nothing listens, the host is unknown, or there is no route.
        case unreachable
        /// No connection through the proxy, to itself or from it to the node.
        case proxy
        /// No answer within the time limit, or the connection was closed before a whole answer.
        case noAnswer = "no answer"
        /// The certificate can't be trusted.
        case certificate
        /// User or password is wrong or missing (401, 403).
        case wrongPassword = "wrong password"
        /// There is no JSON-RPC at this path (404, 405).
        case wrongPath = "wrong path"
        /// The server redirects, which is never followed.
        case redirect
        /// The node is starting (-28).
        case warmingUp = "warming up"
        /// The node is overloaded or stopping (503).
        case busy
        /// The node has not caught up with its network.
        case syncing
        /// The node is of another chain or network.
        case wrongChain = "wrong chain"
        /// The node has no address index.
        case noAddressIndex = "no address index"
        /// The node has no transaction index.
        case noTransactionIndex = "no transaction index"
        /// The node lacks a transaction whose bytes are needed.
        case missingTransaction = "missing transaction"
        /// The node reports one of our coins as spent without a valid signature of its key.
        case unprovenSpend = "unproven spend"
        /// The node contradicts another node of the same chain.
        case contradiction
        /// The node leaves out of a list what it has.
        case omission
        /// The node does not know a method, or this user may not call it.
        case unknownCall = "unknown call"
        /// The answer is longer than the limit.
        case tooLong = "too long"
        /// The answer is not JSON, does not belong to the call, or contradicts itself.
        case invalidAnswer = "invalid answer"
        /// The query as a whole took too long.
        case tooSlow = "too slow"
        /// A new block arrived during every attempt to scan the chain.
        case unsettled
        /// This computer's clock and the node's differ.
        case clock
        /// The node refuses, in its own words.
        case refused
    }

    package init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }
}

extension ChainFailure.Reason {
    /// The user's remedy: one sentence in lower case.
    package var advice: String {
        switch self {
        case .noNode: "name a node with `daybook node set`"
        case .unreachable: "check the address and port, and that the node runs"
        case .proxy:
            "check that the proxy runs, its address and password, and the node's address"
        case .noAnswer: "check the address, and that the node is not overloaded"
        case .certificate:
            "check the host's name and the certificate's dates, or name its issuer with --ca-file"
        case .wrongPassword: "set user and password with --user and --password-file"
        case .wrongPath:
            "Dash and Axe answer at /, ICON at /api/v3: check the address"
        case .redirect: "name the address that answers itself"
        case .warmingUp: "wait until the node has started"
        case .busy: "wait, or raise the node's -rpcworkqueue"
        case .syncing: "wait until the node has caught up with its network"
        case .wrongChain: "name a node of the network that was asked for"
        case .noAddressIndex: "set addressindex=1 in the node's settings and start it with -reindex"
        case .noTransactionIndex: "set txindex=1 in the node's settings and start it with -reindex"
        case .missingTransaction:
            "wait until the node has caught up with its network, or name another node"
        case .unprovenSpend: "do not pay by this node, which lies or is broken: name another one"
        case .contradiction:
            "ask again in a while; while they differ, one of the two can't be relied on"
        case .omission:
            "sync again; if it happens again, name another node, or start this one with -reindex"
        case .unknownCall: "let the RPC user make the calls that docs/NODES.md lists"
        case .tooLong, .invalidAnswer:
            "check that the address is the node's own and no other service's"
        case .tooSlow: "ask again, or name a node that is nearer or less busy"
        case .unsettled: "try again"
        case .clock: "set this computer's clock"
        case .refused: "see the node's own log"
        }
    }
}
