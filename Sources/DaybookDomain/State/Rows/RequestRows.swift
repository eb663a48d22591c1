package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

/// A request and its state.
package struct RequestRow: StateRow {
    /// The states of a request.
    package enum Status: String, Sendable {
        /// Recorded, and not decided on yet.
        case received
        /// Parsed; waits for a node's answer.
        case deferred
        /// Waits for the user.
        case pending
        /// Approved by the user; the signatures follow in the same commit.
        case approved
        /// Signed; to be sent.
        case signed
        /// Sent; waits for the InstantSend lock, or a cancellation for its block.
        case sent
        case completed, refused, coalesced, rejected, expired, failed
        /// Excluded by a confirmed cancellation, as the user asked.
        case cancelled

        /// Whether the request has ended.
        package var isTerminal: Bool {
            switch self {
            case .received, .deferred, .pending, .approved, .signed, .sent: false
            case .completed, .refused, .coalesced, .rejected, .expired, .failed, .cancelled: true
            }
        }

        /// Whether the request has ended without its transaction counting as sent.
        package var isGivenUp: Bool { self == .failed || self == .rejected || self == .cancelled }

        /// Whether an effect remains to be done; `State.work` says which.
        package var needsWork: Bool {
            switch self {
            case .deferred, .signed, .sent: true
            case .received, .pending, .approved, .completed, .refused, .coalesced, .rejected,
                .expired, .failed, .cancelled:
                false
            }
        }
    }

    package var status: Status
    package var received: UInt64
    package var session: SessionID
    package var textDigest: Bytes
    @Indirect package var request: Request?
    /// The protocol that refused the text; nil if `request` names it.
    package var link: String?
    package var expires: UInt64?
    /// When the user approved or rejected it.
    package var decided: UInt64?
    /// When it got its present status, if it has ended.
    package var ended: UInt64?
    package var wallet: WalletID?
    /// The amount that the user entered, in minor units.
    package var amount: UInt64?
    @Indirect package var refusal: Refusal?
    package var protocolCode: Int64?
    /// The request that this one was coalesced into.
    package var into: RequestID?
    /// An earlier request with the same text that was answered.
    package var repeats: RequestID?
    /// The node's estimate of the steps of an ICON transaction.
    package var estimate: UInt64?
    /// The unsigned transaction, kept until it is signed or the request has ended.
    @Indirect package var prepared: TransactionPrepared?
    /// The summary that is kept, because a block can gain or lose the transaction at any time.
    @Indirect package var payment: PaymentSummary?
    package var txid: Bytes?
    /// The signed transaction that the caller gets as proof, kept until it is sent.
    package var proof: Bytes?
    package var callback: String?
    package var delivered: Bool = false
    /// The latest request that bumps this one's transaction, and the latest that cancels it.
    package var bump: RequestID?
    package var cancel: RequestID?

    /// Whether a payment, and so its caller, waits for InstantSend.
    package var waitsForLock: Bool {
        guard status == .sent, case .pay = request?.action else { return false }
        return true
    }

    /// The scheme of the calling app: `.some(nil)` if there is none, nil while nothing is parsed.
    var callerScheme: String?? { _request.read { $0.caller?.scheme } }

    package init(received: UInt64, session: SessionID, textDigest: Bytes) {
        status = .received
        self.received = received
        self.session = session
        self.textDigest = textDigest
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        bump = try coder.optional("bump", value?.bump)
        into = try coder.optional("into", value?.into)
        link = try coder.optional("link", value?.link)
        txid = try coder.optional("txid", value?.txid)
        ended = try coder.optional("ended", value?.ended)
        proof = try coder.optional("proof", value?.proof)
        amount = try coder.optional("amount", value?.amount)
        cancel = try coder.optional("cancel", value?.cancel)
        status = try coder.field("status", value?.status)
        wallet = try coder.optional("wallet", value?.wallet)
        decided = try coder.optional("decided", value?.decided)
        expires = try coder.optional("expires", value?.expires)
        payment = try coder.optionalMap("payment", value?.payment)
        refusal = try coder.optionalMap("refusal", value?.refusal)
        repeats = try coder.optional("repeats", value?.repeats)
        request = try coder.optionalMap("request", value?.request)
        session = try coder.field("session", value?.session)
        callback = try coder.optional("callback", value?.callback)
        estimate = try coder.optional("estimate", value?.estimate)
        prepared = try coder.optionalMap("prepared", value?.prepared)
        received = try coder.field("received", value?.received)
        delivered = try coder.flag("delivered", value?.delivered)
        textDigest = try coder.digest("textDigest", value?.textDigest)
        protocolCode = try coder.optional("protocolCode", value?.protocolCode)
    }
}

