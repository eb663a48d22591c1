package import DaybookChains
package import DaybookEncoding

/// A wallet's public part entered the store; its secret is sealed under `keys/`.
package struct WalletAdded: EventData {
    package static let type = "wallet.added"

    package let chain: Chain
    package let network: Network
    /// ICON's network id; nil on the other chains.
    package let networkID: UInt64?
    package let label: String?
    /// Names the sealed file; derived from the public part.
    package let fingerprint: String
    package let keys: Keys

    /// What addresses are made of.
    package enum Keys: Equatable, Sendable {
        /// HD accounts, each with its extended public keys.
        case accounts([Account])
        /// One public key, 33 bytes.
        case single(publicKey: Bytes)
    }

    /// An account's two extended public keys, as text, and where they stand.
    package struct Account: Equatable, Sendable {
        package let number: UInt32
        /// `m/account'`.
        package let bip32: String
        /// `m/44'/coin'/account'`.
        package let bip44: String
        package let coinType: UInt32

        package init(number: UInt32, bip32: String, bip44: String, coinType: UInt32) {
            self.number = number
            self.bip32 = bip32
            self.bip44 = bip44
            self.coinType = coinType
        }
    }

    package init(
        chain: Chain, network: Network, networkID: UInt64?, label: String?, fingerprint: String,
        keys: Keys
    ) {
        self.chain = chain
        self.network = network
        self.networkID = networkID
        self.label = label
        self.fingerprint = fingerprint
        self.keys = keys
    }

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
                ])
            },
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
                        coinType: try item.number32("coinType"))
                })
        }
    }
}
