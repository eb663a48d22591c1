package import DaybookChains

/// Why a node gave no usable answer.
package struct ChainFailure: Error, Equatable, Sendable {
    /// What is wrong, by our own names.
    package let reason: Reason
    /// What happened, for people: one sentence in lower case without any secret.
    package let message: String
    /// Who was asked; nil where that is not known here.
    package var origin: Origin?
    /// When a server that is busy wants to be asked again.
    package var retryAfterSeconds: Int?

    /// The node that failed.
    package struct Origin: Equatable, Sendable {
        package let place: ChainID
        /// Its address, which has no user and no password in it.
        package let url: String

        package init(place: ChainID, url: String) {
            self.place = place
            self.url = url
        }
    }

    /// What can be wrong with a node; the raw value is what the log records.
    package enum Reason: String, Sendable, CaseIterable {
        /// No node is set up for the chain and network.
        case noNode = "no node"
        /// No connection came about: nothing listens, unknown host, no route.
        case unreachable
        /// No answer within the time limit, or the connection was closed before a whole answer.
        case noAnswer = "no answer"
        /// The certificate can't be trusted.
        case certificate
        /// User or password are wrong or missing (401, 403).
        case wrongPassword = "wrong password"
        /// The server has nothing at this path (404, 405), or no JSON-RPC.
        case wrongPath = "wrong path"
        /// The server sends us elsewhere, and we do not go.
        case redirect
        /// The node is starting (-28).
        case warmingUp = "warming up"
        /// The node has too much to do, or is stopping (503).
        case busy
        /// The node has not caught up with its chain.
        case syncing
        /// The node is of another chain or network.
        case wrongChain = "wrong chain"
        /// The node keeps no index of addresses.
        case noAddressIndex = "no address index"
        /// The node keeps no index of transactions.
        case noTransactionIndex = "no transaction index"
        /// The node does not have a transaction whose bytes are needed.
        case missingTransaction = "missing transaction"
        /// The node says that a coin of ours is spent, and no signature of its key shows it.
        case unprovenSpend = "unproven spend"
        /// The node and another one of the same chain can't both be right.
        case contradiction
        /// The node does not know a call that we need, or this user may not make it.
        case unknownCall = "unknown call"
        /// The answer is longer than any answer needs to be.
        case tooLong = "too long"
        /// The answer is no JSON, or no answer to what was asked, or contradicts itself.
        case invalidAnswer = "invalid answer"
        /// The node answers, but all that was to be asked took too long.
        case tooSlow = "too slow"
        /// The chain moved on under every attempt to look at it.
        case unsettled
        /// This computer's clock and the node's differ.
        case clock
        /// The node says no, in its own words.
        case refused
    }

    /// A failure of its parts.
    package init(_ reason: Reason, _ message: String) {
        self.reason = reason
        self.message = message
    }
}

extension ChainFailure.Reason {
    /// What a user can do about it: one sentence in lower case.
    package var advice: String {
        switch self {
        case .noNode: "name a node with `daybook node set`"
        case .unreachable: "check the address and port, and that the node runs"
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
            "approve again in a while; while they differ, one of the two can't be relied on"
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
