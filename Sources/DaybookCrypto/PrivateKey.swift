import CSecp256k1
package import DaybookEncoding

/// A private key of secp256k1: 32 secret bytes, between 1 and the group's order.
package struct PrivateKey: ~Copyable, Sendable {
    private let secret: SecretBytes

    /// A key from its 32 bytes; nil where they are not a private key.
    package init?(_ secret: consuming SecretBytes) {
        guard secret.count == 32 else { return nil }
        let valid = secret.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { buffer in
                guard let address = buffer.baseAddress else { return false }
                return unsafe secp256k1_ec_seckey_verify(Secp256k1.secretContext, address) == 1
            }
        }
        guard valid else { return nil }
        self.secret = secret
    }

    /// The key's public half.
    package var publicKey: PublicKey {
        var point = secp256k1_pubkey()
        let made = unsafe withAddress { address in
            unsafe secp256k1_ec_pubkey_create(Secp256k1.secretContext, &point, address)
        }
        precondition(made == 1, "the key was checked on the way in, so that it has a public half")
        return PublicKey(point)
    }

    /// The signature of a 32 byte digest by RFC 6979, s low; nil for a digest of another length.
    package func sign(digest: Bytes) -> ECDSASignature? {
        guard digest.count == 32 else { return nil }
        var signature = secp256k1_ecdsa_signature()
        let made = unsafe withAddress { address in
            unsafe secp256k1_ecdsa_sign(
                Secp256k1.secretContext, &signature, digest, address, nil, nil)
        }
        return made == 1 ? ECDSASignature(signature) : nil
    }

    /// As `sign(digest:)`, with the recovery id that ICON wants.
    package func signRecoverable(digest: Bytes) -> RecoverableSignature? {
        guard digest.count == 32 else { return nil }
        var signature = secp256k1_ecdsa_recoverable_signature()
        let made = unsafe withAddress { address in
            unsafe secp256k1_ecdsa_sign_recoverable(
                Secp256k1.secretContext, &signature, digest, address, nil, nil)
        }
        return made == 1 ? RecoverableSignature(signature) : nil
    }

    /// This key plus a tweak (BIP 32's private step), or nil where that is no key.
    package func adding(tweak: Span<UInt8>) -> PrivateKey? {
        guard tweak.count == 32 else { return nil }
        var made: Int32 = 0
        let sum = SecretBytes(count: 32) { sum in
            secret.withBytes { bytes in
                for index in bytes.indices { sum[index] = bytes[index] }
            }
            unsafe sum.withUnsafeMutableBufferPointer { sum in
                unsafe tweak.withUnsafeBufferPointer { tweak in
                    guard let sum = sum.baseAddress, let tweak = tweak.baseAddress else { return }
                    made = unsafe secp256k1_ec_seckey_tweak_add(Secp256k1.secretContext, sum, tweak)
                }
            }
        }
        return made == 1 ? PrivateKey(sum) : nil
    }

    /// Calls the closure with the 32 bytes, which are valid only inside it.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withBytes(body)
    }

    /// A second key with the same bytes, wiped on its own.
    package func copy() -> PrivateKey {
        PrivateKey(unchecked: secret.copy())
    }

    private init(unchecked secret: consuming SecretBytes) {
        self.secret = secret
    }

    private func withAddress(_ body: (UnsafePointer<UInt8>) -> Int32) -> Int32 {
        secret.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { buffer in
                guard let address = buffer.baseAddress else { return 0 }
                return unsafe body(address)
            }
        }
    }
}
