import COpenSSL
package import DaybookEncoding

/// An Ed25519 key pair or public key in libcrypto, which wipes it when it is freed.
///
/// Safe: the key has one owner, is never changed and is freed by `deinit` alone.
@safe struct Ed25519Key: ~Copyable {
    private let key: OpaquePointer

    /// The key pair of a seed; nil unless it has 32 bytes.
    init?(seed: Span<UInt8>) {
        let key = unsafe seed.withUnsafeBufferPointer { seed in
            unsafe EVP_PKEY_new_raw_private_key_ex(
                nil, "ED25519", nil, seed.baseAddress, seed.count)
        }
        guard let key = unsafe key else { return nil }
        unsafe self.key = key
    }

    /// A public key; nil unless there are 32 bytes.
    init?(publicHalf: Span<UInt8>) {
        let key = unsafe publicHalf.withUnsafeBufferPointer { bytes in
            unsafe EVP_PKEY_new_raw_public_key_ex(
                nil, "ED25519", nil, bytes.baseAddress, bytes.count)
        }
        guard let key = unsafe key else { return nil }
        unsafe self.key = key
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }

    /// The 32 bytes of the public key.
    var publicHalf: Bytes {
        var bytes = Bytes(repeating: 0, count: Ed25519PublicKey.length)
        var length = bytes.count
        let done = unsafe EVP_PKEY_get_raw_public_key(key, &bytes, &length)
        precondition(done == 1, "both forms of the key have a public half of 32 bytes")
        return bytes
    }

    /// Signs a message with a key pair.
    func sign(message: Bytes) -> Bytes {
        var signature = Bytes(repeating: 0, count: Ed25519PublicKey.signatureLength)
        var length = signature.count
        let done = unsafe withContext { context in
            unsafe EVP_DigestSignInit(context, nil, nil, nil, key) == 1
                && EVP_DigestSign(context, &signature, &length, message, message.count) == 1
        }
        precondition(done, "signing memory with a pair fails only when there is no memory left")
        return signature
    }

    /// Whether a signature of a message is valid.
    func verify(message: Bytes, signature: Bytes) -> Bool {
        unsafe withContext { context in
            unsafe EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
                && EVP_DigestVerify(
                    context, signature, signature.count, message, message.count) == 1
        }
    }

    private func withContext(_ body: (OpaquePointer) -> Bool) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else {
            preconditionFailure("a context is not allocated only when there is no memory left")
        }
        defer { unsafe EVP_MD_CTX_free(context) }
        return unsafe body(context)
    }
}

/// A private key of Ed25519 (RFC 8032): a secret seed of 32 bytes.
package struct Ed25519PrivateKey: ~Copyable, Sendable {
    /// The seed's length in bytes.
    package static let length = 32

    private let seed: SecretBytes

    /// A key from its seed; nil unless it has 32 bytes.
    package init?(_ seed: consuming SecretBytes) {
        guard seed.count == Self.length else { return nil }
        self.seed = seed
    }

    /// The key in a PEM file (PKCS#8, not encrypted); nil if it has no key of Ed25519.
    package init?(pem: borrowing SecretBytes) {
        var isKey = false
        let seed = SecretBytes(count: Self.length) { seed in
            isKey = pem.withBytes { pem in
                unsafe pem.withUnsafeBufferPointer { pem in
                    unsafe seed.withUnsafeMutableBufferPointer { seed in
                        unsafe daybook_pem_ed25519(
                            pem.baseAddress, pem.count, 1, seed.baseAddress) == 1
                    }
                }
            }
        }
        guard isKey else { return nil }
        self.init(seed)
    }

    /// The public key.
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

    /// The key in libcrypto, which wipes it when it is freed.
    private var key: Ed25519Key {
        seed.withBytes { seed in
            guard let key = Ed25519Key(seed: seed) else {
                preconditionFailure("any 32 bytes are a seed of Ed25519")
            }
            return key
        }
    }
}

/// A public key of Ed25519 (RFC 8032): 32 bytes.
package struct Ed25519PublicKey: Hashable, Sendable {
    /// The key's length in bytes.
    package static let length = 32
    /// A signature's length in bytes.
    package static let signatureLength = 64

    /// The key as RFC 8032 encodes it.
    package let bytes: Bytes

    /// A key from its 32 bytes; nil for another number of them.
    ///
    /// With bytes that are not a point of the curve, no signature is valid.
    package init?(_ bytes: Bytes) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// The key in a PEM file (SubjectPublicKeyInfo); nil if it has no key of Ed25519.
    package init?(pem: Bytes) {
        var bytes = Bytes(repeating: 0, count: Self.length)
        guard unsafe daybook_pem_ed25519(pem, pem.count, 0, &bytes) == 1 else { return nil }
        self.init(bytes)
    }

    /// Whether a signature of a message by this key is valid.
    package func verify(message: Bytes, signature: Bytes) -> Bool {
        guard signature.count == Self.signatureLength,
            let key = Ed25519Key(publicHalf: bytes.span)
        else { return false }
        return key.verify(message: message, signature: signature)
    }
}
