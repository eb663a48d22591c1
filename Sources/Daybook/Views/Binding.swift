/// Something of the user's that a caller was told.
public struct Binding: Equatable, Sendable {
    /// The request by which it was asked for.
    public let request: UInt64
    /// The caller's URL scheme, as it calls itself.
    public let caller: String
    /// The wallet whose it is.
    public let wallet: UInt64
    /// `address`, `masterPublicKey` or `bind`.
    public let kind: String
    /// The address, or the extended public keys.
    public let values: [String]
    /// Microseconds since 1970.
    public let time: UInt64
}
