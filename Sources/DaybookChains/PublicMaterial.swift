import DaybookCrypto
package import DaybookEncoding

/// The public part of a wallet: its network and the public keys that its addresses derive from.
///
/// `wallet.added` records it, and the wallet's sealed file has it in its header. An address is
/// shown only if the two agree.
package struct PublicMaterial: Equatable, Sendable {
    package let chain: Chain
    package let network: Network
    /// ICON's network id; nil on the other chains.
    package let networkID: UInt64?
    package let keys: Keys

    /// The keys that addresses are derived from.
    package enum Keys: Equatable, Sendable {
        /// Accounts of a tree of keys, each with its extended public keys.
        case accounts([Account])
        /// One public key: 33 bytes, or 65 if its address hashes the uncompressed form.
        case single(publicKey: Bytes)
    }

    /// The extended public keys of an account, as text.
    package struct Account: Equatable, Sendable {
        /// The account's number, from 0.
        package let number: UInt32
        /// The key at `m/number'`; empty for a watch-only wallet that has only the other key.
        package let bip32: String
        /// The key at `m/44'/coinType'/number'`; empty as well.
        package let bip44: String
        /// BIP 44's number of the coin.
        package let coinType: UInt32
        /// The fingerprint of the master key that a watched key came with; zero for none.
        ///
        /// It is zero too if there is a `bip32` key, from which it follows.
        package let master: UInt32
        /// The key at `m/9'/coinType'/4'/number'`, where wallets keep mixed coins (DIP 9).
        ///
        /// It is empty if the wallet does not look there.
        package let coinJoin: String

        package init(
            number: UInt32, bip32: String, bip44: String, coinType: UInt32, master: UInt32 = 0,
            coinJoin: String = ""
        ) {
            self.number = number
            self.bip32 = bip32
            self.bip44 = bip44
            self.coinType = coinType
            self.master = master
            self.coinJoin = coinJoin
        }

        /// The account's extended keys, without those that it lacks; BIP 44's is the first.
        package var extendedKeys: [ExtendedKey] {
            let legacy = DerivationPath([number | DerivationPath.hardened])
            let keys = [
                (ExtendedKey.Kind.bip44, bip44, DerivationPath.account(number, coinType: coinType)),
                (.bip32, bip32, legacy),
                (.coinJoin, coinJoin, DerivationPath.coinJoin(number, coinType: coinType)),
            ]
            return keys.compactMap { kind, text, path in
                path.flatMap {
                    text.isEmpty ? nil : ExtendedKey(kind: kind, path: $0, text: text)
                }
            }
        }
    }

    /// An extended public key of an account, and its path.
    package struct ExtendedKey: Equatable, Sendable {
        /// The standard that the key's path is of.
        package enum Kind: Sendable { case bip44, bip32, coinJoin }

        package let kind: Kind
        package let path: DerivationPath
        package let text: String
    }

    package init(chain: Chain, network: Network, networkID: UInt64?, keys: Keys) {
        self.chain = chain
        self.network = network
        self.networkID = networkID
        self.keys = keys
    }

    /// The name of the wallet's sealed file: half of a SHA-256 over the material, in hexadecimal.
    ///
    /// 128 bits are enough that nobody can find other keys with the same name.
    package var fingerprint: String {
        let digest = SHA256.hash(Bytes("daybook wallet 1\n".utf8) + coded.encoded())
        return Hex.encode(digest.prefix(16))
    }

    /// Whether two wallets share a key on the same network, and so share coins.
    package func sharesKeys(with other: PublicMaterial) -> Bool {
        guard chain == other.chain, network == other.network else { return false }
        switch (keys, other.keys) {
        case (.single(let mine), .single(let theirs)): return mine == theirs
        case (.accounts(let mine), .accounts(let theirs)):
            return mine.contains { account in
                theirs.contains {
                    // A watch-only wallet may have only one of them.
                    (!account.bip44.isEmpty && Text.equal($0.bip44, account.bip44))
                        || (!account.bip32.isEmpty && Text.equal($0.bip32, account.bip32))
                        || (!account.coinJoin.isEmpty && Text.equal($0.coinJoin, account.coinJoin))
                }
            }
        default: return false
        }
    }
}

// MARK: - Coding

extension PublicMaterial {
    /// The material as a CBOR map, for the fingerprint and the header of the sealed file.
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

    /// Decodes a map that `coded` made; nil if a field is missing or invalid.
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
            "master": master == 0 ? nil : .unsigned(UInt64(master)),
            "coinJoin": coinJoin.isEmpty ? nil : .text(coinJoin),
        ])
    }

    fileprivate init?(_ fields: CBOR) {
        guard let number = fields["number"]?.uintValue.flatMap(UInt32.init(exactly:)),
            let bip32 = fields["bip32"]?.textValue, let bip44 = fields["bip44"]?.textValue,
            let coinType = fields["coinType"]?.uintValue.flatMap(UInt32.init(exactly:)),
            let master = UInt32(exactly: fields["master"]?.uintValue ?? 0)
        else { return nil }
        self.init(
            number: number, bip32: bip32, bip44: bip44, coinType: coinType, master: master,
            coinJoin: fields["coinJoin"]?.textValue ?? "")
    }
}
