package import DaybookEncoding

/// A wallet's URL protocol: parses its links and writes its callbacks.
package protocol LinkProtocol: Sendable {
    /// The name that requests carry in the log, fixed for ever (`dashwallet`, `iconex`, …).
    var id: String { get }

    /// `dash`, `axe` or `iconex`: how the command line groups protocols.
    var family: String { get }

    /// Whether a text is a link of this protocol; no other protocol then parses or refuses it.
    func canParse(_ text: Bytes) -> Bool

    /// Parses a link that `canParse` accepts; a mistake in the link is a refusal, never an error.
    func parse(_ text: Bytes, by rules: Rules) -> LinkReading

    /// The protocol's own number for a refusal (ICONex Connect's codes); nil if it has none.
    func code(of refusal: Refusal) -> Int?

    /// The callback URL, character for character; nil if the protocol sends none for this reply.
    func callback(
        _ reply: Reply, to caller: Caller, reference: Int64?, by rules: Rules
    ) -> String?
}

/// The result of parsing a link's text.
package enum LinkReading: Equatable, Sendable {
    case request(Request)
    /// `caller` and `reference` are set if the refusal can still be answered.
    case refused(Refusal, caller: Caller?, reference: Int64?)
}

/// The reply to the caller at the end of a request.
package enum Reply: Equatable, Sendable {
    case paid(address: String, transaction: String)
    /// The complete signed transaction, as it was sent.
    case proof(transaction: Bytes)
    case address(String)
    case masterPublicKey(bip32: String, bip44: String, account: UInt32)
    case bound(address: String)
    /// 65 bytes, base64.
    case signature(String)
    /// `0x` and 64 hex digits.
    case transactionHash(String)
    case refused(Refusal)
}
