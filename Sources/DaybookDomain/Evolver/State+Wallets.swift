import DaybookChains
import DaybookCrypto
import DaybookEncoding

extension State {
    /// Adds a wallet and derives its first addresses.
    ///
    /// If the fingerprint does not belong to the keys, the log was altered and the event changes
    /// nothing.
    mutating func evolve(_ data: WalletAdded, _ event: Event) {
        guard data.isConsistent else { return }
        let id = WalletID(event.position)
        wallets[id] = WalletRow(wallet: data)
        if let row = data.singleAddress {
            addAddress(row, at: AddressKey(id, .single, 0), to: data, id)
        }
        for branch in data.branches {
            branches[BranchKey(id, branch)] = BranchRow(derived: 0, afterUsed: 0)
            extend(branch, of: id, data)
        }
    }

    /// Removes a wallet: its balances move to the external account, its outputs are forgotten.
    mutating func evolve(_ data: WalletRemoved) {
        guard var row: WalletRow = wallets[data.wallet] else { return }
        let external = LedgerAccount.external(row.wallet.chain, row.wallet.network)
        for (key, balance) in balances.rows(.first(data.wallet)) {
            let whole = balance.confirmed.adding(balance.unconfirmed) ?? .max
            note(
                SignedAmount(whole, isNegative: true), of: key.text, in: data.wallet, by: nil,
                isRemoval: true)
            for part in BalanceRow.Part.allCases {
                move(balance[part], of: key.text, from: .wallet(data.wallet, part), to: external)
            }
        }
        spendable.removeAll(.first(data.wallet))
        outputs.removeAll(.first(data.wallet))
        spentOutputs.removeAll(.first(data.wallet))
        immature.removeAll(.first(data.wallet))
        unconfirmed.removeAll(.first(data.wallet))
        reserved.removeAll(.first(data.wallet))
        frozen.removeAll(.first(data.wallet))
        row.removed = true
        wallets[data.wallet] = row
    }

    private mutating func addAddress(
        _ row: AddressRow, at key: AddressKey, to data: WalletAdded, _ id: WalletID
    ) {
        addresses[key] = row
        // If two wallets have the same key, its coins count in the older one only.
        let script = ScriptKey(data.chain, data.network, row.script)
        if let owner = scripts[script], wallet(owner.wallet) != nil { return }
        scripts[script] = ScriptRow(wallet: id, address: key)
    }

    /// Derives addresses of a branch until the gap after the last used address is full.
    private mutating func extend(
        _ branch: AddressRow.Branch, of id: WalletID, _ data: WalletAdded
    ) {
        // Checked before the key is derived, which is slow: the gap is nearly always full.
        guard var row: BranchRow = branches[BranchKey(id, branch)],
            row.afterUsed < DerivationPath.hardened,
            row.derived < row.afterUsed + data.gapLimit, data.hasKeys(for: branch, branchKeys)
        else { return }
        while row.derived < row.afterUsed + data.gapLimit {
            let index = UInt32(truncatingIfNeeded: row.derived)
            // BIP 32 skips a child key that does not exist (probability 2^-127).
            if let address = data.address(of: branch, at: index, branchKeys) {
                addAddress(address, at: AddressKey(id, branch, index), to: data, id)
            }
            row.derived += 1
        }
        branches[BranchKey(id, branch)] = row
    }

    /// Records that the scan that found a new tip has asked about all addresses.
    mutating func markAsked(on chain: Chain, _ network: Network) {
        for (id, row) in wallets(of: chain) where row.wallet.network == network {
            for branch in row.wallet.branches {
                guard var row: BranchRow = branches[BranchKey(id, branch)], row.asked != row.derived
                else { continue }
                row.asked = row.derived
                branches[BranchKey(id, branch)] = row
            }
        }
    }

    /// Marks an address as used, and keeps the gap after it full.
    mutating func markUsed(_ key: AddressKey, of id: WalletID) {
        guard var address = addresses[key], !address.used else { return }
        address.used = true
        addresses[key] = address
        guard let wallet = wallets[id] else { return }
        branches.update(key.first) { $0.afterUsed = max($0.afterUsed, UInt64(key.index) + 1) }
        extend(key.branch, of: id, wallet.wallet)
    }
}
