import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLinks

/// A request that another app sent by URL, and what became of it.
public struct WalletRequest: Equatable, Sendable {
    /// The position of its `request.received` event.
    public let id: UInt64
    /// How far it has come.
    public let status: Status
    /// `dash`, `axe` or `iconex`; nil where no protocol claims the text.
    public let protocolName: String?
    /// `pay`, `address`, `masterPublicKey`, `bind`, `sign`, `sendICX`, `sendToken`, …
    public let method: String?
    /// The sender's URL scheme, as it calls itself: unverified.
    public let sender: String?
    /// What the user is to be shown, while the request is pending.
    ///
    /// Nil of a wallet whose keys are not the sealed ones: `Store.prompt` says so.
    public let prompt: PromptText?
    /// When the request expires, in microseconds since 1970.
    public let expires: UInt64?
    /// The callback URL, once there is one: open it, then call `delivered`.
    ///
    /// A refusal that no person was asked about has one as well. Answer it only where the sender
    /// waits: `Store.callbacks` lists it for senders whom the user approved before, no others.
    public private(set) var callback: String?
    /// The protocol's own code of a refusal (ICONex Connect).
    public let protocolCode: Int?
    /// Our name of the reason why the request was refused or failed.
    public let refusal: String?
    /// The same in a sentence.
    public let reason: String?
    /// The transaction's id or hash, in hex.
    public let transaction: String?
    /// Whether its signed transaction may be executed although the request has ended without it.
    ///
    /// Neither a node's refusal nor a rejection proves that the network will never have it. Until
    /// there is a proof, another payment to the same terms is made so that only one of both can be.
    public let mayStillExecute: Bool
    /// The request that this one is a copy of.
    public let coalescedInto: UInt64?

    /// How far a request has come.
    public enum Status: String, Sendable {
        /// Recorded, or waiting for the chain's answer.
        case received, deferred
        /// Waits for its user.
        case pending
        /// Approved and signed, and not finished yet: approving again sends it.
        case signed, sent
        case completed, refused, coalesced, rejected, expired, failed
    }
}

/// What a user is shown: named lines, escaped, and the digest to which an approval is bound.
public struct PromptText: Equatable, Sendable {
    /// A line's fixed name and its text.
    public struct Line: Equatable, Sendable {
        /// What the line is about, such as `amount`; names are fixed.
        public let name: String
        /// What is to be shown, safe to print.
        public let text: String
    }

    /// All that the user must see, in order.
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
    /// A request as its row has it, but for the callback, which only the log may tell.
    init(_ id: UInt64, _ row: RequestRow, _ state: State, showsPrompt: Bool = true) {
        let request = row.request
        var prompt: PromptText?
        if row.status == .pending, showsPrompt, let request {
            prompt = PromptText(
                state.prompt(
                    for: request, id: id, wallet: state.candidates(for: request).first?.id,
                    amount: nil, repeats: row.repeats))
        }
        self.init(
            id: id, status: Status(rawValue: row.status.rawValue) ?? .received,
            protocolName: (request?.link ?? row.link).flatMap { Links.linkProtocol($0) }?.family,
            method: request?.action.method, sender: request?.caller?.scheme, prompt: prompt,
            expires: row.expires, callback: nil,
            protocolCode: row.protocolCode.map { Int($0) }, refusal: row.refusal?.code.rawValue,
            reason: row.refusal?.reason, transaction: row.txid.map { Hex.encode($0) },
            mayStillExecute: state.mayStillExecute(row), coalescedInto: row.into)
    }

    /// The same request with its callback.
    func answered(by callback: String?) -> WalletRequest {
        var request = self
        request.callback = callback
        return request
    }
}
