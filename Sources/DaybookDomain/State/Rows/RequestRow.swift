package import DaybookEncoding

/// A request and how far it has come.
package struct RequestRow: StateRow {
    /// The steps of a request's life.
    package enum Status: String, Sendable {
        /// Recorded; what it asks is not decided upon yet.
        case received
        /// Understood; waits for an answer of the chain.
        case deferred
        /// Waits for the user.
        case pending
        /// The user approved; its signatures come in the same commit.
        case approved
        /// Signed; to be sent.
        case signed
        /// The network has it; InstantSend's lock is awaited, or of a cancellation its block.
        case sent
        case completed, refused, coalesced, rejected, expired, failed
        /// Another transaction of ours spends its coin for good, as its user asked.
        case cancelled

        /// Whether nothing more can come of it.
        package var isTerminal: Bool {
            switch self {
            case .received, .deferred, .pending, .approved, .signed, .sent: false
            default: true
            }
        }

        /// Whether its transaction, if it had one, counts as one that nobody will execute.
        package var isGivenUp: Bool { self == .failed || self == .rejected || self == .cancelled }

        /// Whether something remains to be done outside; `State.work` says what.
        package var needsWork: Bool {
            switch self {
            case .deferred, .signed, .sent: true
            default: false
            }
        }
    }

    package var status: Status
    package var received: UInt64
    package var session: SessionID
    package var textDigest: Bytes
    @Indirect package var request: Request?
    /// The protocol that refused the text; nil where `request` names it.
    package var link: String?
    package var expires: UInt64?
    package var wallet: WalletID?
    /// The amount that the user entered, in minor units.
    package var amount: UInt64?
    @Indirect package var refusal: Refusal?
    package var protocolCode: Int64?
    /// The request that this one was found to be a copy of.
    package var into: RequestID?
    /// An earlier request with the same text, which was answered.
    package var repeats: RequestID?
    /// Steps that an ICON transaction of this request will use, as the node says.
    package var estimate: UInt64?
    /// The unsigned transaction, until it is signed or the request has ended: events keep it.
    @Indirect package var prepared: TransactionPrepared?
    /// What stays of it, because a block can have, or lose, the transaction at any time.
    @Indirect package var payment: PaymentSummary?
    package var txid: Bytes?
    /// The signed transaction that the caller gets as proof, until it is sent: events keep it.
    package var proof: Bytes?
    package var callback: String?
    package var delivered: Bool = false
    /// The last request to bump this one's transaction, and the last one to cancel it.
    package var bump: RequestID?
    package var cancel: RequestID?

    /// Whether a payment waits for InstantSend, and so its caller.
    package var waitsForLock: Bool {
        guard status == .sent, case .pay = request?.action else { return false }
        return true
    }

    /// The scheme of the app that asked: nil within where none is known, nil before a request is.
    var callerScheme: String?? { _request.read { $0.caller?.scheme } }

    package init(received: UInt64, session: SessionID, textDigest: Bytes) {
        status = .received
        self.received = received
        self.session = session
        self.textDigest = textDigest
    }

    package var coded: CBOR {
        .record([
            "status": .text(status.rawValue),
            "received": .unsigned(received),
            "session": .id(session),
            "textDigest": .bytes(textDigest),
            "request": request?.coded,
            "link": link.map(CBOR.text),
            "expires": expires.map(CBOR.unsigned),
            "wallet": wallet.map { .id($0) },
            "amount": amount.map(CBOR.unsigned),
            "refusal": refusal?.coded(protocolCode: nil),
            "protocolCode": protocolCode.map(CBOR.int),
            "into": into.map { .id($0) },
            "repeats": repeats.map { .id($0) },
            "estimate": estimate.map(CBOR.unsigned),
            "prepared": prepared?.coded,
            "payment": payment?.coded,
            "txid": txid.map(CBOR.bytes),
            "proof": proof.map(CBOR.bytes),
            "callback": callback.map(CBOR.text),
            "delivered": .flag(delivered),
            "bump": bump.map { .id($0) },
            "cancel": cancel.map { .id($0) },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        status = try fields.name("status")
        received = try fields.number("received")
        session = try fields.id("session")
        textDigest = try fields.digest("textDigest")
        if let item = try fields.optionalFields("request") { request = try Request(item) }
        link = try fields.optionalText("link")
        expires = try fields.optionalNumber("expires")
        wallet = try fields.optionalID("wallet")
        amount = try fields.optionalNumber("amount")
        if let item = try fields.optionalFields("refusal") { refusal = try Refusal(item) }
        protocolCode = try fields.optionalSigned("protocolCode")
        into = try fields.optionalID("into")
        repeats = try fields.optionalID("repeats")
        estimate = try fields.optionalNumber("estimate")
        if let item = try fields.optionalFields("prepared") {
            prepared = try TransactionPrepared(item)
        }
        if let item = try fields.optionalFields("payment") { payment = try PaymentSummary(item) }
        txid = try fields.optionalBytes("txid")
        proof = try fields.optionalBytes("proof")
        callback = try fields.optionalText("callback")
        delivered = try fields.flag("delivered")
        bump = try fields.optionalID("bump")
        cancel = try fields.optionalID("cancel")
    }
}
