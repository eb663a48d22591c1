package import DaybookChains
import DaybookCrypto
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

/// What a request's row keeps of its transaction once the transaction's bytes are gone from it.
///
/// A payment that has ended can be lost in a reorganization, dropped, or mined after all. What it
/// then gives back, holds back or excludes is decided from this, without the log.
package struct PaymentSummary: Equatable, Sendable {
    package let wallet: WalletID
    /// Dash, Axe: the coins that it spends.
    package let inputs: [Outpoint]
    /// What it holds back from the balance until the chain shows it.
    package let reserves: [TransactionPrepared.Reserve]
    /// As in `TransactionPrepared`.
    package let fee: UInt256
    /// Dash, Axe: the digest of the unsigned bytes, which tells whether a payment is the same one.
    package let unsigned: Bytes?
    /// ICON: what the transaction pays, as `AttemptTerms` tells payments apart.
    ///
    /// On Dash and Axe that follows from the request.
    package let terms: Bytes?
    /// ICON: from this time on no node takes it any more.
    package let until: UInt64?

    package init(
        wallet: WalletID, inputs: [Outpoint], reserves: [TransactionPrepared.Reserve],
        fee: UInt256, unsigned: Bytes? = nil, terms: Bytes? = nil, until: UInt64? = nil
    ) {
        self.wallet = wallet
        self.inputs = inputs
        self.reserves = reserves
        self.fee = fee
        self.unsigned = unsigned
        self.terms = terms
        self.until = until
    }

    /// The summary of what was prepared for a request in a wallet; nil where there is no wallet.
    init(of prepared: TransactionPrepared, for request: Request?, in wallet: WalletAdded?) {
        var (unsigned, terms, until): (Bytes?, Bytes?, UInt64?)
        if case .pay = request?.action {
            unsigned = Self.digest(ofUnsigned: prepared.bytes)
        } else if let wallet {
            let params = try? JSON.parse(prepared.bytes)
            terms = params.flatMap { AttemptTerms.transaction(wallet.network, $0) }
            if wallet.chain.rules.ledger == .accounts { until = Self.end(of: params) }
        }
        self.init(
            wallet: prepared.wallet, inputs: prepared.inputs.compactMap(\.outpoint),
            reserves: prepared.reserves, fee: prepared.fee, unsigned: unsigned, terms: terms,
            until: until)
    }

    static func digest(ofUnsigned bytes: Bytes) -> Bytes { SHA256.hash(bytes) }

    /// When the last node has stopped taking an ICON transaction.
    private static func end(of params: JSON?) -> UInt64 {
        let timestamp = params?["timestamp"]?.stringValue.flatMap(ICONInteger.parseSmall)
        let (end, isTooLate) = (timestamp ?? .max).addingReportingOverflow(timestampWindow)
        return isTooLate ? .max : end
    }

    /// A node takes an ICON transaction up to five minutes after its timestamp by the node's own
    /// clock, and a clock that is more than five minutes from ours is not one that we work with.
    private static let timestampWindow: UInt64 = 10 * 60 * 1_000_000

    package var coded: CBOR {
        .record([
            "wallet": .id(wallet),
            "inputs": .list(inputs) { $0.coded },
            "reserves": .list(reserves) { $0.coded },
            "fee": fee.coded,
            "unsigned": unsigned.map(CBOR.bytes),
            "terms": terms.map(CBOR.bytes),
            "until": until.map(CBOR.unsigned),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        inputs = try fields.list("inputs") { (item) throws(FieldError) in try Outpoint(item) }
        reserves = try fields.list("reserves") { (item) throws(FieldError) in
            try TransactionPrepared.Reserve(item)
        }
        fee = try fields.amount("fee")
        unsigned = fields["unsigned"] == nil ? nil : try fields.digest("unsigned")
        terms = fields["terms"] == nil ? nil : try fields.digest("terms")
        until = try fields.optionalNumber("until")
    }
}

/// A signed transaction of ours that may be executed although no node has said that it has it.
///
/// It stays on record from its signature until a node accepts it, and comes back when a node
/// refuses it, when it is dropped, and when its user rejects it: none of these proves that the
/// network will never have it. A later payment to the same terms must exclude it.
package struct AttemptRow: StateRow {
    package var wallet: WalletID
    package var request: RequestID
    /// What the transaction pays, as `AttemptTerms` tells payments apart.
    package var terms: Bytes
    /// Dash, Axe: the coins that it spends.
    package var inputs: [Outpoint] = []
    /// ICON: from this time on no node takes it any more.
    package var until: UInt64?
    /// Its request has ended without success, and its coins are held back no longer.
    package var isGivenUp = false

    package init(wallet: WalletID, request: RequestID, terms: Bytes) {
        self.wallet = wallet
        self.request = request
        self.terms = terms
    }

    package var coded: CBOR {
        .record([
            "wallet": .id(wallet), "request": .id(request), "terms": .bytes(terms),
            "inputs": .list(inputs) { $0.coded }, "until": until.map(CBOR.unsigned),
            "isGivenUp": .flag(isGivenUp),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        request = try fields.id("request")
        terms = try fields.digest("terms")
        inputs = try fields.list("inputs") { (item) throws(FieldError) in try Outpoint(item) }
        until = try fields.optionalNumber("until")
        isGivenUp = try fields.flag("isGivenUp")
    }
}

/// An address or key that a caller was given, and when.
package struct BindingRow: StateRow {
    package var binding: BindingGranted
    package var time: UInt64

    package init(binding: BindingGranted, time: UInt64) {
        self.binding = binding
        self.time = time
    }

    package var coded: CBOR {
        .record(["binding": binding.coded, "time": .unsigned(time)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        binding = try BindingGranted(try fields.fields("binding"))
        time = try fields.number("time")
    }
}

/// A transaction that concerns a wallet: of ours (with its request) or paying us.
package struct TransactionRow: StateRow {
    package var wallet: WalletID
    package var request: RequestID?
    package var height: UInt64?
    package var locked: Bool = false
    /// ICON: whether the block executed it without success.
    package var isFailed: Bool = false
    /// ICON: what it took from the wallet, to be given back if its block goes.
    package var spent: [TransactionPrepared.Reserve] = []

    package init(wallet: WalletID, request: RequestID?, height: UInt64? = nil) {
        self.wallet = wallet
        self.request = request
        self.height = height
    }

    package var coded: CBOR {
        .record([
            "wallet": .id(wallet), "request": request.map { .id($0) },
            "height": height.map(CBOR.unsigned), "locked": .flag(locked),
            "failed": .flag(isFailed),
            "spent": .list(spent) { $0.coded },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        request = try fields.optionalID("request")
        height = try fields.optionalNumber("height")
        locked = try fields.flag("locked")
        isFailed = try fields.flag("failed")
        spent = try fields.list("spent") { (item) throws(FieldError) in
            try TransactionPrepared.Reserve(item)
        }
    }
}
