import DaybookChains
import DaybookCrypto
import DaybookDomain
public import DaybookEncoding
package import DaybookSystem

/// A chain that a wallet can be of.
public enum ChainName: String, Codable, Hashable, Sendable, CaseIterable {
    case dash, axe, icon

    /// The symbol of the chain's own coin, such as `DASH`.
    public var coin: String { DaybookChains.Chain(self).rules.coin.asset }

    /// How many decimals an amount of the chain's own coin has.
    public var decimals: Int { DaybookChains.Chain(self).rules.coin.decimals }

    /// The payment URI of an address, as QR codes hold it; the address itself for ICON.
    public func uri(of address: String) -> String {
        switch DaybookChains.Chain(self).rules.ledger {
        case .outputs: "\(rawValue):\(address)"
        // There is no scheme for payments to accounts.
        case .accounts: address
        }
    }
}

/// A network of a chain; `sandbox` is embedded, and its coins have no value.
public enum NetworkName: String, Codable, Hashable, Sendable, CaseIterable {
    case sandbox, regtest, testnet, mainnet
}

/// A wallet as front ends see it: never a secret.
public struct Wallet: Codable, Hashable, Sendable, Identifiable {
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
    public let problem: DaybookError.Code?
    /// How it is unlocked in this process; nil if its payments need the passphrase.
    public let unlocked: WalletUnlocking?

    /// A wallet for previews and tests of a front end.
    public init(
        id: WalletID, chain: ChainName, network: NetworkName = .sandbox, address: String,
        label: String? = nil, problem: DaybookError.Code? = nil,
        unlocked: WalletUnlocking? = nil
    ) {
        (self.id, self.chain, self.network) = (id, chain, network)
        (self.address, self.label, self.problem) = (address, label, problem)
        self.unlocked = unlocked
    }
}

/// How long and for how much a wallet is unlocked, in the process that unlocked it.
public struct WalletUnlocking: Codable, Hashable, Sendable {
    /// When the key is dropped.
    public let until: Timestamp
    /// The rest of the limit, which fees count for too, of the chain's coin.
    public let remaining: MinorAmount

    /// A value for previews and tests of a front end.
    public init(until: Timestamp, remaining: MinorAmount) {
        self.until = until
        self.remaining = remaining
    }
}

extension Wallet {
    init(
        _ id: WalletID, _ row: WalletRow, problem: DaybookError.Code?, unlocked: WalletUnlocking?
    ) {
        self.init(
            id: id, chain: ChainName(row.wallet.chain), network: NetworkName(row.wallet.network),
            address: problem == nil ? row.address : "", label: row.wallet.label,
            problem: problem, unlocked: unlocked)
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

/// A passphrase in memory that is wiped after use.
public struct Passphrase: ~Copyable, Sendable {
    let secret: SecretBytes

    /// Copies the bytes of a passphrase (UTF-8 as typed) and wipes the source.
    public init(wiping bytes: inout [UInt8]) {
        secret = SecretBytes(wiping: &bytes)
    }

    /// Copies the bytes of a passphrase that came by a door.
    package init(_ text: WipedBytes) {
        secret = text.withBytes { SecretBytes(copying: $0) }
    }
}

/// The source of a new wallet's secret.
public enum WalletSource: ~Copyable, Sendable {
    /// New words from 128 bits of entropy (Dash, Axe), or a new key without words (ICON).
    case new
    /// New words, also on ICON.
    case newWords
    /// Words of BIP 39, of any of its lists.
    case mnemonic(Passphrase)
    /// Words of BIP 39 with BIP 39's passphrase, with which other keys follow from them.
    case protectedMnemonic(Passphrase, passphrase: Passphrase)
    /// A private key in wallet import format.
    case wif(Passphrase)
    /// A private key of 64 hex digits.
    case hexKey(Passphrase)
    /// An ICON keystore file (V3) and its password.
    case keystore(file: [UInt8], password: Passphrase)
}
