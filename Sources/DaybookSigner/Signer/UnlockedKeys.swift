import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// The keys of a wallet in memory. No other module sees them: `Signer` is what they are given.
struct UnlockedKeys: ~Copyable, Sendable {
    private let keys: Keys

    private enum Keys: ~Copyable, Sendable {
        case tree(ExtendedPrivateKey)
        case single(SingleKey)
    }

    /// The keys of a secret; nil once in 2^127, for words that have no master key.
    init?(_ secret: consuming WalletSecret) {
        switch consume secret {
        case .key(let single):
            keys = .single(single)
        case .mnemonic(let mnemonic):
            guard let seed = try? mnemonic.seed(), let master = ExtendedPrivateKey(seed: seed)
            else { return nil }
            keys = .tree(master)
        }
    }

    /// The keys below a master key.
    init(master: consuming ExtendedPrivateKey) {
        keys = .tree(master)
    }

    /// The key at a path, for one use; a wallet of one key has it at the path `m`.
    func key(at path: DerivationPath) throws(KeystoreError) -> PrivateKey {
        switch keys {
        case .single(let single):
            guard path == .master else { throw .noKey(at: path.text) }
            return single.key.copy()
        case .tree(let master):
            guard let descendant = master.descendant(path) else { throw .noKey(at: path.text) }
            return descendant.key.copy()
        }
    }

    /// The public key at a path.
    func publicKey(at path: DerivationPath) throws(KeystoreError) -> PublicKey {
        publicKey(of: try key(at: path))
    }

    /// The public half of a key that `key(at:)` gave; that of a single key is known.
    func publicKey(of key: borrowing PrivateKey) -> PublicKey {
        switch keys {
        case .single(let single): single.publicKey
        case .tree: key.publicKey
        }
    }
}
