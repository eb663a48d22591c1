package import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// The text of a public key, by which a store can watch a wallet without its secret.
///
/// For Dash and Axe it is an account's extended public key, optionally with its key origin:
/// `[73c5da0a/44'/5'/0']xpub…`. The key of a single-key wallet has 66 hexadecimal digits.
package enum WatchedKey {
    /// Parses a key; nil if the text is not a public key of such a wallet.
    ///
    /// Without `coinType`, the text's own coin type is used, or else the chain's default.
    package static func material(
        of text: String, chain: Chain, network: Network, networkID: UInt64?,
        coinType: UInt32? = nil
    ) -> PublicMaterial? {
        let keys: PublicMaterial.Keys
        if text.utf8.count == 66, let bytes = Hex.decode(text), PublicKey(bytes) != nil {
            keys = .single(publicKey: bytes)
        } else if let account = account(text, chain, network, coinType: coinType) {
            keys = .accounts([account])
        } else {
            return nil
        }
        return PublicMaterial(chain: chain, network: network, networkID: networkID, keys: keys)
    }

    /// The text by which another store can watch a wallet's first account.
    package static func text(of material: PublicMaterial) -> String {
        switch material.keys {
        case .single(let publicKey): return Hex.encode(publicKey)
        case .accounts(let accounts):
            guard let account = accounts.first else { return "" }
            return material.origin(of: account, isBIP44: true) + account.bip44
        }
    }

    private static func account(
        _ text: String, _ chain: Chain, _ network: Network, coinType: UInt32?
    ) -> PublicMaterial.Account? {
        guard let parameters = UTXOParameters.of(chain, network), text.utf8.count <= 256,
            let (path, keyText) = origin(text), let key = ExtendedPublicKey(keyText),
            key.format == parameters.format, key.depth == 3,
            key.childNumber >= DerivationPath.hardened
        else { return nil }
        let number = key.childNumber & ~DerivationPath.hardened
        let named = path.map { $0.components.count == 3 ? $0.components[1] : 0 }
        let coinType = coinType ?? named.map { $0 & ~DerivationPath.hardened }
            ?? parameters.coinType
        guard parameters.coinTypes.contains(coinType),
            path.map({ $0 == DerivationPath.account(number, coinType: coinType) }) ?? true
        else { return nil }
        // The account's key at m/number' can't be derived from this key.
        return PublicMaterial.Account(
            number: number, bip32: "", bip44: key.text, coinType: coinType)
    }

    /// Splits a key origin in brackets from the key after it.
    private static func origin(_ text: String) -> (DerivationPath?, String)? {
        guard text.hasPrefix("[") else { return (nil, text) }
        guard let end = text.firstIndex(of: "]") else { return nil }
        let origin = text[text.index(after: text.startIndex)..<end]
        let digits = origin.prefix { $0 != "/" }
        guard digits.utf8.count == 8, Hex.decode(digits) != nil,
            let path = DerivationPath("m" + origin.dropFirst(8))
        else { return nil }
        return (path, String(text[text.index(after: end)...]))
    }
}
