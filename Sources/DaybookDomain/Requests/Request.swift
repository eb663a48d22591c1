package import DaybookChains
import DaybookEncoding

/// What a link asks a wallet for, parsed from its text.
package struct Request: Equatable, Sendable {
    /// The `id` of the `LinkProtocol` that read it and that will word the callback.
    ///
    /// It is `own` for what the user asked for without a link.
    package let link: String
    package let chain: Chain
    package let action: Action
    /// Whom the callback goes to; nil where the protocol does not ask for one (a BIP 21 URI).
    package let caller: Caller?
    /// The caller's own number for the request (ICONex Connect's `id`), echoed in the answer.
    package let reference: Int64?
    /// Free text of the caller's (`label`, `message`), decoded, untrusted: escape to show.
    package let notes: [Note]
    /// What becomes of the proof of payment that the link asks for; nil where it asks for none.
    package let proof: Proof?

    package init(
        link: String, chain: Chain, action: Action, caller: Caller?, reference: Int64? = nil,
        notes: [Note] = [], proof: Proof? = nil
    ) {
        self.link = link
        self.chain = chain
        self.action = action
        self.caller = caller
        self.reference = reference
        self.notes = notes
        self.proof = proof
    }

    /// What the user asks to be done about a payment: nobody is told of it.
    init(_ remedy: Remedy, of payment: RequestID, on chain: Chain) {
        self.init(
            link: Self.ownLink, chain: chain, action: .remedy(remedy, of: payment), caller: nil)
    }

    /// In place of a protocol's id.
    static let ownLink = "own"

    /// One untrusted text that came with the request.
    package struct Note: Equatable, Sendable {
        package let name: String
        package let text: String

        package init(name: String, text: String) {
            self.name = name
            self.text = text
        }
    }
}
