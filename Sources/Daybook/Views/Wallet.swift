import DaybookChains
import DaybookCrypto
import DaybookDomain
public import DaybookEncoding

/// A chain whose wallets the store keeps.
public enum ChainName: String, Sendable, CaseIterable {
    case dash, axe, icon

    /// The symbol of the chain's own coin, such as `DASH`.
    public var coin: String { DaybookChains.Chain(self).rules.coin.asset }

    /// How many decimals an amount of the chain's own coin has.
    public var decimals: Int { DaybookChains.Chain(self).rules.coin.decimals }
}

/// A network of a chain; `sandbox` is the embedded one, on which nothing has value.
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
    /// The first receive address, or the only one; empty where there is a `problem`.
    public let address: String
    /// The user's own name for it.
    public let label: String?
    /// Why no address is shown: the code of the error that using the wallet would throw.
    ///
    /// `keyMismatch` where the sealed key is another one than the log says, `keyMissing` where
    /// there is none; nil for a wallet that can be used.
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

/// Something that happened to a wallet's coins.
public struct HistoryEntry: Equatable, Sendable {
    /// The position of the event.
    public let position: Position
    /// `received`, `sent`, `confirmed`, `failed` or `reorganised`.
    public let kind: String
    /// Microseconds since 1970.
    public let time: UInt64
    /// The asset that came or went, where the event says so.
    public let asset: String?
    /// How much, in minor units as decimal text.
    public let amount: String?
    /// The transaction's id or hash in hex.
    public let transaction: String?
    /// The request by which it was sent.
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

/// A passphrase in memory that is wiped when it is no longer used.
public struct Passphrase: ~Copyable, Sendable {
    let secret: SecretBytes

    /// Takes the bytes of a passphrase (UTF-8 as typed) and wipes them where they came from.
    public init(wiping bytes: inout [UInt8]) {
        secret = SecretBytes(wiping: &bytes)
    }
}

/// Where a new wallet's secret comes from.
public enum WalletSource: ~Copyable, Sendable {
    /// Fresh words of 128 bits of entropy (Dash, Axe), or a fresh key without words (ICON).
    case new
    /// Fresh words, on ICON too.
    case newWords
    /// The words of BIP 39, English.
    case mnemonic(Passphrase)
    /// A private key in wallet import format.
    case wif(Passphrase)
    /// A private key of 64 hex digits.
    case hexKey(Passphrase)
    /// An ICON keystore file (V3) and its own password.
    case keystore(file: [UInt8], password: Passphrase)
}
