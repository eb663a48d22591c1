package import DaybookChains
import DaybookEncoding

/// What a link asks a wallet for, once its text has been understood.
package struct Request: Equatable, Sendable {
    /// The `id` of the `LinkProtocol` that read it and that will word the callback.
    package let link: String
    package let chain: Chain
    package let action: Action
    /// Whom the callback goes to; nil where the protocol does not ask for one (a BIP 21 URI).
    package let caller: Caller?
    /// The caller's own number for the request (ICONex Connect's `id`), echoed in the answer.
    package let reference: Int64?
    /// Free text of the caller's (`label`, `message`), decoded, untrusted: escape to show.
    package let notes: [Note]

    package init(
        link: String, chain: Chain, action: Action, caller: Caller?, reference: Int64? = nil,
        notes: [Note] = []
    ) {
        self.link = link
        self.chain = chain
        self.action = action
        self.caller = caller
        self.reference = reference
        self.notes = notes
    }

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
