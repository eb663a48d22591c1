package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// What a node's refusal to take a transaction means for it.
package enum CoreRefusal: Equatable {
    /// The network will not take it, now or later; the node's code and text.
    case final(code: Int64, message: String)
    /// Its coins are spent or unknown: the network will not take it if the node knows of them.
    case withoutCoins(code: Int64, message: String)
    /// It may be taken later, or was: what stands against it, in our own words.
    case open(String)

    /// What no version of a node is known to say.
    package static let unclear = Self.open(NodeReason.unclear.rawValue)

    /// The refusal of a node that lacks a transaction whose coins are spent.
    ///
    /// A payment whose parent was lost too is taken once the parent is back.
    package static let withoutParent = Self.open(NodeReason.coinsUnknown.rawValue)

    /// The transactions that a node must have, or else its refusal of these bytes is open.
    package func parents(of bytes: Bytes) -> [TransactionID] {
        guard case .withoutCoins = self, let sent = try? UTXOTransaction.parse(bytes)
        else { return [] }
        return Set(sent.inputs.map(\.outpoint.txid)).sorted()
    }

    /// What is recorded of it.
    package var answer: BroadcastAnswered {
        switch self {
        case .final(let code, let message), .withoutCoins(let code, let message):
            BroadcastAnswered(answer: .refused, code: code, message: message)
        case .open(let words): BroadcastAnswered(answer: .unknown, message: words)
        }
    }

    /// The meaning of what `sendrawtransaction` failed with.
    init(_ failure: RPCFailure) {
        switch failure {
        case .unusable(let failure): self = .open(failure.reason.rawValue)
        case .node(let code, let message): self.init(code: code, message: message)
        }
    }

    /// The meaning of an error's code and text.
    package init(code: Int64, message: String) {
        switch NodeReason(coreText: message) {
        case let reason? where reason.isPassing: self = .open(reason.rawValue)
        case .coinsSpent where [-25, -26].contains(code):
            self = .withoutCoins(code: code, message: message)
        case let reason where Self.isFinal(code, reason):
            self = .final(code: code, message: message)
        default: self = .unclear
        }
    }

    /// A code says how much the node knows of what it refuses.
    private static func isFinal(_ code: Int64, _ reason: NodeReason?) -> Bool {
        switch code {
        case -22: true
        case -25: reason == .feeTooHigh
        case -26: reason != nil
        default: false
        }
    }
}
