import DaybookChains

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
