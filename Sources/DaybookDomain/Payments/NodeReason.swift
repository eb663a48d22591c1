package import DaybookEncoding

/// Why a node did not accept a transaction, whatever words the node uses for it.
///
/// The raw value is recorded in the log if the transaction may be accepted later.
package enum NodeReason: String, CaseIterable, Sendable {
    // These can pass, with time, new blocks or more funds.
    case feeTooLow = "fee too low"
    case feeBelowRelay = "fee below the relay fee"
    case mempoolFull = "mempool full"
    case tooManyUnconfirmed = "too many unconfirmed parents"
    case mempoolConflict = "coins spent in the mempool"
    case coinsUnknown = "coins not known yet"
    case notFinal = "not yet final"
    case immatureCoins = "immature coins"
    case noAnswer = "no answer"
    case unclear = "not taken"

    // These are permanent.
    case coinsSpent = "coins spent"
    case feeTooHigh = "fee too high"
    case dust
    case tooOld = "too old"
    case tooEarly = "too early"
    case insufficientBalance = "insufficient balance"
    case tooFewSteps = "too few steps"
    case wrongNetwork = "wrong network"
    case badSignature = "bad signature"
    case invalid

    /// The stable name that other programs see, such as `feeTooLow`.
    package var name: String { "\(self)" }

    /// Whether the same transaction may be accepted later.
    package var isPassing: Bool {
        switch self {
        case .feeTooLow, .feeBelowRelay, .mempoolFull, .tooManyUnconfirmed, .mempoolConflict,
            .coinsUnknown, .notFinal, .immatureCoins, .noAnswer, .unclear:
            true
        default: false
        }
    }
}

// MARK: - Reject texts of nodes

extension NodeReason {
    /// The meaning of a reject text of Dash Core or Axe Core; nil if it is not known.
    ///
    /// `coinsSpent` also covers unknown coins, because the text is the same for both.
    package init?(coreText text: String) {
        let cause = Self.cause(of: text)
        if let reason = Self.core[cause] {
            self = reason
        } else if cause.hasPrefix("bad-txns-") || Self.coreFaults.contains(cause) {
            self = .invalid
        } else {
            return nil
        }
    }

    /// The meaning of an error number of goloop, as in `SystemError: E2002:Expired`.
    package init?(goloopFault number: Int) {
        guard let reason = Self.goloop[number] else { return nil }
        self = reason
    }

    /// The meaning of a recorded answer; nil if the node accepted the transaction.
    package init?(_ recorded: BroadcastAnswered) {
        switch recorded.answer {
        case .accepted: return nil
        case .unknown:
            // Any other message says why the node did not answer.
            self = recorded.message.flatMap { NodeReason(rawValue: $0) } ?? .noAnswer
        case .refused:
            let text = recorded.message ?? ""
            let known =
                Self.goloopFault(in: text).flatMap { NodeReason(goloopFault: $0) }
                ?? NodeReason(coreText: text)
            if let known, !known.isPassing {
                self = known
            } else {
                self = recorded.refusal == .insufficientBalance ? .insufficientBalance : .invalid
            }
        }
    }

    private static let core: [String: NodeReason] = [
        "min relay fee not met": .feeBelowRelay, "mempool min fee not met": .feeTooLow,
        "mempool full": .mempoolFull, "too-long-mempool-chain": .tooManyUnconfirmed,
        "non-final": .notFinal, "non-BIP68-final": .notFinal,
        "bad-txns-premature-spend-of-coinbase": .immatureCoins,
        // An unconfirmed conflicting transaction can be dropped, and then this one can be mined.
        "txn-mempool-conflict": .mempoolConflict,
        "bad-txns-inputs-missingorspent": .coinsSpent, "Missing inputs": .coinsSpent,
        "Fee exceeds maximum configured by user": .feeTooHigh, "absurdly-high-fee": .feeTooHigh,
        "dust": .dust,
        "mandatory-script-verify-flag-failed": .badSignature,
        "non-mandatory-script-verify-flag": .badSignature,
    ]

    /// Further permanent faults of a transaction.
    private static let coreFaults: Set<String> = [
        "bare-multisig", "coinbase", "multi-op-return", "scriptpubkey", "scriptsig-not-pushonly",
        "scriptsig-size", "tx-size", "tx-size-small", "tx-txlock-conflict", "version",
    ]

