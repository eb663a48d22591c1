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
        switch Self.number(in: message) {
        case 2000, 2011: self = .isThere
        case 2002, 2003: self = .wrongTime
        case 2106: self = .insufficientBalance
        case 1006, 2005, 2105: self = .final
        case 2001: self = .open(.busy)
        default: self = .open(.refused)
        }
    }

    /// The number of the fault that a text begins with.
    private static func number(in message: String) -> Int? {
        let prefix = "SystemError: E"
        guard message.utf8.starts(with: prefix.utf8) else { return nil }
        let digits = message.utf8.dropFirst(prefix.utf8.count).prefix { $0 != UInt8(ascii: ":") }
        guard digits.count == 4 else { return nil }
        return Int(String(decoding: Bytes(digits), as: UTF8.self))
    }
}
