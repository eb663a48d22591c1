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

    package typealias Keys = PublicMaterial.Keys
    package typealias Account = PublicMaterial.Account

    /// Creates the event; the fingerprint is computed if it is not given.
    package init(
        chain: Chain, network: Network, networkID: UInt64?, label: String?,
        fingerprint: String? = nil, keys: Keys, isWatchOnly: Bool = false
    ) {
        self.chain = chain
        self.network = network
        self.networkID = networkID
        self.label = label
        self.keys = keys
        self.isWatchOnly = isWatchOnly
        let material = PublicMaterial(
            chain: chain, network: network, networkID: networkID, keys: keys)
        self.fingerprint = fingerprint ?? material.fingerprint
    }

    /// The data that the addresses are derived from and that the sealed file must contain too.
    package var material: PublicMaterial {
        PublicMaterial(chain: chain, network: network, networkID: networkID, keys: keys)
    }

    /// The same wallet with another label.
    package func labelled(_ label: String?) -> WalletAdded {
        WalletAdded(
            chain: chain, network: network, networkID: networkID, label: label,
            fingerprint: fingerprint, keys: keys, isWatchOnly: isWatchOnly)
    }

    /// Whether the fingerprint belongs to the keys; if not, the log was altered.
    package var isConsistent: Bool { Text.equal(fingerprint, material.fingerprint) }

    package var coded: CBOR {
        var publicKey: CBOR?
        var accounts: [Account] = []
        switch keys {
        case .accounts(let list): accounts = list
        case .single(let key): publicKey = .bytes(key)
        }
        return .record([
            "chain": .text(chain.rawValue),
            "network": .text(network.rawValue),
            "networkID": networkID.map(CBOR.unsigned),
            "label": label.map(CBOR.text),
            "fingerprint": .text(fingerprint),
            "publicKey": publicKey,
            "accounts": .list(accounts) {
                .record([
                    "number": .unsigned(UInt64($0.number)),
                    "bip32": .text($0.bip32),
                    "bip44": .text($0.bip44),
                    "coinType": .unsigned(UInt64($0.coinType)),
                    "master": $0.master == 0 ? nil : .unsigned(UInt64($0.master)),
                ])
            },
            "watchOnly": .flag(isWatchOnly),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        chain = try fields.name("chain")
        network = try fields.name("network")
        networkID = try fields.optionalNumber("networkID")
        label = try fields.optionalText("label")
        fingerprint = try fields.text("fingerprint")
        if let key = try fields.optionalBytes("publicKey") {
            keys = .single(publicKey: key)
        } else {
            keys = .accounts(
                try fields.list("accounts") { (item) throws(FieldError) in
                    Account(
                        number: try item.number32("number"),
                        bip32: try item.text("bip32"), bip44: try item.text("bip44"),
                        coinType: try item.number32("coinType"),
                        master: try item.optionalNumber32("master") ?? 0)
                })
        }
        isWatchOnly = try fields.flag("watchOnly")
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

    package var coded: CBOR {
        .record(["wallet": .id(wallet), "label": label.map(CBOR.text)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        label = try fields.optionalText("label")
    }
}

/// A wallet was removed; its history stays.
package struct WalletRemoved: EventData {
    package static let type = "wallet.removed"
    package let wallet: WalletID

    package init(wallet: WalletID) { self.wallet = wallet }

    package var coded: CBOR { .record(["wallet": .id(wallet)]) }

    package init(_ fields: Fields) throws(FieldError) { wallet = try fields.id("wallet") }
}

/// A wrong passphrase was given for a wallet.
package struct UnlockFailed: EventData {
    package static let type = "unlock.failed"
    package let wallet: WalletID

    package init(wallet: WalletID) { self.wallet = wallet }

    package var coded: CBOR { .record(["wallet": .id(wallet)]) }

    package init(_ fields: Fields) throws(FieldError) { wallet = try fields.id("wallet") }
}

/// A wallet was locked after too many wrong passphrases, until `until` (µs).
package struct UnlockLocked: EventData {
    package static let type = "unlock.locked"
    package let wallet: WalletID
    package let until: UInt64
}

extension UnlockLocked {
    package var coded: CBOR {
        .record(["wallet": .id(wallet), "until": .unsigned(until)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        until = try fields.number("until")
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

    package var coded: CBOR {
        .record([
            "wallet": .id(wallet), "asset": .text(asset), "amount": amount.coded,
            "txid": txid.map(CBOR.bytes),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        asset = try fields.text("asset")
        amount = try fields.amount("amount")
        txid = try fields.optionalBytes("txid")
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
    package var coded: CBOR {
        .record([
            "wallet": .id(wallet), "asset": .text(asset), "amount": amount.coded,
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        wallet = try fields.id("wallet")
        asset = try fields.text("asset")
        amount = try fields.amount("amount")
    }
}
