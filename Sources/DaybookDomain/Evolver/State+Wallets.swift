import DaybookChains
import DaybookCrypto
import DaybookEncoding

extension State {
    /// Unused addresses that are always derived ahead, as BIP 44 recommends.
    package static let gapLimit: UInt64 = 20

    /// A wallet whose fingerprint is not that of its keys is none: the event changes nothing.
    mutating func evolve(_ data: WalletAdded, _ event: Event) {
        guard data.isConsistent else { return }
        let id = event.position
        put(Key.wallet(id), WalletRow(wallet: data))
        if let row = data.singleAddress {
            addAddress(row, at: Key.address(id, .single, 0), data, id)
        }
        for branch in data.branches {
            put(Key.branch(id, branch), BranchRow(derived: 0, afterUsed: 0))
            extend(branch, of: id, data)
        }
    }

    /// The wallet's coins leave the book with it: they are the world's until they are seen again.
    mutating func evolve(_ data: WalletRemoved) {
        guard var row: WalletRow = get(Key.wallet(data.wallet)) else { return }
        let world = Account.world(row.wallet.chain, row.wallet.network)
        for (key, balance) in list(Key.balances(data.wallet), BalanceRow.self) {
            guard let asset = Key.asset(ofBalance: key) else { continue }
            for part in BalanceRow.Part.allCases {
                move(balance[part], of: asset, from: .wallet(data.wallet, part), to: world)
            }
        }
        let coins = [
            Key.outputs(data.wallet), Key.spentOutputs(data.wallet), Key.immature(data.wallet),
            Key.unconfirmed(data.wallet), Key.reserved(data.wallet),
        ]
        for prefix in coins {
            while let next = scan(prefix: prefix, limit: 1).first {
                remove(next.key)
            }
        }
        row.removed = true
        put(Key.wallet(data.wallet), row)
    }

    private mutating func addAddress(
        _ row: AddressRow, at key: Bytes, _ data: WalletAdded, _ id: UInt64
    ) {
        put(key, row)
        // A coin counts once: two wallets that have its key leave it to the older one.
        let script = Key.script(data.chain, data.network, row.script)
        if let owner: ScriptRow = get(script), wallet(owner.wallet) != nil { return }
        put(script, ScriptRow(wallet: id, address: key))
    }

    /// Derives addresses of a branch until the gap after the last used one is full.
    private mutating func extend(
        _ branch: AddressRow.Branch, of id: UInt64, _ data: WalletAdded
    ) {
        // Most addresses that are used leave the gap full, and a key costs much to derive.
        guard var row: BranchRow = get(Key.branch(id, branch)),
            row.afterUsed < DerivationPath.hardened,
            row.derived < row.afterUsed + Self.gapLimit, data.hasKeys(for: branch, branchKeys)
        else { return }
        while row.derived < row.afterUsed + Self.gapLimit {
            let index = UInt32(truncatingIfNeeded: row.derived)
            // A child that does not exist (probability 2^-127) is passed over, as BIP 32 says.
            if let address = data.address(branch, index, branchKeys) {
                addAddress(address, at: Key.address(id, branch, index), data, id)
            }
            row.derived += 1
        }
        put(Key.branch(id, branch), row)
    }

    /// Notes that the look which found a new tip asked about all addresses: since engine 2.
    mutating func noteAsked(on chain: Chain, _ network: Network) {
        guard engine >= 2 else { return }
        for (id, row) in wallets(of: chain) where row.wallet.network == network {
            for branch in row.wallet.branches {
                guard var row: BranchRow = get(Key.branch(id, branch)), row.asked != row.derived
                else { continue }
                row.asked = row.derived
                put(Key.branch(id, branch), row)
            }
        }
    }

    /// Notes that an address has received something, and keeps the gap after it full.
    mutating func markUsed(_ key: Bytes, of id: UInt64) {
        guard var address: AddressRow = get(key), !address.used else { return }
        address.used = true
        put(key, address)
        guard let wallet: WalletRow = get(Key.wallet(id)) else { return }
        for branch in wallet.wallet.branches {
            let prefix = Key.address(id, branch, 0).dropLast(4)
            guard key.starts(with: prefix), key.count == prefix.count + 4 else { continue }
            let index: UInt64 = BigEndian.number(key.suffix(4))
            guard var row: BranchRow = get(Key.branch(id, branch)) else { continue }
            row.afterUsed = max(row.afterUsed, index + 1)
            put(Key.branch(id, branch), row)
            extend(branch, of: id, wallet.wallet)
        }
    }
}
