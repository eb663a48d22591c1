import DaybookChains
import DaybookDomain
public import DaybookEncoding
import DaybookLinks

/// A request that another app sent by URL, with its current status.
///
/// Its parameters stay when it has ended. Amounts are in minor units, as decimal text.
public struct WalletRequest: Codable, Hashable, Sendable, Identifiable {
    /// The position of its `request.received` event.
    public let id: RequestID
    /// The current status; `failed` also for a payment that was lost after it had completed.
    public internal(set) var status: Status
    /// What it asks for on one line, escaped for display, such as `pay 1.5 DASH to X…`.
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
    public internal(set) var amount: String?
    /// The address that is paid.
    public internal(set) var recipient: String?
    /// The fee in the chain's own coin, once it is approved; on ICON the highest possible one.
    ///
    /// `ChainName.coin` and `ChainName.decimals` have its unit.
    public internal(set) var fee: String?
    /// When it was received, in microseconds since 1970, as all times.
    public internal(set) var received: UInt64 = 0
    /// When the user approved or rejected it.
    public internal(set) var decided: UInt64?
    /// When it got its final status.
    public internal(set) var ended: UInt64?
    /// When it expires, unless it is decided before.
    public internal(set) var expires: UInt64?
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
    /// The reason in a sentence; for `signed` or `sent`, why no node has the transaction.
    public internal(set) var reason: String?
    /// The code of a node's refusal of its transaction, such as `feeTooLow`.
    public internal(set) var nodeReason: DaybookError.Code?
    /// What the user can do; nil if there is nothing to do.
    public internal(set) var advice: String?
    /// Whether the caller was told of a payment that was lost afterwards.
    public internal(set) var wasToldPaid = false
    /// The height of the block with its transaction, as recorded.
    public internal(set) var height: UInt64?
    /// The transaction's id or hash, in hex.
    public internal(set) var transaction: String?
    /// Whether its signed transaction may still be executed although the request has ended.
    ///
    /// Neither a node's refusal nor a rejection proves that the network will never execute it.
    /// Until there is a proof, another payment to the same terms conflicts with it.
    public internal(set) var mayStillExecute = false
    /// The request that this one is a copy of.
    public internal(set) var coalescedInto: RequestID?

    /// A request for previews and tests of a front end.
    public init(
        id: RequestID, status: Status, summary: String = "", protocolName: String? = nil,
        method: String? = nil, sender: String? = nil, chain: ChainName? = nil,
        wallet: WalletID? = nil, asset: String? = nil, symbol: String? = nil,
        decimals: Int? = nil, amount: String? = nil, recipient: String? = nil,
        fee: String? = nil, received: UInt64 = 0, decided: UInt64? = nil, ended: UInt64? = nil,
        expires: UInt64? = nil, prompt: PromptText? = nil, otherWallets: [WalletID] = [],
        callback: String? = nil, protocolCode: Int? = nil, refusal: DaybookError.Code? = nil,
        reason: String? = nil, nodeReason: DaybookError.Code? = nil, advice: String? = nil,
        wasToldPaid: Bool = false, height: UInt64? = nil, transaction: String? = nil,
        mayStillExecute: Bool = false, coalescedInto: RequestID? = nil
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
        (self.wasToldPaid, self.height, self.transaction) = (wasToldPaid, height, transaction)
        (self.mayStillExecute, self.coalescedInto) = (mayStillExecute, coalescedInto)
    }

    /// The status of a request.
    public enum Status: String, Codable, Hashable, Sendable, CaseIterable {
        /// Recorded, or waiting for the chain's answer.
        case received, deferred
        /// Waits for the user's decision.
        case pending
        /// Approved and signed, and not finished: approving again sends it.
        case signed, sent
        case completed, refused, coalesced, rejected, expired, failed
        /// Another transaction has spent its coin, as its user wanted.
        case cancelled
    }
}

extension WalletRequest {
    /// A request from its row, without the callback, which must come from the log.
    ///
    /// `canPrompt` says whether a pending request may be shown for a wallet.
    init(
        _ id: RequestID, _ row: RequestRow, _ state: State,
        canPrompt: (Request, WalletID) -> Bool
    ) {
        let request = row.request
        let terms = RequestedTerms(id, row, state)
        var prompt: PromptText?
        if row.status == .pending, let request,
            terms.offered.map({ canPrompt(request, $0) }) ?? true
        {
            prompt = PromptText(
                state.prompt(
                    for: request, id: id, wallet: terms.offered, amount: nil,
                    repeats: row.repeats))
        }
        self.init(
            id: id, status: Status(rawValue: row.status.rawValue) ?? .received,
            summary: terms.summary, protocolName: Self.protocolName(row),
            method: request?.action.method, sender: request?.caller?.scheme,
            chain: request.map { ChainName($0.chain) }, wallet: terms.wallet,
            asset: terms.asset, symbol: terms.symbol, decimals: terms.decimals,
            amount: terms.amount?.decimal, recipient: terms.recipient,
            fee: row.payment?.fee.decimal, received: row.received, decided: row.decided,
            ended: row.ended, expires: row.expires, prompt: prompt,
            protocolCode: row.protocolCode.map { Int($0) },
            refusal: row.refusal.map { DaybookError.Code($0.code) },
            reason: row.refusal?.reason, height: state.transaction(of: row)?.height,
            transaction: row.txid.map { Hex.encode($0) },
            mayStillExecute: state.mayStillExecute(row), coalescedInto: row.into)
        guard row.status == .pending, let request else { return }
        otherWallets = state.candidates(for: request).map(\.id).filter { $0 != wallet }
    }

    /// The same request, with the course of its payment.
    func following(
        _ course: PaymentCourse, _ loss: PaymentLoss?, on chain: Chain?
    ) -> WalletRequest {
        var request = self
        request.height = course.height
        let loss = loss ?? (course.state == .failedOnChain ? .failedOnChain : nil)
        if status == .completed, let loss {
            request.status = .failed
            (request.refusal, request.reason) = (.init(rawValue: loss.rawValue), loss.sentence)
            request.advice = loss.advice
            request.wasToldPaid = course.isAnswered
            return request
        }
        guard let said = course.reason else { return request }
        switch status {
        case .signed, .sent, .completed:
            request.reason = said.sentence
        case .failed:
            request.reason = [reason, said.sentence].compactMap(\.self).joined(separator: ": ")
        default: return request
        }
        request.nodeReason = DaybookError.Code(rawValue: said.name)
        request.advice = said.advice(for: id, on: chain)
        return request
    }

    /// The same request for the list of payments in flight, where `completed` means `sent`.
    func onItsWay() -> WalletRequest {
        var request = self
        if status == .completed { request.status = .sent }
        return request
    }

    /// The same request, with the reason why it can't end, if there is one.
    func standing(still: State.Standstill?) -> WalletRequest {
        guard let still else { return self }
        var request = self
        request.reason = still.sentence
        request.advice = still.advice(for: id)
        request.nodeReason = nil
        return request
    }

    /// The name of a request's protocol; for a bump or a cancellation, its chain.
    private static func protocolName(_ row: RequestRow) -> String? {
        if let request = row.request, case .remedy = request.action {
            return request.chain.rawValue
        }
        return (row.request?.link ?? row.link).flatMap { Links.linkProtocol($0) }?.family
    }

    /// The same request with its callback.
    func answered(by callback: String?) -> WalletRequest {
        var request = self
        request.callback = callback
        return request
    }
}
