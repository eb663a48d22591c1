import DaybookChains
import DaybookEncoding

/// A refusal by the business rules: why a request, decision or transaction can't go on.
package struct Refusal: Error, Equatable, Sendable {
    package let code: Code
    /// The parameter at fault: a key's name, or the checked address that no wallet has.
    ///
    /// For `chainUnavailable`, what is wrong with the node, in our own words. For
    /// `earlierAttemptOpen`, the time when the earlier attempt expires. For `feeTooHigh`, what is
    /// asked for and what is paid at most. For `insufficientBalance` and `insufficientFee`, what
    /// holds coins that would be enough, and until when (`Shortage`). For `transactionTooLarge`,
    /// what can be paid at most. For `coinUnavailable`, the coin and what keeps it.
    package let parameter: String?

    package init(_ code: Code, parameter: String? = nil) {
        self.code = code
        self.parameter = parameter
    }

    /// Stable names, which the log records and the command line prints.
    package enum Code: String, Sendable, CaseIterable {
        // The link's text.
        case linkTooLong, malformedLink, unsupportedScheme, unknownMethod
        case duplicateKey, unknownRequiredKey, missingParameter, invalidParameter
        case privateKeyInLink, paymentProtocolUnsupported
        case missingCaller, invalidCaller, proofUnavailable
        case invalidAddress, wrongNetwork
        case invalidAmount, amountTooPrecise, amountTooLarge, dust
        case undecodable, invalidRequest, cannotBeShown

        // The sender, the wallets and the chain.
        case senderBlocked, tooManyFromSender, tooManyRequests
        case noWallet, walletNotFound, unknownAccount, sameAddress
        case insufficientBalance, insufficientFee
        case instantSendUnavailable, transactionTooLarge, chainUnavailable, notAToken
        case stepLimitTooLow

        // The user's decision.
        case rejectedByUser, expired
        case unknownRequest, alreadyDecided, promptChanged, amountMissing, amountFixed
        case wrongWallet, walletLocked, earlierAttemptOpen
        case coinUnavailable, coinsFixed

        // Bumping and cancelling.
        case noPayment, notOnICON, notSent, alreadySent, alreadyConfirmed
        case alreadyBumped, alreadyCancelled, isCancellation
        case noOwnOutput, outputSpent, outputTooSmall, coinsGone, feeTooHigh, tooManyAncestors
        case cancelled, cancelledAfterAnswer

        // The work.
        case signingFailed, refusedByNode, clockOff, failedOnChain
    }
}

extension Refusal {
    /// The reason in one sentence, in lower case. It contains no text of the caller's.
    ///
    /// It is that of the current engine; what is recorded has the reason of its session's engine.
    package var reason: String { reason(by: Engines.known.current) }

    /// The reason, as an engine words it.
    package func reason(by rules: Rules) -> String {
        let words = rules.sentences.refusals[code] ?? code.rawValue
        switch code {
        case .insufficientBalance, .insufficientFee, .transactionTooLarge, .feeTooHigh,
            .coinUnavailable:
            return parameter.map { "\(words): \($0)" } ?? words
        default: return parameter.map { "\(words) ('\($0)')" } ?? words
        }
    }

    /// The reason for a link of a protocol: an address that is invalid there is none of its chain.
    package func reason(inLink link: String?) -> String {
        // A protocol has the name of its chain, or one that begins with it.
        let chain = Chain.allCases.first { link?.hasPrefix($0.rawValue) ?? false }
        guard code == .invalidAddress, let name = chain?.rawValue else { return reason }
        let fault = parameter.map { ": \($0)" } ?? ""
        let title = name.prefix(1).uppercased() + name.dropFirst()
        return "the address is no address of \(title)\(fault)"
    }

