/// The rules that differ by chain: its kind of ledger, its coin, its keys and its nodes' habits.
///
/// Code outside this module and the chain's own files asks these rules, never which chain it has.
/// For example, a scan asks for addresses and outputs where `ledger` is `.outputs`.
package struct ChainRules: Sendable {
    /// How a chain keeps amounts.
    package enum Ledger: Sendable {
        /// Transactions spend outputs of earlier transactions, each whole and once: Dash, Axe.
        case outputs
        /// Each address has a balance: ICON.
        case accounts
    }

    /// The keys of a wallet of the chain.
    package enum Keys: Sendable {
        /// Keys derived from words along BIP 32 paths; a single imported key as well.
        case derived
        /// One key, which may come from words.
        case single
    }

    /// How the chain keeps amounts.
    package let ledger: Ledger
    /// The symbol and the decimals of the chain's own coin.
    package let coin: TokenUnit
    /// The amounts, in the coin's minor unit, that a masternode's collateral has exactly.
    package let collaterals: [UInt64]
    /// The keys of a new wallet.
    package let keys: Keys
    /// Whether a key can be written to a keystore file (Web3 secret storage, version 3).
    package let hasKeystoreFiles: Bool
    /// Whether transactions carry the network's number (ICON's `nid`).
    package let hasNetworkIDs: Bool
    /// Whether nodes write a `.cookie` file with a password that changes at every start.
    package let hasCookieFiles: Bool
    /// About how many blocks the chain has in a day.
    package let blocksPerDay: UInt64
    /// No block was made earlier, in microseconds since 1970.
    package let firstBlockTime: UInt64
    /// The path of a node's JSON-RPC interface where its address names none.
    package let nodePath: String
    /// The path of a node's debug interface; nil where nodes have none.
    package let debugPath: String?
}

extension Chain {
    /// The rules of this chain.
    package var rules: ChainRules {
        switch self {
        case .dash: .dash
        case .axe: .axe
        case .icon: .icon
        }
    }
}

extension ChainRules {
    /// Evonodes need four times as much as a masternode.
    fileprivate static let dash = likeDash(coin: "DASH", masternodes: [1000, 4000])

    fileprivate static let axe = likeDash(coin: "AXE", masternodes: [1000])

    /// The rules of a chain whose node descends from Dash Core.
    private static func likeDash(coin: String, masternodes: [UInt64]) -> ChainRules {
        ChainRules(
            ledger: .outputs, coin: TokenUnit(asset: coin, decimals: Duffs.decimals),
            collaterals: masternodes.map { $0 * Duffs.perCoin }, keys: .derived,
            hasKeystoreFiles: false, hasNetworkIDs: false, hasCookieFiles: true,
            blocksPerDay: 576, firstBlockTime: 1_390_095_618_000_000, nodePath: "/",
            debugPath: nil)
    }

    fileprivate static let icon = ChainRules(
        ledger: .accounts, coin: TokenUnit(asset: "ICX", decimals: 18),
        collaterals: [], keys: .single,
        hasKeystoreFiles: true, hasNetworkIDs: true, hasCookieFiles: false,
        blocksPerDay: 43_200, firstBlockTime: 1_483_228_800_000_000, nodePath: "/api/v3",
        debugPath: "/api/v3d")
}
