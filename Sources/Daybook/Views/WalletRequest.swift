import DaybookChains
import DaybookDomain
public import DaybookEncoding
import DaybookLinks

/// A request that another app sent by URL, with its current status.
///
/// Its parameters stay when it has ended.
public struct WalletRequest: Codable, Hashable, Sendable, Identifiable {
    /// The position of its `request.received` event.
    public let id: RequestID
    /// The current status of the request and its payment, the same in every list and view.
    public internal(set) var status: Status
    /// The words after `request N`, such as `is sent; no block has it yet`.
    public internal(set) var standing = ""
    /// Its subject on one line, escaped for display, such as `pay 1.5 DASH to X…`.
    public internal(set) var summary = ""
    /// `dash`, `axe` or `iconex`; nil if no protocol can parse the text.
    ///
    /// For a bump or a cancellation, the payment's chain.
    public internal(set) var protocolName: String?
    /// `pay`, `address`, `masterPublicKey`, `bind`, `sign`, `sendICX`, `sendToken`, `bump`, …
    public internal(set) var method: String?
    /// The sender's URL scheme, unverified.
    public internal(set) var sender: String?
    /// The chain that it is about.
    public internal(set) var chain: ChainName?
    /// The wallet that it was approved for, or while it is pending the one that is offered.
    public internal(set) var wallet: WalletID?
    /// `DASH`, `AXE`, `ICX` or a token's contract address, if it moves coins.
    public internal(set) var asset: String?
    /// The asset's symbol.
    public internal(set) var symbol: String?
    /// The number of decimals of a whole coin; nil if the token's is not known.
    public internal(set) var decimals: Int?
    /// The amount; nil until the user has entered it, if the link names none.
    public internal(set) var amount: MinorAmount?
    /// The address that is paid.
    public internal(set) var recipient: String?
    /// The fee in the chain's own coin, once it is approved.
    ///
    /// On ICON it is the highest possible one until a block has the transaction.
    ///
    /// `ChainName.coin` and `ChainName.decimals` have its unit.
    public internal(set) var fee: MinorAmount?
    /// When it was received.
    public internal(set) var received = Timestamp(microseconds: 0)
    /// When the user approved or rejected it.
    public internal(set) var decided: Timestamp?
    /// When it got its final status.
    public internal(set) var ended: Timestamp?
    /// When it expires, unless it is decided before.
    public internal(set) var expires: Timestamp?
    /// The prompt to show to the user, while the request is pending.
    ///
    /// Nil for a wallet whose keys are not the sealed ones: `Store.prompt` throws that error.
    public internal(set) var prompt: PromptText?
    /// Other wallets that could answer it than the prompt's, while it is pending.
    public internal(set) var otherWallets: [WalletID] = []
    /// The callback URL, once there is one: open it, then call `delivered`.
    ///
    /// A request that was refused unseen has one as well; `Store.callbacks` lists it only for
    /// senders that the user has approved before.
    public internal(set) var callback: String?
    /// The protocol's own code of a refusal (ICONex Connect).
    public internal(set) var protocolCode: Int?
    /// The code of the reason why the request was refused or failed.
    ///
    /// `dropped`, `conflicted` and `failedOnChain` say why a completed payment was lost.
    public internal(set) var refusal: DaybookError.Code?
    /// The reason in a sentence.
    ///
    /// For `signed` or `sent` it is why no node has the transaction, for `coalesced` which request
    /// this one repeats.
    public internal(set) var reason: String?
    /// The code of a node's refusal of its transaction, such as `feeTooLow`.
    public internal(set) var nodeReason: DaybookError.Code?
    /// The user's remedy; nil if there is none.
    public internal(set) var advice: String?
    /// Whether the caller was told of a payment that was lost afterwards.
    public internal(set) var wasToldPaid = false
    /// The height of the block with its transaction, as recorded.
    public internal(set) var height: UInt64?
    /// When that block was made as its node says; nil if it was not told.
    public internal(set) var blockTime: Timestamp?
    /// The transaction's id or hash, in hex.
    public internal(set) var transaction: String?
    /// Whether its signed transaction may still be executed although the request has ended.
    ///
    /// Neither a node's refusal nor a rejection proves that the network will never execute it.
    /// Until there is a proof, another payment to the same terms conflicts with it.
    public internal(set) var mayStillExecute = false
    /// The request that this one is a copy of.
    public internal(set) var coalescedInto: RequestID?
    /// The user's label of the request, or else of its transaction; untrusted if imported.
    public internal(set) var label: String?
    /// The user's label of the sender; untrusted if imported.
    public internal(set) var senderLabel: String?
    /// The user's label of the address that is paid; untrusted if imported.
    public internal(set) var recipientLabel: String?

