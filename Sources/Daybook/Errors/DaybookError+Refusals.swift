// The codes of refusals, as `docs/EVENTS.md` lists them: business noes, which the log records.

extension DaybookError.Code {
    /// The link is longer than a request may be.
    public static let linkTooLong = Self("linkTooLong")
    /// The link is malformed.
    public static let malformedLink = Self("malformedLink")
    /// No wallet protocol has this scheme.
    public static let unsupportedScheme = Self("unsupportedScheme")
    /// The request's method is unknown.
    public static let unknownMethod = Self("unknownMethod")
    /// A key occurs twice.
    public static let duplicateKey = Self("duplicateKey")
    /// A required key is unknown.
    public static let unknownRequiredKey = Self("unknownRequiredKey")
    /// A parameter is missing.
    public static let missingParameter = Self("missingParameter")
    /// A parameter is invalid.
    public static let invalidParameter = Self("invalidParameter")
    /// The link holds a private key or seed words.
    public static let privateKeyInLink = Self("privateKeyInLink")
    /// Payment requests fetched from a server are not supported.
    public static let paymentProtocolUnsupported = Self("paymentProtocolUnsupported")
    /// The link does not name a caller to answer.
    public static let missingCaller = Self("missingCaller")
    /// The link's return address is not allowed.
    public static let invalidCaller = Self("invalidCaller")
    /// The proof of payment that the link requires can't be sent.
    public static let proofUnavailable = Self("proofUnavailable")
    /// The address is invalid.
    public static let invalidAddress = Self("invalidAddress")
    /// The address belongs to another network than the wallets.
    public static let wrongNetwork = Self("wrongNetwork")
    /// The amount is not a decimal number.
    public static let invalidAmount = Self("invalidAmount")
    /// The amount has more than eight decimals.
    public static let amountTooPrecise = Self("amountTooPrecise")
    /// The amount is larger than all coins.
    public static let amountTooLarge = Self("amountTooLarge")
    /// The amount is below the dust limit of 546 duffs.
    public static let dust = Self("dust")
    /// The request's data can't be decoded.
    public static let undecodable = Self("undecodable")
    /// The request lacks a field that every request needs.
    public static let invalidRequest = Self("invalidRequest")
    /// The request is more than a prompt can show whole.
    public static let cannotBeShown = Self("cannotBeShown")
    /// The user blocked this sender.
    public static let senderBlocked = Self("senderBlocked")
    /// Too many requests of this sender are waiting.
    public static let tooManyFromSender = Self("tooManyFromSender")
    /// Too many requests are waiting.
    public static let tooManyRequests = Self("tooManyRequests")
    /// There is no wallet for this chain.
    public static let noWallet = Self("noWallet")
    /// No wallet has the sending address.
    public static let walletNotFound = Self("walletNotFound")
    /// No wallet has this account.
    public static let unknownAccount = Self("unknownAccount")
    /// Sending and receiving address are the same.
    public static let sameAddress = Self("sameAddress")
    /// The balance does not cover the amount.
    public static let insufficientBalance = Self("insufficientBalance")
    /// The balance does not cover the fee.
    public static let insufficientFee = Self("insufficientFee")
    /// No spendable coins can be locked by InstantSend.
    public static let instantSendUnavailable = Self("instantSendUnavailable")
    /// The transaction would be larger than the network relays.
    public static let transactionTooLarge = Self("transactionTooLarge")
    /// The chain's node gave no usable answer.
    public static let chainUnavailable = Self("chainUnavailable")
    /// The contract at this address tells no decimals, as a token's contract does.
    public static let notAToken = Self("notAToken")
    /// The step limit is below the least that the network takes.
    public static let stepLimitTooLow = Self("stepLimitTooLow")
    /// The user rejected the request.
    public static let rejectedByUser = Self("rejectedByUser")
    /// The request has expired.
    public static let expired = Self("expired")
    /// There is no such request.
    public static let unknownRequest = Self("unknownRequest")
    /// The request is no longer open.
    public static let alreadyDecided = Self("alreadyDecided")
    /// The prompt has changed since it was shown.
    public static let promptChanged = Self("promptChanged")
    /// The user has to enter the amount.
    public static let amountMissing = Self("amountMissing")
    /// The request fixes the amount.
    public static let amountFixed = Self("amountFixed")
    /// The wallet can't answer this request.
    public static let wrongWallet = Self("wrongWallet")
    /// The wallet was not unlocked.
    public static let walletLocked = Self("walletLocked")
    /// An earlier attempt of this payment may still be executed.
    public static let earlierAttemptOpen = Self("earlierAttemptOpen")
    /// A named coin can't be spent.
    public static let coinUnavailable = Self("coinUnavailable")
    /// The request leaves no choice of coins.
    public static let coinsFixed = Self("coinsFixed")
    /// The request has no payment in flight.
    public static let noPayment = Self("noPayment")
    /// An ICON transaction that no block takes within minutes expires by itself.
    public static let notOnICON = Self("notOnICON")
    /// No node has taken the payment, so that no child can help it: cancel it or wait.
    public static let notSent = Self("notSent")
    /// A node has the payment, and the network replaces none: bump it or wait.
    public static let alreadySent = Self("alreadySent")
    /// A block has the payment.
    public static let alreadyConfirmed = Self("alreadyConfirmed")
    /// A bump of the payment pays as much as the node asks for.
    public static let alreadyBumped = Self("alreadyBumped")
    /// The payment is being cancelled, or is cancelled already.
    public static let alreadyCancelled = Self("alreadyCancelled")
    /// The request cancels a payment itself.
    public static let isCancellation = Self("isCancellation")
    /// The payment has no output of the wallet's that could be spent.
    public static let noOwnOutput = Self("noOwnOutput")
    /// A later request spends the payment's output: bump that one.
    public static let outputSpent = Self("outputSpent")
    /// The payment's output does not cover the fee.
    public static let outputTooSmall = Self("outputTooSmall")
    /// None of the payment's coins can be spent any more.
    public static let coinsGone = Self("coinsGone")
    /// The fee is higher than may be paid.
    public static let feeTooHigh = Self("feeTooHigh")
    /// Too many payments that no block has depend on each other.
    public static let tooManyAncestors = Self("tooManyAncestors")
    /// Its user cancelled the payment, of which no caller was told.
    public static let cancelled = Self("cancelled")
    /// Its user cancelled the payment after its caller was told of it.
    public static let cancelledAfterAnswer = Self("cancelledAfterAnswer")
    /// The wallet's key could not sign.
    public static let signingFailed = Self("signingFailed")
    /// The node refused the transaction.
    public static let refusedByNode = Self("refusedByNode")
    /// The node refused the transaction's time: this computer's clock is off.
    public static let clockOff = Self("clockOff")
}
