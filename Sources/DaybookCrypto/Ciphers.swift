import COpenSSL
package import DaybookEncoding

/// A cipher context of libcrypto, wiped and freed with the value.
///
/// Safe: the context has one owner and is freed by `deinit` alone.
@safe struct CipherContext: ~Copyable {
    /// The ciphers in use, fetched once; what is fetched is immutable.
    @safe struct Method: Sendable {
        nonisolated(unsafe) let pointer: OpaquePointer

        static let aes128CTR = Method(fetching: "AES-128-CTR")
        static let chaCha20Poly1305 = Method(fetching: "ChaCha20-Poly1305")

        private init(fetching name: String) {
            guard let pointer = unsafe EVP_CIPHER_fetch(nil, name, nil) else {
                preconditionFailure("libcrypto 3's default provider has \(name)")
            }
            unsafe self.pointer = pointer
        }
    }

    private let context: OpaquePointer

    /// A context that encrypts or decrypts with a key and a nonce of the cipher's lengths.
    init(_ method: Method, key: borrowing SecretBytes, nonce: [UInt8], encrypting: Bool) {
        guard let context = unsafe EVP_CIPHER_CTX_new() else {
            preconditionFailure("a context is not allocated only when there is no memory left")
        }
        unsafe self.context = context
        let done = key.withBytes { key in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe EVP_CipherInit_ex2(
                    context, method.pointer, key.baseAddress, nonce, encrypting ? 1 : 0, nil)
            }
        }
        precondition(done == 1, "the callers pass keys and nonces of the cipher's lengths")
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(context)
    }

    /// Adds data that is authenticated, but not encrypted.
    mutating func authenticate(_ data: [UInt8]) {
        var length: Int32 = 0
        let done = unsafe EVP_CipherUpdate(context, nil, &length, data, Int32(data.count))
        precondition(done == 1, "ChaCha20-Poly1305 takes associated data of any length")
    }

    /// Encrypts or decrypts the input into an output of the same length: stream ciphers only.
    mutating func update(_ input: Span<UInt8>, into output: inout MutableSpan<UInt8>) {
        var length: Int32 = 0
        let done = unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe input.withUnsafeBufferPointer { input in
                unsafe EVP_CipherUpdate(
                    context, output.baseAddress, &length, input.baseAddress, Int32(input.count))
            }
        }
        precondition(done == 1, "a stream cipher that has been started takes any bytes")
    }

    /// Finishes; returns false if the tag does not match the decrypted data.
    mutating func finish() -> Bool {
        var none: [UInt8] = Array(repeating: 0, count: 16)
        var length: Int32 = 0
        return unsafe EVP_CipherFinal_ex(context, &none, &length) == 1
    }

    /// The tag of the encrypted data.
    mutating func tag(length: Int) -> [UInt8] {
        var tag: [UInt8] = Array(repeating: 0, count: length)
        let done = unsafe EVP_CIPHER_CTX_ctrl(
            context, EVP_CTRL_AEAD_GET_TAG, Int32(length), &tag)
        precondition(done == 1, "an encryption that was finished has a tag")
        return tag
    }

    /// Sets the tag that `finish` compares.
    mutating func expect(tag: [UInt8]) {
        var tag = tag
        let done = unsafe EVP_CIPHER_CTX_ctrl(
            context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag)
        precondition(done == 1, "the callers pass a tag of the cipher's length")
    }
}

/// AES-128 in counter mode, the cipher of ICON's keystore files; one call for both directions.
package enum AES128CTR {
    /// The key's length in bytes.
    package static let keyLength = 16
    /// The length in bytes of the first counter block.
    package static let counterLength = 16

    /// The bytes XORed with the key stream; nil if the key or counter has a wrong length.
    package static func apply(
        to bytes: Span<UInt8>, key: borrowing SecretBytes, counter: Bytes
    ) -> SecretBytes? {
        guard key.count == keyLength, counter.count == counterLength else { return nil }
        var run = CipherContext(.aes128CTR, key: key, nonce: counter, encrypting: false)
        return SecretBytes(count: bytes.count) { output in
            run.update(bytes, into: &output)
        }
    }
}

/// ChaCha20-Poly1305 (RFC 8439): authenticated encryption with associated data.
package enum ChaCha20Poly1305 {
    /// The key's length in bytes.
    package static let keyLength = 32
    /// The nonce's length in bytes; a nonce is used once with a key.
    package static let nonceLength = 12
    /// The tag's length in bytes, which is appended to the encrypted bytes.
    package static let tagLength = 16

    /// The encrypted bytes and their tag; nil if the key or the nonce has a wrong length.
    package static func seal(
        _ secret: borrowing SecretBytes, key: borrowing SecretBytes, nonce: Bytes,
        associatedData: Bytes
    ) -> Bytes? {
        guard key.count == keyLength, nonce.count == nonceLength else { return nil }
        var run = CipherContext(.chaCha20Poly1305, key: key, nonce: nonce, encrypting: true)
        run.authenticate(associatedData)
        var sealed = Bytes(repeating: 0, count: secret.count)
        secret.withBytes { bytes in
            var output = sealed.mutableSpan
            run.update(bytes, into: &output)
        }
        guard run.finish() else { return nil }
        return sealed + run.tag(length: tagLength)
    }

    /// Decrypts sealed bytes; nil if the key, nonce, associated data or bytes are wrong.
    package static func open(
        _ sealed: Bytes, key: borrowing SecretBytes, nonce: Bytes, associatedData: Bytes
    ) -> SecretBytes? {
        guard key.count == keyLength, nonce.count == nonceLength, sealed.count >= tagLength
        else { return nil }
        var run = CipherContext(.chaCha20Poly1305, key: key, nonce: nonce, encrypting: false)
        run.expect(tag: Bytes(sealed.suffix(tagLength)))
        run.authenticate(associatedData)
        let secret = SecretBytes(count: sealed.count - tagLength) { output in
            run.update(sealed.span.extracting(0..<(sealed.count - tagLength)), into: &output)
        }
        guard run.finish() else { return nil }
        return secret
    }
}