    /// A request for previews and tests of a front end.
    public init(
        id: RequestID, status: Status, summary: String = "", protocolName: String? = nil,
        method: String? = nil, sender: String? = nil, chain: ChainName? = nil,
        wallet: WalletID? = nil, asset: String? = nil, symbol: String? = nil,
        decimals: Int? = nil, amount: MinorAmount? = nil, recipient: String? = nil,
        fee: MinorAmount? = nil, received: Timestamp = Timestamp(microseconds: 0),
        decided: Timestamp? = nil, ended: Timestamp? = nil, expires: Timestamp? = nil,
        prompt: PromptText? = nil, otherWallets: [WalletID] = [],
        callback: String? = nil, protocolCode: Int? = nil, refusal: DaybookError.Code? = nil,
        reason: String? = nil, nodeReason: DaybookError.Code? = nil, advice: String? = nil,
        wasToldPaid: Bool = false, height: UInt64? = nil, blockTime: Timestamp? = nil,
        transaction: String? = nil, mayStillExecute: Bool = false, coalescedInto: RequestID? = nil,
        label: String? = nil, senderLabel: String? = nil, recipientLabel: String? = nil
    ) {
        (self.id, self.status, self.summary) = (id, status, summary)
        (self.protocolName, self.method, self.sender) = (protocolName, method, sender)
        (self.chain, self.wallet) = (chain, wallet)
        (self.asset, self.symbol, self.decimals) = (asset, symbol, decimals)
        (self.amount, self.recipient, self.fee) = (amount, recipient, fee)
        (self.received, self.decided, self.ended) = (received, decided, ended)
        (self.expires, self.prompt, self.otherWallets) = (expires, prompt, otherWallets)
        (self.callback, self.protocolCode, self.refusal) = (callback, protocolCode, refusal)
        (self.reason, self.nodeReason, self.advice) = (reason, nodeReason, advice)
        (self.wasToldPaid, self.height, self.blockTime) = (wasToldPaid, height, blockTime)
        self.transaction = transaction
        (self.mayStillExecute, self.coalescedInto) = (mayStillExecute, coalescedInto)
        (self.label, self.senderLabel) = (label, senderLabel)
        self.recipientLabel = recipientLabel
    }

    /// The status of a request.
    public enum Status: String, Codable, Hashable, Sendable, CaseIterable {
        /// Recorded, or waiting for the chain's answer.
        case received, deferred
        /// Waits for the user's decision.
        case pending
        /// Approved and signed, and no node has its transaction: approving again sends it.
        case signed
        /// A node has its transaction, and neither a block nor a lock makes it final.
        case sent
        /// Done as asked.
        ///
        /// `Store.approve` answers so as soon as the caller is told, while the payment is `sent`.
        case completed
        case refused, coalesced, rejected, expired
        /// Not done; also a payment that was lost after its caller had been told of it.
        case failed
        /// Another transaction has spent its coin, as its user wanted.
        case cancelled
    }
}

