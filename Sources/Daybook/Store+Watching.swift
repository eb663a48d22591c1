import DaybookChains
import DaybookDomain
public import DaybookEncoding
import DaybookSigner

extension Store {
    /// Adds a wallet by its public key alone: its secret is on another machine.
    ///
    /// `key` is an account's extended public key, with or without its origin
    /// (`[73c5da0a/44'/5'/0']xpub…`), or for ICON and wallets of one key the public key in 66
    /// hexadecimal digits; `watchKey(of:)` gives it. What the wallet's addresses follow from is
    /// kept under `keys/` too, and only a log that agrees with it has its addresses shown.
    ///
    /// - Throws: `invalidKey`, `walletExists`, `permissionDenied`.
    public func watchWallet(
        _ key: String, chain: ChainName, network: NetworkName = .sandbox, label: String? = nil,
        coinType: UInt32? = nil, networkID: UInt64? = nil
    ) async throws -> Wallet {
        let kind = (DaybookChains.Chain(chain), DaybookChains.Network(network))
        guard label.map({ $0.utf8.count <= 64 }) ?? true else {
            throw DaybookError("invalidWallet", .usage, "a label has at most 64 bytes")
        }
        let nid = kind.0 == .icon ? networkID ?? Self.networkID(of: kind.1) : nil
        let material = WatchedKey.material(
            of: key, chain: kind.0, network: kind.1, networkID: nid, coinType: coinType)
        guard let material else {
            throw DaybookError(
                "invalidKey", .usage,
                "this is no public key of a \(chain.rawValue) wallet on \(network.rawValue)")
        }
        let added = WalletAdded(
            chain: kind.0, network: kind.1, networkID: nid, label: label, keys: material.keys,
            isWatchOnly: true)
        return try await facing {
            try journal.read { try Self.refuseKnown(added, $0) }
            try keystore.watch(material)
            return try await record(added)
        }
    }

    /// The public key by which another store can watch a wallet: it can't spend from it.
    ///
    /// - Throws: `unknownWallet`, `keyMismatch`, `keyMissing`, `keyDamaged`, `permissionDenied`.
    public func watchKey(of wallet: WalletID) throws -> String {
        try facing {
            try journal.read { state in
                WatchedKey.text(of: try checkedWallet(wallet, in: state).material)
            }
        }
    }
}