    private static let goloop: [Int: NodeReason] = [
        1006: .wrongNetwork, 2001: .mempoolFull, 2002: .tooOld, 2003: .tooEarly, 2005: .invalid,
        2105: .tooFewSteps, 2106: .insufficientBalance,
    ]

    /// The text without the number that Axe puts in front, and without its explanation.
    private static func cause(of message: String) -> String {
        var cause = message[...]
        let digits = cause.prefix { $0.isASCII && $0.isNumber }
        if !digits.isEmpty, cause.dropFirst(digits.count).hasPrefix(": ") {
            cause = cause.dropFirst(digits.count + 2)
        }
        cause = cause.prefix { $0 != "," }
        let explanation = cause.indices.first { cause[$0...].hasPrefix(" (") }
        return String(explanation.map { cause[..<$0] } ?? cause)
    }

    /// The error number at the beginning of a text of goloop.
    package static func goloopFault(in text: String) -> Int? {
        let prefix = "SystemError: E"
        guard text.utf8.starts(with: prefix.utf8) else { return nil }
        let digits = text.utf8.dropFirst(prefix.utf8.count).prefix { $0 != UInt8(ascii: ":") }
        guard digits.count == 4 else { return nil }
        return Int(String(decoding: Bytes(digits), as: UTF8.self))
    }
}

// MARK: - Texts for users

extension NodeReason {
    /// The reason in one clause. It contains no text of the node's.
    package var sentence: String {
        switch self {
        case .feeTooLow: "its fee is below what the node's mempool takes now"
        case .feeBelowRelay: "its fee is below the least that the node relays"
        case .mempoolFull: "the node's mempool is full"
        case .tooManyUnconfirmed:
            "it is in a chain of too many unconfirmed transactions"
        case .mempoolConflict: "another unconfirmed transaction spends the same coins"
        case .coinsUnknown: "the node does not know its coins yet"
        case .notFinal: "its lock time has not come yet"
        case .immatureCoins: "it spends coins of a block reward that are not mature yet"
        case .noAnswer: "no node has confirmed that it accepted it"
        case .unclear: "the node did not accept it, for a reason that is not known"
        case .coinsSpent: "its coins are spent by another transaction"
        case .feeTooHigh: "its fee is higher than the node accepts"
        case .dust: "it pays an amount below the dust limit"
        case .tooOld: "it has expired: nodes accept an ICON transaction for five minutes"
        case .tooEarly: "its timestamp is ahead of the node's clock"
        case .insufficientBalance: "the account's balance does not cover its amount and fee"
        case .tooFewSteps: "its step limit is below the least that it can cost"
        case .wrongNetwork: "it belongs to another network"
        case .badSignature: "its signature is not valid for the node"
        case .invalid: "it violates the network's rules"
        }
    }

    /// The user's remedy for a transaction that was not accepted for this reason.
    package func advice(for id: RequestID, canBeCancelled: Bool) -> String {
        let cancel = canBeCancelled ? "; or cancel it: daybook cancel \(id)" : ""
        switch self {
        case .feeTooLow, .mempoolFull:
            return "wait until the network is less busy\(cancel)"
        case .feeBelowRelay:
            return canBeCancelled
                ? "cancel it, and pay again with today's fee: daybook cancel \(id)"
                : "wait until a node relays it"
        case .tooManyUnconfirmed:
            return "wait for a block: the next sync after it sends the same again"
        case .mempoolConflict:
            return "wait for a block: it can hold only one of the two, and sync shows which"
        case .coinsUnknown:
            return "wait until the node has the transaction that brought the coins\(cancel)"
        case .notFinal, .immatureCoins: return "wait for more blocks"
        case .noAnswer:
            return "check the node with daybook node check; the next sync sends the same again"
        case .unclear: return "wait: the next sync sends the same again\(cancel)"
        case .coinsSpent:
            return "pay again: these coins were spent with the same keys elsewhere"
        case .feeTooHigh: return "pay again with a lower fee, or raise the node's -maxtxfee"
        case .dust: return "pay a larger amount"
        case .tooOld: return "ask for it again, and approve at once"
        case .tooEarly: return "set this computer's clock, or the node's"
        case .insufficientBalance: return "fund the account, then pay again"
        case .tooFewSteps: return "ask for it again with a higher step limit"
        case .wrongNetwork:
            return "name a node of the wallet's network: daybook node set CHAIN NETWORK URL"
        case .badSignature, .invalid:
            return "see what the node said: daybook log --request \(id)"
        }
    }
}
