import DaybookDomain

/// The fourteen codes of ICONex Connect and the texts of its document, one misspelling corrected.
enum ConnectCode: Int, CaseIterable {
    case canceled = -1000
    case undecodable = -1001
    case invalidRequest = -1002
    case invalidMethod = -1003
    case missingCaller = -1004
    case noWallet = -2001
    case missingParameter = -2002
    case walletNotFound = -3001
    case sameAddress = -3002
    case insufficientBalance = -3003
    case insufficientFee = -3004
    case invalidParameter = -3005
    case signingFailed = -4001
    case network = -9999

    /// The code of an answer that is no refusal.
    static let success = 1

    /// The code for a refusal; nil for a refusal that no ICONex Connect request can get.
    init?(_ refusal: Refusal) {
        switch refusal.code {
        case .rejectedByUser, .expired: self = .canceled
        case .undecodable: self = .undecodable
        case .invalidRequest, .malformedLink, .duplicateKey, .linkTooLong, .privateKeyInLink:
            self = .invalidRequest
        case .unknownMethod: self = .invalidMethod
        case .missingCaller, .invalidCaller: self = .missingCaller
        case .noWallet: self = .noWallet
        case .missingParameter: self = .missingParameter
        case .walletNotFound: self = .walletNotFound
        case .sameAddress: self = .sameAddress
        case .insufficientBalance: self = .insufficientBalance
        case .insufficientFee: self = .insufficientFee
        case .invalidParameter, .invalidAddress, .invalidAmount, .wrongNetwork, .cannotBeShown,
            .notAToken, .stepLimitTooLow:
            self = .invalidParameter
        case .signingFailed: self = .signingFailed
        case .chainUnavailable, .refusedByNode, .clockOff, .failedOnChain: self = .network
        case .unsupportedScheme, .unknownRequiredKey, .proofUnavailable,
            .paymentProtocolUnsupported,
            .amountTooPrecise, .amountTooLarge, .dust, .unknownAccount, .instantSendUnavailable,
            .transactionTooLarge, .unknownRequest, .alreadyDecided, .promptChanged,
            .amountMissing, .amountFixed, .wrongWallet, .walletLocked, .earlierAttemptOpen,
            .coinUnavailable, .coinsFixed, .senderBlocked, .tooManyFromSender, .tooManyRequests,
            .noPayment, .notOnICON, .notSent, .alreadySent, .alreadyConfirmed, .alreadyBumped,
            .alreadyCancelled, .isCancellation, .noOwnOutput, .outputSpent, .outputTooSmall,
            .coinsGone, .feeTooHigh, .tooManyAncestors, .cancelled, .cancelledAfterAnswer:
            return nil
        }
    }

    /// The text of the answer's `result`.
    func text(for refusal: Refusal, by rules: Rules) -> String {
        switch self {
        case .canceled: "Operation canceled by user."
        case .undecodable: "Parse error (Invalid JSON type)"
        case .invalidRequest: "Invalid request."
        case .invalidMethod: "Invalid method"
        case .missingCaller: "Not found caller."
        case .noWallet: "ICONex has no ICX wallet."
        case .missingParameter: "Not found parameter." + Self.named(refusal)
        case .walletNotFound: "Could not find matched wallet." + Self.named(refusal)
        case .sameAddress: "Sending and receiving address are same."
        case .insufficientBalance: "Insufficient balance."
        case .insufficientFee: "Insufficient balance for fee."
        case .invalidParameter: "Invalid parameter." + Self.named(refusal)
        case .signingFailed: "Failed to sign."
        case .network: "Somethings wrong with network (\(refusal.reason(by: rules)))"
        }
    }

    /// The parameter's name, without what is wrong with it: callers read this text.
    private static func named(_ refusal: Refusal) -> String {
        refusal.parameter.map { " ('\($0.prefix { $0 != ":" })')" } ?? ""
    }
}
