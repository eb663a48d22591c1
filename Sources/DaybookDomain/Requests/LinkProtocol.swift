package import DaybookEncoding

/// A wallet's URL protocol: reads its links and words its callbacks, and knows nothing else.
package protocol LinkProtocol: Sendable {
    /// The name that requests carry in the log, fixed for ever (`dashwallet`, `iconex`, …).
    var id: String { get }

    /// `dash`, `axe` or `iconex`: how the command line groups protocols.
    var family: String { get }

    /// Whether the text, as it came, is this protocol's to read (or to refuse).
    func claims(_ text: Bytes) -> Bool

    /// Reads a link that it claims; total: whatever is wrong is a refusal.
    func read(_ text: Bytes) -> LinkReading

    /// The number that the protocol has for a refusal (ICONex Connect's codes), nil if none.
    func code(of refusal: Refusal) -> Int?

    /// The callback URL, character for character, or nil where the protocol sends none.
    func callback(_ reply: Reply, to caller: Caller, reference: Int64?) -> String?
}

/// What became of a link's text.
package enum LinkReading: Equatable, Sendable {
    case request(Request)
    /// `caller` and `reference` are there when the refusal can still be answered.
    case refused(Refusal, caller: Caller?, reference: Int64?)
}

/// What is told to the caller at the end of a request.
package enum Reply: Equatable, Sendable {
    case paid(address: String, transaction: String)
    case address(String)
    case masterPublicKey(bip32: String, bip44: String, account: UInt32)
    case bound(address: String)
    /// 65 bytes, base64.
    case signature(String)
    /// `0x` and 64 hex digits.
    case transactionHash(String)
    case refused(Refusal)
}