    /// The reasons of engine 10.
    static let sentences: [Code: String] = [
        .linkTooLong: "the link is longer than a request may be",
        .malformedLink: "the link is malformed",
        .unsupportedScheme: "no wallet protocol has this scheme",
        .unknownMethod: "the request's method is unknown",
        .duplicateKey: "a key occurs twice",
        .unknownRequiredKey: "a required key is unknown",
        .missingParameter: "a parameter is missing",
        .invalidParameter: "a parameter is invalid",
        .privateKeyInLink: "the link holds a private key or seed words",
        .paymentProtocolUnsupported: "payment requests fetched from a server are not supported",
        .missingCaller: "the link does not name a caller to answer",
        .invalidCaller: "the link's return address is not allowed",
        .proofUnavailable: "the proof of payment that the link requires can't be sent",
        .invalidAddress: "the address is invalid",
        .wrongNetwork: "the address belongs to another network than the wallets",
        .invalidAmount: "the amount is not a decimal number",
        .amountTooPrecise: "the amount has more than eight decimals",
        .amountTooLarge: "the amount is larger than all coins",
        .dust: "the amount is below the dust limit of 546 duffs",
        .undecodable: "the request's data can't be decoded",
        .invalidRequest: "a field that every request needs is missing or can't be read",
        .cannotBeShown: "the request is more than a prompt can show whole",
        .senderBlocked: "the user blocked this sender",
        .tooManyFromSender: "too many requests of this sender are waiting",
        .tooManyRequests: "too many requests are waiting",
        .noWallet: "there is no wallet for this chain",
        .walletNotFound: "no wallet has the sending address",
        .unknownAccount: "no wallet has this account",
        .sameAddress: "sending and receiving address are the same",
        .insufficientBalance: "the balance does not cover the amount",
        .insufficientFee: "the balance does not cover the fee",
        .instantSendUnavailable: "no spendable coins can be locked by InstantSend",
        .transactionTooLarge: "the transaction would be larger than the network relays",
        .chainUnavailable: "the chain's node gave no usable answer",
        .notAToken: "the contract at this address tells no decimals, as a token's contract does",
        .stepLimitTooLow: "the step limit is below the least that the network takes",
        .rejectedByUser: "the user rejected the request",
        .expired: "the request has expired",
        .unknownRequest: "there is no such request",
        .alreadyDecided: "the request is no longer open",
        .promptChanged: "the prompt has changed since it was shown",
        .amountMissing: "the user has to enter the amount",
        .amountFixed: "the request fixes the amount",
        .wrongWallet: "the wallet can't answer this request",
        .walletLocked: "the wallet was not unlocked",
        .earlierAttemptOpen: "an earlier attempt of this payment may still be executed",
        .coinUnavailable: "a named coin can't be spent",
        .coinsFixed: "the request leaves no choice of coins",
        .noPayment: "the request has no payment in flight",
        .notOnICON: "an ICON transaction that no block takes within minutes expires by itself",
        .notSent: "no node has taken the payment, so that no child can help it: cancel it or wait",
        .alreadySent: "a node has the payment, and the network replaces none: bump it or wait",
        .alreadyConfirmed: "a block has the payment",
        .alreadyBumped: "a bump of the payment pays as much as the node asks for",
        .alreadyCancelled: "the payment is being cancelled, or is cancelled already",
        .isCancellation: "the request cancels a payment itself",
        .noOwnOutput: "the payment has no output of the wallet's that could be spent",
        .outputSpent: "a later request spends the payment's output: bump that one",
        .outputTooSmall: "the payment's output does not cover the fee",
        .coinsGone: "none of the payment's coins can be spent any more",
        .feeTooHigh: "the fee is higher than may be paid",
        .tooManyAncestors:
            "nodes take no more payments in a row that no block has: wait for a block",
        .cancelled: "its user cancelled the payment, of which no caller was told",
        .cancelledAfterAnswer:
            "its user cancelled the payment after its caller was told of it",
        .signingFailed: "the wallet's key could not sign",
        .refusedByNode: "the node refused the transaction",
        .clockOff: "the node refused the transaction's time: this computer's clock is off",
        .failedOnChain: "a block has the transaction, but it was executed without success",
    ]
}

extension Refusal: Recorded {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        code = try coder.field("code", value?.code)
        parameter = try coder.optional("parameter", value?.parameter)
    }
}
