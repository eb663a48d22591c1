import DaybookChains
import DaybookCrypto
import DaybookDomain
public import DaybookEncoding

/// A chain that a wallet can be of.
public enum ChainName: String, Sendable, CaseIterable {
    case dash, axe, icon

    /// The symbol of the chain's own coin, such as `DASH`.
    public var coin: String { DaybookChains.Chain(self).rules.coin.asset }

    /// How many decimals an amount of the chain's own coin has.
    public var decimals: Int { DaybookChains.Chain(self).rules.coin.decimals }
}

/// A network of a chain; `sandbox` is embedded, and its coins have no value.
public enum NetworkName: String, Sendable, CaseIterable {
    case sandbox, regtest, testnet, mainnet
}

/// A wallet as front ends see it: never a secret.
public struct Wallet: Equatable, Sendable {
    /// The position of its `wallet.added` event.
    public let id: WalletID
    /// The chain whose coins it keeps.
    public let chain: ChainName
    /// The network that its addresses are for.
    public let network: NetworkName
    /// The first receive address, or the only one; empty if there is a `problem`.
    public let address: String
    /// The user's own name for it.
    public let label: String?
    /// Why no address is shown: the code of the error that using the wallet would throw.
    ///
    /// `keyMismatch` if the recorded keys are not the sealed ones, `keyMissing` if there is no
    /// sealed key; nil for a wallet that can be used.
    public let problem: String?
}

extension Wallet {
    init(_ id: WalletID, _ row: WalletRow, problem: String?) {
        self.init(
            id: id, chain: ChainName(row.wallet.chain), network: NetworkName(row.wallet.network),
            address: problem == nil ? row.address : "", label: row.wallet.label,
            problem: problem)
    }
}

extension DaybookChains.Chain {
    init(_ name: ChainName) {
        switch name {
        case .dash: self = .dash
        case .axe: self = .axe
        case .icon: self = .icon
        }
    }
}

extension ChainName {
    init(_ chain: DaybookChains.Chain) {
        switch chain {
        case .dash: self = .dash
        case .axe: self = .axe
        case .icon: self = .icon
        }
    }
}

extension NetworkName {
    init(_ network: DaybookChains.Network) {
        switch network {
        case .sandbox: self = .sandbox
        case .regtest: self = .regtest
        case .testnet: self = .testnet
        case .mainnet: self = .mainnet
        }
    }
}

extension DaybookChains.Network {
    init(_ name: NetworkName) {
        switch name {
        case .sandbox: self = .sandbox
        case .regtest: self = .regtest
        case .testnet: self = .testnet
        case .mainnet: self = .mainnet
        }
    }
}

/// A wallet's balance of an asset, in minor units (duffs, loop, token units) as decimal text.
public struct Balance: Equatable, Sendable {
    /// The wallet's id.
    public let wallet: WalletID
    /// `DASH`, `AXE`, `ICX` or a token's contract address.
    public let asset: String
    /// The asset's symbol: `DASH`, `AXE`, `ICX`, or the token's own.
    public let symbol: String
    /// The number of decimals of a whole coin; nil if the token's is not known yet.
    public let decimals: Int?
    /// The amount in blocks, including what is reserved.
    public let confirmed: String
    /// The amount only in the mempool.
    public let unconfirmed: String
    /// The amount reserved for transactions that the chain does not show yet.
    public let reserved: String
    /// What can't be spent yet: immature block rewards, and unconfirmed payments of others.
    ///
    /// `confirmed` plus `unconfirmed` equals `available` plus `reserved` plus `held`.
    public let held: String
    /// The part of `held` that is block rewards, which mature after a hundred blocks.
    public let immature: String
    /// The amount that can be spent now.
    public let available: String
}

/// An address or public key of the user that a caller was given.
public struct Binding: Equatable, Sendable {
    /// The request that asked for it.
    public let request: RequestID
    /// The caller's URL scheme, unverified.
    public let caller: String
    /// The wallet of the address or key.
    public let wallet: WalletID
    /// `address`, `masterPublicKey` or `bind`.
    public let kind: String
    /// The address, or the extended public keys.
    public let values: [String]
    /// When it was given, in microseconds since 1970.
    public let time: UInt64
}

/// A change of a wallet's coins.
public struct HistoryEntry: Equatable, Sendable {
    /// The position of the event.
    public let position: Position
    /// `received`, `sent`, `confirmed`, `failed` or `reorganised`.
    public let kind: String
    /// Microseconds since 1970.
    public let time: UInt64
    /// The asset that was received or sent, if the event says so.
    public let asset: String?
    /// The amount, in minor units as decimal text.
    public let amount: String?
    /// The transaction's id or hash in hex.
    public let transaction: String?
    /// The request that it was sent for.
    public let request: RequestID?
}

extension HistoryEntry {
    init(_ position: Position, _ row: HistoryRow) {
        self.init(
            position: position, kind: row.kind.rawValue, time: row.time, asset: row.asset,
            amount: row.amount?.decimal, transaction: row.txid.map { Hex.encode($0) },
            request: row.request)
    }
}

/// A passphrase in memory that is wiped after use.
public struct Passphrase: ~Copyable, Sendable {
    let secret: SecretBytes

    /// Copies the bytes of a passphrase (UTF-8 as typed) and wipes the source.
    public init(wiping bytes: inout [UInt8]) {
        secret = SecretBytes(wiping: &bytes)
    }
}

/// The source of a new wallet's secret.
public enum WalletSource: ~Copyable, Sendable {
    /// New words from 128 bits of entropy (Dash, Axe), or a new key without words (ICON).
    case new
    /// New words, also on ICON.
    case newWords
    /// Words of BIP 39, in English.
    case mnemonic(Passphrase)
    /// A private key in wallet import format.
    case wif(Passphrase)
    /// A private key of 64 hex digits.
    case hexKey(Passphrase)
    /// An ICON keystore file (V3) and its password.
    case keystore(file: [UInt8], password: Passphrase)
}
