package import DaybookChains

/// A JSON-RPC error as Dash Core 21.1.1 or Axe Core 1.6.1.1 has it.
package struct UTXORefusal: Error, Hashable, Sendable {
    package let code: Int
    package let message: String

    package init(code: Int, message: String) {
        self.code = code
        self.message = message
    }
}

/// The answer to a transaction that was sent.
package enum UTXOAnswer: Hashable, Sendable {
    /// The transaction is in the mempool.
    case accepted(TransactionID)
    case refused(UTXORefusal)
    /// No answer arrives; the transaction may be in the mempool all the same.
    case silence
}

/// A broken rule, with the different errors of the two nodes for it.
enum UTXOFault: Error, Hashable {
    case undecodable
    case alreadyInBlock
    case missingInputs
    case feeAboveGuard
    /// A rule by its name in the nodes' source, with the detail that Dash adds.
    case rule(String, Severity, detail: String? = nil)
    case script(ScriptFailure)

    /// The number that Axe, as older nodes did, puts before a rule's name.
    enum Severity: Int {
        case invalid = 16
        case duplicate = 18
        case nonstandard = 64
        case insufficientFee = 66
        case highFee = 256
    }

    func refusal(on chain: Chain) -> UTXORefusal {
        switch self {
        case .undecodable:
            .of(chain, code: -22,
                dash: "TX decode failed. Make sure the tx has at least one input.",
                axe: "TX decode failed")
        case .alreadyInBlock:
            .of(chain, code: -27,
                dash: "Transaction already in block chain",
                axe: "transaction already in block chain")
        case .missingInputs:
            .of(chain, code: -25,
                dash: "bad-txns-inputs-missingorspent",
                axe: "Missing inputs")
        case .feeAboveGuard where chain == .axe:
            Self.rule("absurdly-high-fee", .highFee).refusal(on: chain)
        case .feeAboveGuard:
            UTXORefusal(
                code: -25,
                message: "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)")
        case .rule(let name, let severity, let detail):
            .of(chain, code: -26,
                dash: detail.map { "\(name), \($0)" } ?? name,
                axe: "\(severity.rawValue): \(name)")
        case .script(let failure) where failure.reason == .unsupported:
            Self.rule("bad-txns-nonstandard-inputs", .nonstandard).refusal(on: chain)
        case .script(let failure) where failure.isMandatory:
            Self.rule(
                "mandatory-script-verify-flag-failed (\(failure.reason.rawValue))", .invalid
            ).refusal(on: chain)
        case .script(let failure):
            Self.rule(
                "non-mandatory-script-verify-flag (\(failure.reason.rawValue))", .nonstandard
            ).refusal(on: chain)
        }
    }
}

extension UTXORefusal {
    fileprivate static func of(
        _ chain: Chain, code: Int, dash: String, axe: String
    ) -> UTXORefusal {
        UTXORefusal(code: code, message: chain == .axe ? axe : dash)
    }
}

/// The status of a transaction on the sandbox chain.
package enum UTXOStatus: Hashable, Sendable {
    case unknown
    case inMempool(isLocked: Bool)
    case inBlock(height: Int, isLocked: Bool)

    /// The height of its block; nil if it has none.
    package var height: Int? {
        if case .inBlock(let height, _) = self { height } else { nil }
    }
}
