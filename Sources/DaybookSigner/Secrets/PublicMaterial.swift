import DaybookChains
import DaybookCrypto
package import DaybookEncoding

/// What may be known of a wallet without its secret: what `wallet.added` records.
package struct PublicMaterial: Equatable, Sendable {
    /// Names the wallet's sealed file: 16 hexadecimal digits that follow from chain and keys.
    package let fingerprint: String
    /// What the wallet's addresses are made of.
    package let keys: Keys

    /// What addresses are made of.
    package enum Keys: Equatable, Sendable {
        /// Derived keys: the accounts, each with its extended public keys.
        case accounts([Account])
        /// One public key of 33 bytes; `compressed` says which form its address hashes.
        case single(publicKey: Bytes, compressed: Bool)
    }

    /// An account's two extended public keys, as text.
    package struct Account: Equatable, Sendable {
        /// The account's number, from 0.
        package let number: UInt32
        /// The key at `m/number'`.
        package let bip32: String
        /// The key at `m/44'/coinType'/number'`.
        package let bip44: String
        /// BIP 44's number of the coin.
        package let coinType: UInt32
    }

    init(_ chain: Chain, _ network: Network, _ keys: Keys) {
        var hasher = SHA256Hasher()
        hasher.update(Bytes("\(chain.rawValue)/\(network.rawValue)".utf8))
        switch keys {
        case .accounts(let accounts):
            // The first account alone: a wallet with another account more is the same wallet.
            hasher.update(Bytes("/\(accounts.first?.bip44 ?? "")".utf8))
        case .single(let publicKey, let compressed):
            hasher.update(Bytes(compressed ? "/compressed/".utf8 : "/uncompressed/".utf8))
            hasher.update(publicKey)
        }
        fingerprint = Hex.encode(hasher.finish().prefix(8))
        self.keys = keys
    }
}