extension WalletRequest.Status {
    init(_ status: Standing.Status) {
        switch status {
        case .received: self = .received
        case .deferred: self = .deferred
        case .pending: self = .pending
        case .signed: self = .signed
        case .sent: self = .sent
        case .completed: self = .completed
        case .refused: self = .refused
        case .coalesced: self = .coalesced
        case .rejected: self = .rejected
        case .expired: self = .expired
        case .failed: self = .failed
        case .cancelled: self = .cancelled
        }
    }
}

extension WalletRequest {
    /// A request from its row and the course of its payment, without its callback.
    ///
    /// The callback must come from the log, and so must the text of a link that was refused unread.
    /// `canPrompt` says whether a pending request may be shown for a wallet.
    init(
        _ id: RequestID, _ row: RequestRow, _ state: borrowing State, course: PaymentCourse?,
        link: Bytes?, canPrompt: (Request, WalletID) -> Bool
    ) {
        let standing = state.standing(of: id, row, course)
        let terms = RequestedTerms(id, row, state, link: link)
        let request = terms.request
        var prompt: PromptText?
        if row.status == .pending, let request,
            terms.offered.map({ canPrompt(request, $0) }) ?? true
        {
            prompt = PromptText(
                for: request, id, row, wallet: terms.offered, amount: nil, state)
        }
        self.init(
            id: id, status: Status(standing.status), summary: terms.summary,
            protocolName: terms.protocolName,
            method: request?.action.method, sender: request?.caller?.scheme,
            chain: request.map { ChainName($0.chain) }, wallet: terms.wallet,
            asset: terms.asset, symbol: terms.symbol, decimals: terms.decimals,
            amount: terms.amount.map { MinorAmount($0) }, recipient: terms.recipient,
            fee: state.fee(of: row).map { MinorAmount($0) },
            received: Timestamp(microseconds: row.received), decided: Timestamp(row.decided),
            ended: Timestamp(row.ended), expires: Timestamp(row.expires), prompt: prompt,
            protocolCode: row.protocolCode.map { Int($0) },
            refusal: standing.code.map { DaybookError.Code(rawValue: $0) },
            reason: standing.reason,
            nodeReason: standing.nodeReason.map { DaybookError.Code(rawValue: $0.name) },
            advice: standing.advice,
            wasToldPaid: standing.code.flatMap { PaymentLoss(rawValue: $0) } != nil
                && course?.isAnswered == true,
            height: course?.height ?? state.transaction(of: row)?.height,
            blockTime: Timestamp(course?.blockTime ?? state.transaction(of: row)?.blockTime),
            transaction: row.txid.map { Hex.encode($0) },
            mayStillExecute: state.mayStillExecute(row), coalescedInto: row.into,
            label: state.label(.request(id)) ?? state.label(ofTransaction: row.txid, by: nil),
            senderLabel: request?.caller.flatMap { state.label(.sender($0.scheme)) },
            recipientLabel: terms.recipient.flatMap { state.label(.address($0)) })
        self.standing = standing.sentence
        if let fault = Self.callerFault(row, link) {
            reason = reason.map { "\($0): \(fault)" }
            self.standing += ": \(fault)"
        }
        guard row.status == .pending, let request else { return }
        otherWallets = state.candidates(for: request).map(\.id).filter { $0 != wallet }
    }

    /// Why a link's return address is not allowed; nil if it was not refused for that.
    private static func callerFault(_ row: RequestRow, _ link: Bytes?) -> String? {
        guard row.refusal?.code == .invalidCaller, let key = row.refusal?.parameter, let link
        else { return nil }
        return Caller.fault(inLink: link, key: key)
    }

    /// The same request as the answer to its approval, which is done once the caller is told.
    func answeringApproval(_ row: RequestRow?) -> WalletRequest {
        var request = self
        if status == .sent, row?.status == .completed { request.status = .completed }
        return request
    }

    /// The same request with its callback.
    func answered(by callback: String?) -> WalletRequest {
        var request = self
        request.callback = callback
        return request
    }
}