/// The summary of a request's transaction that its row keeps for good.
///
/// A payment that has ended can still be reorganized, dropped, or mined after all. The amounts to
/// credit, the coins to reserve and the conflicts then follow from this summary, without the log.
package struct PaymentSummary: Recorded, Equatable, Sendable {
    package let wallet: WalletID
    /// Dash, Axe: the coins that it spends.
    package let inputs: [Outpoint]
    /// The amounts that it reserves until the chain shows it.
    package let reserves: [TransactionPrepared.Reserve]
    /// As in `TransactionPrepared`.
    package let fee: UInt256
    /// Dash, Axe: the digest of the unsigned bytes, by which equal payments are recognised.
    package let unsigned: Bytes?
    /// ICON: the transaction's terms (`AttemptTerms`); on Dash and Axe they follow from the
    /// request.
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

    /// The summary of a prepared transaction; `wallet` is nil if the wallet does not exist.
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

    /// When the last node stops accepting an ICON transaction.
    private static func end(of params: JSON?) -> UInt64 {
        let timestamp = params?["timestamp"]?.stringValue.flatMap(ICONInteger.parseSmall)
        let (end, isTooLate) = (timestamp ?? .max).addingReportingOverflow(timestampWindow)
        return isTooLate ? .max : end
    }

    /// How long after its timestamp an ICON transaction may still be accepted.
    ///
    /// A node accepts it for five minutes by its own clock, and we do not work with a node whose
    /// clock is more than five minutes from ours.
    private static let timestampWindow: UInt64 = 10 * 60 * 1_000_000

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        fee = try coder.field("fee", value?.fee)
        terms = try coder.optionalDigest("terms", value?.terms)
        until = try coder.optional("until", value?.until)
        inputs = try coder.list("inputs", value?.inputs)
        wallet = try coder.field("wallet", value?.wallet)
        reserves = try coder.list("reserves", value?.reserves)
        unsigned = try coder.optionalDigest("unsigned", value?.unsigned)
    }
}

/// A signed transaction of ours that may be executed although no node has confirmed that it has it.
///
/// It is recorded from its signature until a node accepts it, and again when a node refuses it,
/// when it is dropped, and when its user rejects it: none of these proves that the network will
/// never execute it. A later payment with the same terms must exclude it.
package struct AttemptRow: StateRow {
    package var wallet: WalletID
    package var request: RequestID
    /// The transaction's terms (`AttemptTerms`).
    package var terms: Bytes
    /// Dash, Axe: the coins that it spends.
    package var inputs: [Outpoint] = []
    /// ICON: from this time on no node takes it any more.
    package var until: UInt64?
    /// Whether its request has ended without success, and its coins are released.
    package var isGivenUp = false
}

extension AttemptRow {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        terms = try coder.digest("terms", value?.terms)
        until = try coder.optional("until", value?.until)
        inputs = try coder.list("inputs", value?.inputs)
        wallet = try coder.field("wallet", value?.wallet)
        request = try coder.field("request", value?.request)
        isGivenUp = try coder.flag("isGivenUp", value?.isGivenUp)
    }
}

/// An address or key that a caller was given, and when.
package struct BindingRow: StateRow {
    package var binding: BindingGranted
    package var time: UInt64
}

extension BindingRow {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        time = try coder.field("time", value?.time)
        binding = try coder.map("binding", value?.binding)
    }
}

/// A transaction of a wallet: one of ours, with its request, or one that pays us.
package struct TransactionRow: StateRow {
    package var wallet: WalletID
    package var request: RequestID?
    package var height: UInt64?
    package var locked: Bool = false
    /// ICON: whether the block executed it without success.
    package var isFailed: Bool = false
    /// ICON: the amounts that it moved out of the wallet, credited again if its block is
    /// reorganized.
    package var spent: [TransactionPrepared.Reserve] = []
    /// When its block was made; nil if no node told it.
    package var blockTime: UInt64?
}

extension TransactionRow {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        spent = try coder.list("spent", value?.spent)
        isFailed = try coder.flag("failed", value?.isFailed)
        height = try coder.optional("height", value?.height)
        locked = try coder.flag("locked", value?.locked)
        wallet = try coder.field("wallet", value?.wallet)
        request = try coder.optional("request", value?.request)
        blockTime = try coder.optional("blockTime", value?.blockTime)
    }
}
