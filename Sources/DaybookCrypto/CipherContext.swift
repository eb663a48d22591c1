import COpenSSL

/// One run of a cipher of libcrypto; wiped and freed with the value.
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

    /// A run that encrypts or decrypts with a key and a nonce of the cipher's lengths.
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

    /// Adds data that is authenticated and not encrypted.
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

    /// Ends the run; false where the tag that was set does not fit what was decrypted.
    mutating func finish() -> Bool {
        var none: [UInt8] = Array(repeating: 0, count: 16)
        var length: Int32 = 0
        return unsafe EVP_CipherFinal_ex(context, &none, &length) == 1
    }

    /// The tag of what was encrypted.
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
