/// What a wallet has of an asset, in minor units (duffs, loop, token units) as decimal text.
public struct Balance: Equatable, Sendable {
    /// The wallet's id.
    public let wallet: WalletID
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
    /// What can't be spent yet: block rewards too young, and payments of others that no block has.
    ///
    /// `confirmed` and `unconfirmed` are together `available`, `reserved` and `held`.
    public let held: String
    /// What of `held` are block rewards, which a hundred blocks free.
    public let immature: String
    /// What can be spent now.
    public let available: String
}
