import DaybookDomain
import DaybookEncoding
import DaybookProjections

/// What a wallet has of an asset, in minor units (duffs, loop, token units) as decimal text.
public struct Balance: Equatable, Sendable {
    public let wallet: UInt64
    /// `DASH`, `AXE`, `ICX` or a token's contract address.
    public let asset: String
    /// What people call the asset: `DASH`, `AXE`, `ICX`, or what the token calls itself.
    public let symbol: String
    /// How many decimals a whole coin has; nil for a token that has not said so yet.
    public let decimals: Int?
    /// In blocks, what is reserved included.
    public let confirmed: String
    /// In the mempool only.
    public let unconfirmed: String
    /// Held back by transactions that the chain does not show yet.
    public let reserved: String
    /// What can be spent now.
    public let available: String
}

/// Something of the user's that a caller was told.
public struct Binding: Equatable, Sendable {
    /// The request by which it was asked for.
    public let request: UInt64
    /// The caller's URL scheme, as it calls itself.
    public let caller: String
    public let wallet: UInt64
    /// `address`, `masterPublicKey` or `bind`.
    public let kind: String
    /// The address, or the extended public keys.
    public let values: [String]
    /// Microseconds since 1970.
    public let time: UInt64
}

/// A callback URL that the front end is to open.
public struct Callback: Equatable, Sendable {
    public let request: UInt64
    public let url: String
    public let isDelivered: Bool
}

/// An event as the log has it.
public struct LogEvent: Equatable, Sendable {
    public let position: UInt64
    public let type: String
    /// Microseconds since 1970.
    public let time: UInt64
    public let session: UInt64
    public let request: UInt64?
    public let cause: UInt64?
    public let stream: String
    public let revision: UInt64
    public let actor: String
    /// The content as JSON text without loss: bytes stand as `{"$hex":"…"}`.
    public let data: String
    /// The bytes of the whole event, as they are stored and hashed.
    public let bytes: [UInt8]
}
