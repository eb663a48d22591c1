package import DaybookChains

/// A node's no: a JSON-RPC error's code and text, as Dash Core 21.1.1 or Axe Core 1.6.1.1 has it.
package struct UTXORefusal: Error, Hashable, Sendable {
    /// The JSON-RPC error's code.
    package let code: Int
    /// The JSON-RPC error's text.
    package let message: String

    /// A refusal with any code and text.
    package init(code: Int, message: String) {
        self.code = code
        self.message = message
    }
}

/// What comes back when a transaction is sent.
package enum UTXOAnswer: Hashable, Sendable {
    /// It is in the mempool.
    case accepted(TransactionID)
    /// It is not.
    case refused(UTXORefusal)
    /// No answer comes; the transaction may be in the mempool all the same.
    case silence
}

/// What is wrong with a transaction, and how each node says it: all differences are here.
enum UTXOFault: Error, Hashable {
    case undecodable
    case alreadyInBlock
    case missingInputs
    case feeAboveGuard
    /// A rule by its name in the nodes' source, with what Dash adds in words.
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

/// What a chain knows of a transaction.
package enum UTXOStatus: Hashable, Sendable {
    /// Nothing.
    case unknown
    /// It waits for a block.
    case inMempool(isLocked: Bool)
    /// It is in the block of a height.
    case inBlock(height: Int, isLocked: Bool)

    /// The height of its block.
    package var height: Int? {
        if case .inBlock(let height, _) = self { height } else { nil }
    }
}
