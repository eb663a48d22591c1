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
    package static let unclear = Self.open("not taken")

    /// The refusal of a node that lacks a transaction whose coins are spent.
    ///
    /// A payment whose parent was lost too is taken once the parent is back.
    package static let withoutParent = Self.open("coins not known yet")

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
        let cause = Self.cause(of: message)
        if let words = Self.passing[cause] {
            self = .open(words)
        } else if [-25, -26].contains(code), Self.missing.contains(cause) {
            self = .withoutCoins(code: code, message: message)
        } else if Self.isFinal(code, cause) {
            self = .final(code: code, message: message)
        } else {
            self = .unclear
        }
    }

    /// The text without the number that Axe puts before it, and without what explains it.
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

    /// What time or a fuller mempool can change, and our words for it.
    private static let passing = [
        "min relay fee not met": "fee too low", "mempool min fee not met": "fee too low",
        "mempool full": "mempool full", "too-long-mempool-chain": "too many unconfirmed parents",
        "non-final": "not yet final", "non-BIP68-final": "not yet final",
        "bad-txns-premature-spend-of-coinbase": "immature coins",
        // A rival that no block has can be forgotten, and then this one is mined after all.
        "txn-mempool-conflict": "coins spent in the mempool",
    ]

    private static let missing = ["bad-txns-inputs-missingorspent", "Missing inputs"]

    private static func isFinal(_ code: Int64, _ cause: String) -> Bool {
        switch code {
        case -22: true
        case -25: cause == "Fee exceeds maximum configured by user"
        case -26: cause.hasPrefix("bad-txns-") || faults.contains(cause)
        default: false
        }
    }

    /// What no time mends in a transaction.
    private static let faults: Set<String> = [
        "absurdly-high-fee", "bare-multisig", "coinbase", "dust",
        "mandatory-script-verify-flag-failed", "multi-op-return",
        "non-mandatory-script-verify-flag", "scriptpubkey", "scriptsig-not-pushonly",
        "scriptsig-size", "tx-size", "tx-size-small", "tx-txlock-conflict",
        "version",
    ]
}
