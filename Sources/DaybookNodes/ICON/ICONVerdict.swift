import DaybookDomain
import DaybookEncoding

/// What a node's no to a transaction comes to.
enum ICONVerdict: Equatable, Sendable {
    /// The node has the transaction already, in its pool or in a block.
    case isThere
    /// No node that follows the rules will take it.
    case final
    /// As `final`: its time is too far from the node's.
    case wrongTime
    /// As `final`: the account does not hold what it moves and costs.
    case insufficientBalance
    /// The same bytes may still be taken; why not now.
    case open(ChainFailure.Reason)

    /// The verdict of an error's code and text.
    ///
    /// goloop counts its own faults in the text of one code, as in `SystemError: E2005:…`; T-Bears
    /// has codes of its own, of which two stand for several things that the text tells apart.
    init(code: Int64, message: String) {
        switch code {
        case -31000: self.init(systemError: message)
        case -32602: self = .final
        case -32600 where message == "fail tx invalid duplicated hash": self = .isThere
        case -32600 where message.hasPrefix("fail tx invalid "): self = .final
        case -32011: self = .insufficientBalance
        case -32005: self = .final
        case -31001, -31005: self = .open(.busy)
        case -31006, -31007: self = .open(.noAnswer)
        default: self = .open(.refused)
        }
    }

    private init(systemError message: String) {
        let fault = NodeReason.goloopFault(in: message)
        switch fault {
        case 2000, 2011:
            self = .isThere
            return
        default: break
        }
        switch fault.flatMap({ NodeReason(goloopFault: $0) }) {
        case .tooOld, .tooEarly: self = .wrongTime
        case .insufficientBalance: self = .insufficientBalance
        case .wrongNetwork, .invalid, .tooFewSteps: self = .final
        case .mempoolFull: self = .open(.busy)
        default: self = .open(.refused)
        }
    }
}
