import DaybookChains
import DaybookDomain
public import DaybookEncoding

/// The coins of Dash and Axe wallets: which there are, and which are kept back.
extension Store {
    /// The unspent coins of a wallet, in the order of their ids.
    ///
    /// - Throws: `unknownWallet`, `noCoins` for a wallet of ICON.
    public func coins(
        of wallet: WalletID, after: CoinID? = nil, limit: Int = 100
    ) throws(DaybookError) -> CoinPage {
        try convertingErrors {
            try journal.read { state in
                try Self.checkCoins(of: wallet, state)
                var coins: [WalletCoin] = []
                var next: CoinID?
                let size = min(max(limit, 1), RequestScan.limit)
                state.outputs.walk(
                    .first(wallet), after: after.map { OutputKey(wallet, $0.outpoint) }
                ) { key, row in
                    guard row.output.spentBy == nil else { return true }
                    guard coins.count < size else {
                        next = coins.last?.id
                        return false
                    }
                    coins.append(WalletCoin(row, of: wallet, state))
                    return true
                }
                return CoinPage(coins: coins, next: next)
            }
        }
    }

    /// Freezes coins: no payment spends them, and no balance counts them as available.
    ///
    /// A coin stays frozen until it is unfrozen, also if it leaves the chain and comes back. A coin
    /// that a payment in flight spends can't be frozen. Without a wallet the coin's own is meant.
    ///
    /// - Throws: `unknownCoin`, `coinUnavailable` for a coin that is spent or reserved,
    ///   `ambiguousCoin` if wallets of several chains have it, `tooManyCoins`.
    @discardableResult
    public func freeze(
        _ coins: [CoinID], of wallet: WalletID? = nil
    ) async throws(DaybookError) -> [WalletCoin] {
        try await change(coins, of: wallet, to: true)
    }

    /// Unfreezes coins, so that payments may spend them again; otherwise as `freeze`.
    @discardableResult
    public func unfreeze(
        _ coins: [CoinID], of wallet: WalletID? = nil
    ) async throws(DaybookError) -> [WalletCoin] {
        try await change(coins, of: wallet, to: false)
    }

    private func change(
        _ coins: [CoinID], of wallet: WalletID?, to isFrozen: Bool
    ) async throws(DaybookError) -> [WalletCoin] {
        try await convertingErrors {
            guard coins.count <= Self.mostFrozenAtOnce else {
                throw DaybookError(
                    "tooManyCoins", .usage,
                    "at most \(Self.mostFrozenAtOnce) coins are frozen or unfrozen at once")
            }
            try await journal.record { state, _, _ in
                var changed: [WalletID: [Outpoint]] = [:]
                for key in try Self.find(coins, of: wallet, state) {
                    if state.frozen.contains(key) == isFrozen { continue }
                    if isFrozen { try Self.checkFree(key, state) }
                    changed[key.first, default: []].append(key.second)
                }
                return changed.sorted { $0.key < $1.key }.map { wallet, coins in
                    .init(
                        isFrozen
                            ? .coinFrozen(CoinFrozen(wallet: wallet, coins: coins))
                            : .coinUnfrozen(CoinUnfrozen(wallet: wallet, coins: coins)))
                }
            }
            return try journal.read { state in
                try Self.find(coins, of: wallet, state).compactMap { key in
                    state.outputs[key].map { WalletCoin($0, of: key.first, state) }
                }
            }
        }
    }

    /// One event has room for so many coins, and some to spare.
    private static let mostFrozenAtOnce = 1000

    /// The keys of coins that wallets have or that are frozen, each once, in the order given.
    private static func find(
        _ coins: [CoinID], of wallet: WalletID?, _ state: State
    ) throws(DaybookError) -> [OutputKey] {
        if let wallet { try checkCoins(of: wallet, state) }
        var keys: [OutputKey] = []
        for coin in coins {
            let owners = state.wallets().map(\.id).filter { id in
                let key = OutputKey(id, coin.outpoint)
                return (wallet ?? id) == id
                    && (state.outputs.contains(key) || state.spentOutputs.contains(key)
                        || state.frozen.contains(key))
            }
            guard let owner = owners.first else {
                throw DaybookError("unknownCoin", .refused, "no wallet has the coin \(coin)")
            }
            guard owners.count == 1 else {
                throw DaybookError(
                    "ambiguousCoin", .usage, "wallets of several chains have the coin \(coin): "
                        + "name one of \(owners.map(\.description).joined(separator: ", "))")
            }
            let key = OutputKey(owner, coin.outpoint)
            if !keys.contains(key) { keys.append(key) }
        }
        return keys
    }

    private static func checkFree(_ key: OutputKey, _ state: State) throws(DaybookError) {
        let row = state.outputs[key]
        guard row == nil || row?.output.spentBy != nil || row?.reservedBy != nil else { return }
        let cause = state.unspendable(key.second, of: key.first)
        throw DaybookError("coinUnavailable", .refused, "\(key.second.text) \(cause)")
    }

    private static func checkCoins(
        of wallet: WalletID, _ state: State
    ) throws(DaybookError) {
        guard let row = state.wallet(wallet) else {
            throw DaybookError("unknownWallet", .refused, "there is no such wallet")
        }
        guard row.wallet.chain.rules.ledger == .outputs else {
            throw DaybookError(
                "noCoins", .refused, "a balance on ICON does not consist of coins")
        }
    }
}

extension WalletCoin {
    fileprivate init(_ row: OutputRow, of wallet: WalletID, _ state: State) {
        let output = row.output
        let address = state.addresses[row.address]?.text ?? ""
        self.init(
            id: CoinID(output.outpoint), wallet: wallet, amount: MinorAmount(output.amount),
            address: address, height: output.height, isFrozen: row.isFrozen,
            reservedBy: row.reservedBy, isSpendable: row.isSpendable,
            label: state.label(.output(output.outpoint)) ?? state.label(.address(address)))
    }
}
