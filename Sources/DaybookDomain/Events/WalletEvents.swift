package import DaybookChains
package import DaybookEncoding

/// A wallet was added: its public part; its secret is sealed under `keys/`.
package struct WalletAdded: EventData {
    package static let type = "wallet.added"

    package let chain: Chain
    package let network: Network
    /// ICON's network id; nil on the other chains.
    package let networkID: UInt64?
    package let label: String?
    /// The name of the sealed file, computed from `material`.
    package let fingerprint: String
    package let keys: Keys
    /// Whether the wallet is watch-only: it has no sealed file, and nothing is signed here.
    package let isWatchOnly: Bool
    /// The unused addresses that are looked at ahead; nil for BIP 44's twenty.
    package let gap: UInt64?

    /// The ledger that the wallet is on.
    package var chainID: ChainID { ChainID(chain, network) }

    package typealias Keys = PublicMaterial.Keys
    package typealias Account = PublicMaterial.Account

    /// Creates the event; the fingerprint is computed if it is not given.
    package init(
        chain: Chain, network: Network, networkID: UInt64?, label: String?,
        fingerprint: String? = nil, keys: Keys, isWatchOnly: Bool = false, gap: UInt64? = nil
    ) {
        self.chain = chain
        self.network = network
        self.networkID = networkID
        self.label = label
        self.keys = keys
        self.isWatchOnly = isWatchOnly
        self.gap = gap
        let material = PublicMaterial(
            chain: chain, network: network, networkID: networkID, keys: keys)
        self.fingerprint = fingerprint ?? material.fingerprint
    }

    /// The data that the addresses are derived from and that the sealed file must contain too.
    package var material: PublicMaterial {
        PublicMaterial(chain: chain, network: network, networkID: networkID, keys: keys)
    }

    private var accounts: [Account] {
        if case .accounts(let accounts) = keys { accounts } else { [] }
    }

    private var publicKey: Bytes? { if case .single(let key) = keys { key } else { nil } }

    /// The same wallet with another label.
    package func labelled(_ label: String?) -> WalletAdded {
        WalletAdded(
            chain: chain, network: network, networkID: networkID, label: label,
            fingerprint: fingerprint, keys: keys, isWatchOnly: isWatchOnly, gap: gap)
    }

    /// The greatest gap: more addresses would make each scan slow.
    package static let maximumGap: UInt64 = 1000

    /// The gap that addresses are derived ahead by, within its limits whatever the event says.
    package var gapLimit: UInt64 { min(max(gap ?? 0, State.gapLimit), Self.maximumGap) }

    /// Whether the fingerprint belongs to the keys; if not, the log was altered.
    package var isConsistent: Bool { Text.equal(fingerprint, material.fingerprint) }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        gap = try coder.optional("gap", value?.gap)
        chain = try coder.field("chain", value?.chain)
        label = try coder.optional("label", value?.label)
        network = try coder.field("network", value?.network)
        let accounts = try coder.list("accounts", value?.accounts)
        networkID = try coder.optional("networkID", value?.networkID)
        let publicKey = try coder.optional("publicKey", value?.publicKey)
        isWatchOnly = try coder.flag("watchOnly", value?.isWatchOnly)
        fingerprint = try coder.field("fingerprint", value?.fingerprint)
        keys = publicKey.map { .single(publicKey: $0) } ?? .accounts(accounts)
    }
}

extension PublicMaterial.Account: Recorded {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        let bip32 = try coder.field("bip32", value?.bip32)
        let bip44 = try coder.field("bip44", value?.bip44)
        let master = try coder.optional("master", value?.master == 0 ? nil : value?.master)
        let number = try coder.field("number", value?.number)
        let coinJoin = try coder.optional(
            "coinJoin", value?.coinJoin.isEmpty == true ? nil : value?.coinJoin)
        let coinType = try coder.field("coinType", value?.coinType)
        self.init(
            number: number, bip32: bip32, bip44: bip44, coinType: coinType, master: master ?? 0,
            coinJoin: coinJoin ?? "")
    }
}

/// A wallet was given another label, or none.
package struct WalletRenamed: EventData {
    package static let type = "wallet.renamed"
    package let wallet: WalletID
    /// The new label; nil if the wallet has none any more.
    package let label: String?

    package init(wallet: WalletID, label: String?) {
        self.wallet = wallet
        self.label = label
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        label = try coder.optional("label", value?.label)
        wallet = try coder.field("wallet", value?.wallet)
    }
}

/// A wallet was removed; its history stays.
package struct WalletRemoved: EventData {
    package static let type = "wallet.removed"
    package let wallet: WalletID

    package init(wallet: WalletID) { self.wallet = wallet }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        wallet = try coder.field("wallet", value?.wallet)
    }
}

/// The user froze coins of a wallet: no payment spends them until they are unfrozen.
package struct CoinFrozen: EventData {
    package static let type = "coin.frozen"
    package let wallet: WalletID
    package let coins: [Outpoint]

    package init(wallet: WalletID, coins: [Outpoint]) {
        self.wallet = wallet
        self.coins = coins
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        coins = try coder.list("coins", value?.coins)
        wallet = try coder.field("wallet", value?.wallet)
    }
}

/// The user unfroze coins of a wallet, so that payments may spend them again.
package struct CoinUnfrozen: EventData {
    package static let type = "coin.unfrozen"
    package let wallet: WalletID
    package let coins: [Outpoint]

    package init(wallet: WalletID, coins: [Outpoint]) {
        self.wallet = wallet
        self.coins = coins
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        coins = try coder.list("coins", value?.coins)
        wallet = try coder.field("wallet", value?.wallet)
    }
}

/// A wrong passphrase was given for a wallet.
package struct UnlockFailed: EventData {
    package static let type = "unlock.failed"
    package let wallet: WalletID

    package init(wallet: WalletID) { self.wallet = wallet }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        wallet = try coder.field("wallet", value?.wallet)
    }
}

/// A wallet was locked after too many wrong passphrases, until `until` (µs).
package struct UnlockLocked: EventData {
    package static let type = "unlock.locked"
    package let wallet: WalletID
    package let until: UInt64
}

extension UnlockLocked {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        until = try coder.field("until", value?.until)
        wallet = try coder.field("wallet", value?.wallet)
    }
}

/// A wallet received coins that are not its own change.
package struct PaymentReceived: EventData {
    package static let type = "payment.received"

    package let wallet: WalletID
    package let asset: String
    package let amount: UInt256
    /// The paying transaction; nil on ICON, which shows only balances.
    package let txid: Bytes?

    package init(wallet: WalletID, asset: String, amount: UInt256, txid: Bytes?) {
        self.wallet = wallet
        self.asset = asset
        self.amount = amount
        self.txid = txid
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        txid = try coder.optional("txid", value?.txid)
        asset = try coder.field("asset", value?.asset)
        amount = try coder.field("amount", value?.amount)
        wallet = try coder.field("wallet", value?.wallet)
    }
}

/// Coins left a wallet by a transaction that was made elsewhere (ICON shows only balances).
package struct PaymentMade: EventData {
    package static let type = "payment.made"

    package let wallet: WalletID
    package let asset: String
    package let amount: UInt256
}

extension PaymentMade {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        asset = try coder.field("asset", value?.asset)
        amount = try coder.field("amount", value?.amount)
        wallet = try coder.field("wallet", value?.wallet)
    }
}
