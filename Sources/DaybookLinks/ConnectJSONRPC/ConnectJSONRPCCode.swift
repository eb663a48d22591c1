import DaybookDomain

/// The codes of Connect's second form: its document's, and the app's where the document has none.
enum ConnectJSONRPCCode: Int {
    case success = 0
    case canceled = -1
    case noData = -1001
    case invalidBase64 = -1002
    case invalidCommand = -1003
    case invalidJSON = -1004
    case noWallet = -2000
    case missingParameter = -2002
    case walletNotFound = -3000
    case sameAddress = -3002
    case insufficientBalance = -3003
    case insufficientFee = -3004
    case invalidParameter = -3005
    case signingFailed = -4001
    case unspecified = -9999

    /// The code for a refusal; nil if there is no return address, or no request can get it.
    init?(_ refusal: Refusal) {
        switch refusal.code {
        case .rejectedByUser, .expired: self = .canceled
        case .undecodable: self = refusal.parameter == "json" ? .invalidJSON : .invalidBase64
        case .invalidRequest, .malformedLink, .duplicateKey, .linkTooLong, .privateKeyInLink:
            self = .noData
        case .unknownMethod: self = .invalidCommand
        case .noWallet: self = .noWallet
        case .missingParameter: self = .missingParameter
        case .walletNotFound: self = .walletNotFound
        case .sameAddress: self = .sameAddress
        case .insufficientBalance: self = .insufficientBalance
        case .insufficientFee: self = .insufficientFee
        case .invalidParameter, .invalidAddress, .invalidAmount, .wrongNetwork, .cannotBeShown,
            .notAToken:
            self = .invalidParameter
        case .signingFailed: self = .signingFailed
        case .chainUnavailable, .refusedByNode, .clockOff: self = .unspecified
        case .missingCaller, .invalidCaller, .proofUnavailable, .unsupportedScheme,
            .unknownRequiredKey,
            .paymentProtocolUnsupported, .amountTooPrecise, .amountTooLarge, .dust,
            .unknownAccount, .instantSendUnavailable, .transactionTooLarge, .unknownRequest,
            .alreadyDecided, .promptChanged, .amountMissing, .amountFixed, .wrongWallet,
            .walletLocked, .earlierAttemptOpen,
            .senderBlocked, .tooManyFromSender, .tooManyRequests,
            .noPayment, .notOnICON, .notSent, .alreadySent, .alreadyConfirmed, .alreadyBumped,
            .alreadyCancelled, .isCancellation, .noOwnOutput, .outputSpent, .outputTooSmall,
            .coinsGone, .feeTooHigh, .tooManyAncestors, .cancelled, .cancelledAfterAnswer:
            return nil
        }
    }

    /// The text of the answer's `message`.
    func text(for refusal: Refusal) -> String {
        switch self {
        case .success: "Success"
        case .canceled: "Operation canceled by user."
        case .noData: "Invalid request. Could not find data."
        case .invalidBase64: "Invalid base64 encoded string."
        case .invalidCommand: "Invalid Command"
        case .invalidJSON: "Invalid JSON syntax."
        case .noWallet: "ICONex has no ICX wallet."
        case .walletNotFound: "Not found wallet" + (refusal.parameter.map { "(\($0))" } ?? "")
        case .missingParameter: "Not found parameter." + Self.named(refusal)
        case .sameAddress: "Sending and receiving address are same."
        case .insufficientBalance: "Insufficient balance."
        case .insufficientFee: "Insufficient balance for fee."
        case .invalidParameter: "Invalid parameter." + Self.named(refusal)
        case .signingFailed: "Failed to sign."
        case .unspecified: "Unspecified error"
        }
    }

    private static func named(_ refusal: Refusal) -> String {
        refusal.parameter.map { " ('\($0)')" } ?? ""
    }
}
