package import DaybookChains
package import DaybookCrypto
package import DaybookEncoding

/// A wallet whose secret is in memory: it signs digests; let go of it as soon as they are signed.
package struct UnlockedWallet: ~Copyable, Sendable {
    private let keys: Keys

    private enum Keys: ~Copyable, Sendable {
        case tree(ExtendedPrivateKey)
        case single(SingleKey)
    }

    /// The wallet of a secret; nil once in 2^127, for words that have no master key.
    package init?(_ secret: consuming WalletSecret) {
        switch consume secret {
        case .key(let single):
            keys = .single(single)
        case .mnemonic(let mnemonic):
            guard let seed = try? mnemonic.seed(), let master = ExtendedPrivateKey(seed: seed)
            else { return nil }
            keys = .tree(master)
        }
    }

    /// The wallet of a tree of keys.
    package init(master: consuming ExtendedPrivateKey) {
        keys = .tree(master)
    }

    /// The signature that Dash and Axe want (RFC 6979, low s) of the key at a path.
    ///
    /// A wallet of one key has it at the path `m`.
    package func sign(
        digest: Bytes, at path: DerivationPath
    ) throws(KeystoreError) -> ECDSASignature {
        guard let signature = try key(at: path).sign(digest: digest) else { throw .notADigest }
        return signature
    }

    /// The signature that ICON wants, from which the public key can be computed.
    package func signRecoverable(
        digest: Bytes, at path: DerivationPath = .master
    ) throws(KeystoreError) -> RecoverableSignature {
        guard let signature = try key(at: path).signRecoverable(digest: digest) else {
            throw .notADigest
        }
        return signature
    }

    /// The public key at a path: to compare with what is to be signed for.
    package func publicKey(at path: DerivationPath) throws(KeystoreError) -> PublicKey {
        try key(at: path).publicKey
    }

    private func key(at path: DerivationPath) throws(KeystoreError) -> PrivateKey {
        switch keys {
        case .single(let single):
            guard path == .master else { throw .noKey(at: path.text) }
            return single.key.copy()
        case .tree(let master):
            guard let descendant = master.descendant(path) else { throw .noKey(at: path.text) }
            return descendant.key.copy()
        }
    }
}
