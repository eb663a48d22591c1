import DaybookDomain
public import DaybookEncoding
import DaybookReplay

/// A wallet's balance of an asset.
public struct Balance: Codable, Hashable, Sendable {
    /// The wallet's id.
    public let wallet: WalletID
    /// `DASH`, `AXE`, `ICX` or a token's contract address.
    public let asset: String
    /// The asset's symbol: `DASH`, `AXE`, `ICX`, or the token's own.
    public let symbol: String
    /// The number of decimals of a whole coin; nil if the token's is not known yet.
    public let decimals: Int?
    /// The amount in blocks, including what is reserved.
    public let confirmed: MinorAmount
    /// The amount only in the mempool.
    public let unconfirmed: MinorAmount
    /// The amount reserved for transactions that the chain does not show yet.
    public let reserved: MinorAmount
    /// The amount that can't be spent yet.
    ///
    /// Immature block rewards, unconfirmed payments of others, and the change of payments whose
    /// coins a reorganization took away.
    /// `confirmed` plus `unconfirmed` equals `available` plus `reserved` plus `held` plus `frozen`.
    public let held: MinorAmount
    /// The amount of the coins that the user froze, which no payment spends.
    public let frozen: MinorAmount
    /// The part of `held` that is block rewards, which mature after a hundred blocks.
    public let immature: MinorAmount
    /// The amount that can be spent now.
    public let available: MinorAmount
    /// Set while no node of the wallet's chain answers: the amounts are older.
    public let outage: ChainOutage?

    /// A balance for previews and tests of a front end; without amounts it is zero.
    public init(
        wallet: WalletID, asset: String, symbol: String, decimals: Int?, confirmed: MinorAmount = 0,
        unconfirmed: MinorAmount = 0, reserved: MinorAmount = 0, held: MinorAmount = 0,
        frozen: MinorAmount = 0, immature: MinorAmount = 0, available: MinorAmount = 0,
        outage: ChainOutage? = nil
    ) {
        (self.wallet, self.asset) = (wallet, asset)
        (self.symbol, self.decimals) = (symbol, decimals)
        (self.confirmed, self.unconfirmed, self.reserved) = (confirmed, unconfirmed, reserved)
        (self.held, self.frozen) = (held, frozen)
        (self.immature, self.available) = (immature, available)
        self.outage = outage
    }
}

/// An address or public key of the user that a caller was given.
public struct Binding: Codable, Hashable, Sendable, Identifiable {
    /// The request that asked for it.
    public let request: RequestID
    /// The caller's URL scheme, unverified.
    public let caller: String
    /// The wallet of the address or key.
    public let wallet: WalletID
    /// The disclosed value.
    public let kind: Kind
    /// The address, or the extended public keys.
    public let values: [String]
    /// When it was given.
    public let time: Timestamp

    /// The request's id: a request gives one thing at most.
    public var id: RequestID { request }

    /// A binding for previews and tests of a front end.
    public init(
        request: RequestID, caller: String, wallet: WalletID, kind: Kind, values: [String],
        time: Timestamp = Timestamp(microseconds: 0)
    ) {
        (self.request, self.caller, self.wallet) = (request, caller, wallet)
        (self.kind, self.values, self.time) = (kind, values, time)
    }

    /// The kinds of disclosed values.
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// A receive address.
        case address
        /// Extended public keys.
        case masterPublicKey
        /// The address of an ICON wallet.
        case bind
    }
}

extension Binding.Kind {
    init(_ kind: BindingGranted.Kind) {
        switch kind {
        case .address: self = .address
        case .masterPublicKey: self = .masterPublicKey
        case .bind: self = .bind
        }
    }
}
