import DaybookCrypto
package import DaybookEncoding

/// What may be known of a wallet without its secret: all that its addresses follow from.
///
/// `wallet.added` records it and the wallet's sealed file has it in its header. An address leaves
/// the program only where the two agree.
package struct PublicMaterial: Equatable, Sendable {
    package let chain: Chain
    package let network: Network
    /// ICON's network id; nil on the other chains.
    package let networkID: UInt64?
    /// What the wallet's addresses are made of.
    package let keys: Keys

    /// What addresses are made of.
    package enum Keys: Equatable, Sendable {
        /// Derived keys: the accounts, each with its extended public keys.
        case accounts([Account])
        /// One public key: 33 bytes, or the 65 of a key whose address hashes the uncompressed form.
        case single(publicKey: Bytes)
    }

    /// An account's two extended public keys, as text, and where they stand.
    package struct Account: Equatable, Sendable {
        /// The account's number, from 0.
        package let number: UInt32
        /// The key at `m/number'`; empty of a wallet that is watched by its other key alone.
        package let bip32: String
        /// The key at `m/44'/coinType'/number'`.
        package let bip44: String
        /// BIP 44's number of the coin.
        package let coinType: UInt32

        package init(number: UInt32, bip32: String, bip44: String, coinType: UInt32) {
            self.number = number
            self.bip32 = bip32
            self.bip44 = bip44
            self.coinType = coinType
        }
    }

    package init(chain: Chain, network: Network, networkID: UInt64?, keys: Keys) {
        self.chain = chain
        self.network = network
        self.networkID = networkID
        self.keys = keys
    }

    /// Names the wallet's sealed file: 32 hexadecimal digits that follow from all of the rest.
    ///
    /// They are half of a SHA-256, so that nobody finds other keys that have the same name.
    package var fingerprint: String {
        let digest = SHA256.hash(Bytes("daybook wallet 1\n".utf8) + coded.encoded())
        return Hex.encode(digest.prefix(16))
    }

    /// Whether two wallets have a key in common on the same network, so that they share coins.
    package func sharesKeys(with other: PublicMaterial) -> Bool {
        guard chain == other.chain, network == other.network else { return false }
        switch (keys, other.keys) {
        case (.single(let mine), .single(let theirs)): return mine == theirs
        case (.accounts(let mine), .accounts(let theirs)):
            return mine.contains { account in
                theirs.contains {
                    // A wallet that is only watched has one of the two.
                    (!account.bip44.isEmpty && Text.equal($0.bip44, account.bip44))
                        || (!account.bip32.isEmpty && Text.equal($0.bip32, account.bip32))
                }
            }
        default: return false
        }
    }
}

// MARK: - As bytes

extension PublicMaterial {
    /// The material as a map: what the fingerprint is made of, and what a sealed file's header has.
    package var coded: CBOR {
        switch keys {
        case .single(let publicKey):
            .record([
                "chain": .text(chain.rawValue), "network": .text(network.rawValue),
                "networkID": networkID.map(CBOR.unsigned), "publicKey": .bytes(publicKey),
            ])
        case .accounts(let accounts):
            .record([
                "chain": .text(chain.rawValue), "network": .text(network.rawValue),
                "networkID": networkID.map(CBOR.unsigned),
                "accounts": .array(accounts.map(\.coded)),
            ])
        }
    }

    /// The material that a map of `coded` spells; nil where something is missing.
    package init?(_ fields: CBOR) {
        guard let chain = fields["chain"]?.textValue.flatMap(Chain.init),
            let network = fields["network"]?.textValue.flatMap(Network.init)
        else { return nil }
        let keys: Keys
        if let publicKey = fields["publicKey"]?.bytesValue {
            keys = .single(publicKey: publicKey)
        } else if let list = fields["accounts"]?.arrayValue {
            let accounts = list.compactMap { Account($0) }
            guard accounts.count == list.count else { return nil }
            keys = .accounts(accounts)
        } else {
            return nil
        }
        self.init(
            chain: chain, network: network, networkID: fields["networkID"]?.uintValue, keys: keys)
    }
}

extension PublicMaterial.Account {
    fileprivate var coded: CBOR {
        .record([
            "number": .unsigned(UInt64(number)), "bip32": .text(bip32), "bip44": .text(bip44),
            "coinType": .unsigned(UInt64(coinType)),
        ])
    }

    fileprivate init?(_ fields: CBOR) {
        guard let number = fields["number"]?.uintValue.flatMap(UInt32.init(exactly:)),
            let bip32 = fields["bip32"]?.textValue, let bip44 = fields["bip44"]?.textValue,
            let coinType = fields["coinType"]?.uintValue.flatMap(UInt32.init(exactly:))
        else { return nil }
        self.init(number: number, bip32: bip32, bip44: bip44, coinType: coinType)
    }
}
