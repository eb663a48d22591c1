import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// ICONex Connect's second form: `iconex://bind?data=…` and `iconex://JSON-RPC?data=…`.
///
/// It is newer than the documented form and shares only the scheme with it: the return address is
/// in the data (`redirect`), the codes differ, and success is 0.
package struct ConnectJSONRPC: LinkProtocol {
    package let id = "iconex-2"
    package let family = "iconex"

    package init() {}

    package func canParse(_ text: Bytes) -> Bool {
        ConnectForm(text) == .jsonRPC
    }

    package func parse(_ text: Bytes, by rules: Rules) -> LinkReading {
        guard text.count <= rules.limits.link else {
            return .refused(Refusal(.linkTooLong), caller: nil, reference: nil)
        }
        let split = ConnectItems(text)
        guard let items = split, items.fault == nil else {
            return .refused(
                Refusal(.malformedLink, parameter: split?.fault), caller: nil, reference: nil)
        }
        var caller: Caller?
        do throws(Refusal) {
            let message = try items.object("data")
            let answered = try Self.caller(message)
            caller = answered
            let isBind = items.hasHost("bind")
            let action = isBind ? .bind : try Self.transaction(message)
            return .request(Request(link: id, chain: .icon, action: action, caller: answered))
        } catch {
            return .refused(error, caller: caller, reference: nil)
        }
    }

    package func code(of refusal: Refusal) -> Int? {
        ConnectJSONRPCCode(refusal)?.rawValue
    }

    package func callback(
        _ reply: Reply, to caller: Caller, reference: Int64?, by rules: Rules
    ) -> String? {
        switch reply {
        case .bound(let result), .transactionHash(let result):
            let code = ConnectJSONRPCCode.success
            return Self.answer(caller, code, message: "Success", result: result)
        case .refused(let refusal):
            guard let code = ConnectJSONRPCCode(refusal) else { return nil }
            return Self.answer(caller, code, message: code.text(for: refusal), result: nil)
        case .paid, .proof, .address, .masterPublicKey, .signature:
            return nil
        }
    }
}

extension ConnectJSONRPC {
    private static func caller(_ message: JSON) throws(Refusal) -> Caller {
        guard let redirect = message["redirect"] else {
            throw Refusal(.missingCaller, parameter: "redirect")
        }
        guard let address = redirect.stringValue, let caller = Caller(returnAddress: address) else {
            throw Refusal(.invalidCaller, parameter: "redirect")
        }
        return caller
    }

    private static func transaction(_ message: JSON) throws(Refusal) -> Action {
        guard let payload = message["payload"] else {
            throw Refusal(.missingParameter, parameter: "payload")
        }
        guard payload["method"]?.stringValue == "icx_sendTransaction" else {
            throw Refusal(.unknownMethod, parameter: "method")
        }
        return try ConnectParameters(payload["params"]).sendTransaction()
    }

    private static func answer(
        _ caller: Caller, _ code: ConnectJSONRPCCode, message: String, result: String?
    ) -> String {
        var members = [
            JSON.Member(name: "code", value: .number(String(code.rawValue))),
            JSON.Member(name: "message", value: .string(message)),
        ]
        if let result { members.append(JSON.Member(name: "result", value: .string(result))) }
        return ConnectAnswer.url(caller, .object(members))
    }
}

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
            .notAToken, .stepLimitTooLow:
            self = .invalidParameter
        case .signingFailed: self = .signingFailed
        case .chainUnavailable, .refusedByNode, .clockOff, .failedOnChain: self = .unspecified
        case .missingCaller, .invalidCaller, .proofUnavailable, .unsupportedScheme,
            .unknownRequiredKey,
            .paymentProtocolUnsupported, .amountTooPrecise, .amountTooLarge, .dust,
            .unknownAccount, .instantSendUnavailable, .transactionTooLarge, .unknownRequest,
            .alreadyDecided, .promptChanged, .amountMissing, .amountFixed, .wrongWallet,
            .walletLocked, .earlierAttemptOpen,
            .coinUnavailable, .coinsFixed, .senderBlocked, .tooManyFromSender, .tooManyRequests,
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

    /// The parameter's name, without what is wrong with it: callers read this text.
    private static func named(_ refusal: Refusal) -> String {
        refusal.parameter.map { " ('\($0.prefix { $0 != ":" })')" } ?? ""
    }
}
