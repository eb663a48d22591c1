package import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// A wallet's public key as text, which a store watches the wallet by, without its secret.
///
/// For Dash and Axe it is an account's extended public key, with or without where it comes from:
/// `[73c5da0a/44'/5'/0']xpub…`. A wallet of one key has 66 hexadecimal digits.
package enum WatchedKey {
    /// What the wallet's addresses follow from; nil where the text is no key of such a wallet.
    ///
    /// `coinType` is the chain's own where it is nil and the text does not name one.
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

    /// The text by which a store elsewhere can watch a wallet's first account.
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
        // Nobody who has this key alone can derive the account's key at m/number'.
        return PublicMaterial.Account(
            number: number, bip32: "", bip44: key.text, coinType: coinType)
    }

    /// The path in brackets before a key, and the key.
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
