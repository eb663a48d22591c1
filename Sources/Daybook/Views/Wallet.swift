import DaybookChains
import DaybookDomain
public import DaybookEncoding

/// A chain whose wallets the store keeps.
public enum ChainName: String, Sendable, CaseIterable {
    case dash, axe, icon
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
