import COpenSSL
package import DaybookEncoding

/// A private key of Ed25519 (RFC 8032): a secret seed of 32 bytes.
package struct Ed25519PrivateKey: ~Copyable, Sendable {
    /// The seed's length in bytes.
    package static let length = 32

    private let seed: SecretBytes

    /// A key from its seed; nil unless that has 32 bytes.
    package init?(_ seed: consuming SecretBytes) {
        guard seed.count == Self.length else { return nil }
        self.seed = seed
    }

    /// The key's public half.
    package var publicKey: Ed25519PublicKey {
        guard let publicKey = Ed25519PublicKey(key.publicHalf) else {
            preconditionFailure("libcrypto was asked for the 32 bytes that a public half has")
        }
        return publicKey
    }

    /// The signature of a message, 64 bytes, the same each time.
    package func sign(message: Bytes) -> Bytes {
        key.sign(message: message)
    }

    /// libcrypto's form of the key, which it wipes when it frees it.
    private var key: Ed25519Key {
        seed.withBytes { seed in
            guard let key = Ed25519Key(seed: seed) else {
                preconditionFailure("any 32 bytes are a seed of Ed25519")
            }
            return key
        }
    }
}
