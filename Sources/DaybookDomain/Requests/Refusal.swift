/// A business no: why a request, a decision or a transaction can't go on.
package struct Refusal: Error, Equatable, Sendable {
    package let code: Code
    /// The parameter at fault: a key name of ours, or the checked address that no wallet has.
    ///
    /// Of `earlierAttemptOpen`, the time from which nodes take the earlier attempt no more.
    package let parameter: String?

    package init(_ code: Code, parameter: String? = nil) {
        self.code = code
        self.parameter = parameter
    }

    /// Stable names, as recorded and as the command line prints them.
    package enum Code: String, Sendable, CaseIterable {
        // The link's text.
        case linkTooLong, malformedLink, unsupportedScheme, unknownMethod
        case duplicateKey, unknownRequiredKey, missingParameter, invalidParameter
        case privateKeyInLink, paymentProtocolUnsupported
        case missingCaller, invalidCaller
        case invalidAddress, wrongNetwork
        case invalidAmount, amountTooPrecise, amountTooLarge, dust
        case undecodable, invalidRequest, cannotBeShown

        // The sender, the wallets and the chain.
        case senderBlocked, tooManyFromSender, tooManyRequests
        case noWallet, walletNotFound, unknownAccount, sameAddress
        case insufficientBalance, insufficientFee
        case instantSendUnavailable, transactionTooLarge, chainUnavailable

        // The user's decision.
        case rejectedByUser, expired
        case unknownRequest, alreadyDecided, promptChanged, amountMissing, amountFixed
        case wrongWallet, walletLocked, earlierAttemptOpen

        // The work.
        case signingFailed, refusedByNode, clockOff
    }
}

extension Refusal {
    /// One sentence in lower case for people; it carries no text of the caller's.
    package var reason: String {
        let words = Self.sentences[code] ?? code.rawValue
        return parameter.map { "\(words) ('\($0)')" } ?? words
    }

    private static let sentences: [Code: String] = [
        .linkTooLong: "the link is longer than a request may be",
        .malformedLink: "the link is malformed",
        .unsupportedScheme: "no wallet protocol has this scheme",
        .unknownMethod: "the request's method is unknown",
        .duplicateKey: "a key stands twice",
        .unknownRequiredKey: "a required key is not understood",
        .missingParameter: "a parameter is missing",
        .invalidParameter: "a parameter is invalid",
        .privateKeyInLink: "the link holds a private key or seed words",
        .paymentProtocolUnsupported: "payment requests fetched from a server are not supported",
        .missingCaller: "the link does not say whom to answer",
        .invalidCaller: "the link's return address is not allowed",
        .invalidAddress: "the address is invalid",
        .wrongNetwork: "the address belongs to another network than the wallets",
        .invalidAmount: "the amount is not a decimal number",
        .amountTooPrecise: "the amount has more than eight decimals",
        .amountTooLarge: "the amount is larger than all coins",
        .dust: "the amount is below the dust limit of 546 duffs",
        .undecodable: "the request's data can't be decoded",
        .invalidRequest: "the request lacks what every request needs",
        .cannotBeShown: "the request is more than a prompt can show whole",
        .senderBlocked: "the user blocked this sender",
        .tooManyFromSender: "too many requests of this sender wait already",
        .tooManyRequests: "too many requests wait already",
        .noWallet: "there is no wallet for this chain",
        .walletNotFound: "no wallet has the sending address",
        .unknownAccount: "no wallet has this account",
        .sameAddress: "sending and receiving address are the same",
        .insufficientBalance: "the balance does not cover the amount",
        .insufficientFee: "the balance does not cover the fee",
        .instantSendUnavailable: "no spendable coins can be locked by InstantSend",
        .transactionTooLarge: "the transaction would be larger than the network relays",
        .chainUnavailable: "the chain's node gave no usable answer",
        .rejectedByUser: "the user rejected the request",
        .expired: "the request has expired",
        .unknownRequest: "there is no such request",
        .alreadyDecided: "the request is no longer open",
        .promptChanged: "what was shown is no longer what would be done",
        .amountMissing: "the amount is for the user to enter",
        .amountFixed: "the request names its amount",
        .wrongWallet: "the wallet can't answer this request",
        .walletLocked: "the wallet was not unlocked",
        .earlierAttemptOpen: "an earlier attempt of this payment may still be executed",
        .signingFailed: "the wallet's key could not sign",
        .refusedByNode: "the node refused the transaction",
        .clockOff: "the node refused the transaction's time: this computer's clock is off",
    ]
}
