import DaybookChains
import DaybookDomain
public import DaybookEncoding
import DaybookLinks

/// A request that another app sent by URL, with its current status.
public struct WalletRequest: Equatable, Sendable {
    /// The position of its `request.received` event.
    public let id: RequestID
    /// The current status; `failed` also for a payment that was lost after it had completed.
    public private(set) var status: Status
    /// `dash`, `axe` or `iconex`; nil if no protocol can parse the text.
    ///
    /// For a bump or a cancellation, the payment's chain.
    public let protocolName: String?
    /// `pay`, `address`, `masterPublicKey`, `bind`, `sign`, `sendICX`, `sendToken`, `bump`, …
    public let method: String?
    /// The sender's URL scheme, unverified.
    public let sender: String?
    /// The prompt to show to the user, while the request is pending.
    ///
    /// Nil for a wallet whose keys are not the sealed ones: `Store.prompt` throws that error.
    public let prompt: PromptText?
    /// Other wallets that could answer it than the prompt's, while it is pending.
    public private(set) var otherWallets: [WalletID] = []
    /// When the request expires, in microseconds since 1970.
    public let expires: UInt64?
    /// The callback URL, once there is one: open it, then call `delivered`.
    ///
    /// A request that was refused unseen has one as well; `Store.callbacks` lists it only for
    /// senders that the user has approved before.
    public private(set) var callback: String?
    /// The protocol's own code of a refusal (ICONex Connect).
    public let protocolCode: Int?
    /// The code of the reason why the request was refused or failed.
    ///
    /// `dropped`, `conflicted` and `failedOnChain` say why a completed payment was lost.
    public private(set) var refusal: String?
    /// The reason in a sentence; for `signed` or `sent`, why no node has the transaction.
    public private(set) var reason: String?
    /// The code of a node's refusal of its transaction, such as `feeTooLow`.
    public private(set) var nodeReason: String?
    /// What the user can do; nil if there is nothing to do.
    public private(set) var advice: String?
    /// Whether the caller was told of a payment that was lost afterwards.
    public private(set) var wasToldPaid = false
    /// The height of the block with its transaction, as recorded.
    public private(set) var height: UInt64?
    /// The transaction's id or hash, in hex.
    public let transaction: String?
    /// Whether its signed transaction may still be executed although the request has ended.
    ///
    /// Neither a node's refusal nor a rejection proves that the network will never execute it.
    /// Until there is a proof, another payment to the same terms conflicts with it.
    public let mayStillExecute: Bool
    /// The request that this one is a copy of.
    public let coalescedInto: RequestID?

    /// The status of a request.
    public enum Status: String, Sendable {
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

/// A prompt: named lines, escaped for display, and the digest that an approval is bound to.
public struct PromptText: Equatable, Sendable {
    /// A line's fixed name and its text.
    public struct Line: Equatable, Sendable {
        /// The line's fixed name, such as `amount`.
        public let name: String
        /// The text to show, safe to print.
        public let text: String
    }

    /// All lines that the user must see, in order.
    public let lines: [Line]
    /// SHA-256 of the prompt, 32 bytes.
    public let digest: [UInt8]

    /// The text of the line with this name.
    public subscript(name: String) -> String? {
        lines.first { $0.name == name }?.text
    }

    init(_ prompt: Prompt) {
        lines = prompt.lines.map { Line(name: $0.name, text: $0.text) }
        digest = prompt.digest
    }
}

extension WalletRequest {
    /// A request from its row, without the callback, which must come from the log.
    init(_ id: RequestID, _ row: RequestRow, _ state: State, showsPrompt: Bool = true) {
        let request = row.request
        var prompt: PromptText?
        if row.status == .pending, showsPrompt, let request {
            prompt = PromptText(
                state.prompt(
                    for: request, id: id,
                    wallet: state.offered(for: request, id, repeats: row.repeats), amount: nil,
                    repeats: row.repeats))
        }
        self.init(
            id: id, status: Status(rawValue: row.status.rawValue) ?? .received,
            protocolName: Self.protocolName(row),
            method: request?.action.method, sender: request?.caller?.scheme, prompt: prompt,
            expires: row.expires, callback: nil,
            protocolCode: row.protocolCode.map { Int($0) }, refusal: row.refusal?.code.rawValue,
            reason: row.refusal?.reason, transaction: row.txid.map { Hex.encode($0) },
            mayStillExecute: state.mayStillExecute(row), coalescedInto: row.into)
        height = state.transaction(of: row)?.height
        guard row.status == .pending, let request else { return }
        let offered = state.offered(for: request, id, repeats: row.repeats)
        otherWallets = state.candidates(for: request).map(\.id).filter { $0 != offered }
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
            (request.refusal, request.reason) = (loss.rawValue, loss.sentence)
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
        request.nodeReason = said.name
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

/// A callback URL for the front end to open.
public struct Callback: Equatable, Sendable {
    /// The request that it answers.
    public let request: RequestID
    /// The exact URL to open.
    public let url: String
    /// Whether the front end has opened it.
    public let isDelivered: Bool
}

/// A payment that is signed and not yet in a block.
public struct InFlightPayment: Equatable, Sendable {
    /// Its request: `signed` until a node has accepted the transaction, then `sent`.
    ///
    /// `reason` says why no node has accepted it, `advice` what the user can do.
    public let request: WalletRequest
    /// The wallet that pays.
    public let wallet: WalletID?
    /// When it was signed, in microseconds since 1970.
    public let since: UInt64?
    /// When a node last gave a new reason for not accepting it.
    public let asked: UInt64?
    /// The amounts that it reserves until the chain shows it.
    public let held: [Held]

    /// An amount that a payment reserves.
    public struct Held: Equatable, Sendable {
        /// `DASH`, `AXE`, `ICX` or a token's contract address.
        public let asset: String
        /// The asset's symbol.
        public let symbol: String
        /// The number of decimals of a whole coin; nil if the token's is not known.
        public let decimals: Int?
        /// The amount, in minor units as decimal text.
        public let minor: String

        /// The amount and its unit, such as `0.5 DASH`.
        public var text: String {
            guard let decimals, let amount = UInt256(decimal: minor) else {
                return "\(minor) units of \(asset)"
            }
            return "\(DecimalAmount.format(amount, decimals: decimals)) \(symbol)"
        }
    }
}

/// A change of a payment that a sync found, or an attempt to send it.
public struct PaymentChange: Equatable, Sendable {
    /// What has changed.
    public let kind: Kind
    /// The payment's request in its current state; `reason` and `advice` say more.
    public let request: WalletRequest

    /// The kinds of changes.
    public enum Kind: String, Sendable {
        /// It was sent, and a node accepted it.
        case sent
        /// It was sent, and no node accepted it.
        case notTaken
        /// A node that had lost it accepted it again.
        case sentAgain
        /// Its block is no longer in the chain.
        case reorganised
        /// It has failed.
        case failed
        /// It is not paid, although the caller was told that it is.
        case lost
        /// Its cancellation is in a block or locked, so that it can't be executed any more.
        case cancelled
        /// It had been given up, but is in a block.
        case executed
    }
}
