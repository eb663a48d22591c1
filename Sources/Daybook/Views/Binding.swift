/// An address or key of the user's that a caller was given.
public struct Binding: Equatable, Sendable {
    /// The request that asked for it.
    public let request: RequestID
    /// The caller's URL scheme, as it calls itself.
    public let caller: String
    /// The wallet that it belongs to.
    public let wallet: WalletID
    /// `address`, `masterPublicKey` or `bind`.
    public let kind: String
    /// The address, or the extended public keys.
    public let values: [String]
    /// When it was given, in microseconds since 1970.
    public let time: UInt64
}
