package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// The meaning of a Dash Core or Axe Core node's refusal to accept a transaction.
package enum CoreRefusal: Equatable {
    /// The network will never accept the transaction; the node's code and text.
    case final(code: Int64, message: String)
    /// Its coins are spent or unknown; final only if the node has the parent transactions.
    case withoutCoins(code: Int64, message: String)
    /// The transaction may still be accepted, or was accepted before; the reason in our own words.
    case open(String)

    /// A text that no known version of a node has.
    package static let unclear = Self.open(NodeReason.unclear.rawValue)

    /// The refusal of a node that lacks a parent transaction.
    ///
    /// The payment is accepted once its parent has been sent again.
    package static let withoutParent = Self.open(NodeReason.coinsUnknown.rawValue)

    /// The parents that the node must have for its refusal of these bytes to be final.
    package func parents(of bytes: Bytes) -> [TransactionID] {
        guard case .withoutCoins = self, let sent = try? UTXOTransaction.parse(bytes)
        else { return [] }
        return Set(sent.inputs.map(\.outpoint.txid)).sorted()
    }

    /// The answer that is recorded for the refusal.
    package var answer: BroadcastAnswered {
        switch self {
        case .final(let code, let message), .withoutCoins(let code, let message):
            BroadcastAnswered(answer: .refused, code: code, message: message)
        case .open(let words): BroadcastAnswered(answer: .unknown, message: words)
        }
    }

    /// The meaning of a failed `sendrawtransaction`.
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

    /// Whether no node will accept the transaction, as far as code and reason show.
    private static func isFinal(_ code: Int64, _ reason: NodeReason?) -> Bool {
        switch code {
        case -22: true
        case -25: reason == .feeTooHigh
        case -26: reason != nil
        default: false
        }
    }
}

/// The answers by which a Dash Core or Axe Core node shows its chain and network.
///
/// Apart from the texts of refusals, these are the only differences between the two.
struct CoreNetwork: Equatable, Sendable {
    /// The hash of the first block.
    let genesis: String
    /// The network's name in `getblockchaininfo`.
    let name: String
    /// Whether `initialblockdownload` can be believed; regtest sets it when the tip is old.
    let isLoadingBelievable: Bool

    /// The answers for a chain and network; nil for the sandbox, which has no nodes.
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
