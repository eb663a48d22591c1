import COpenSSL
package import DaybookEncoding

/// SHA-256 of bytes that arrive in parts; cheaper than `SHA256` when it is kept and used again.
///
/// Safe: the context has one owner, is used under exclusive access and freed by `deinit` alone.
@safe package struct SHA256Hasher: ~Copyable {
    private let context: OpaquePointer

    /// A hasher that has seen nothing yet.
    package init() {
        guard let context = unsafe EVP_MD_CTX_new() else {
            preconditionFailure("a context is not allocated only when there is no memory left")
        }
        unsafe self.context = context
        let done = unsafe EVP_DigestInit_ex(context, DigestAlgorithm.sha256.method, nil)
        precondition(done == 1, "a fetched SHA-256 is not started only for want of memory")
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
    }

    /// Adds bytes to what is hashed.
    package mutating func update(_ bytes: Bytes) {
        update(bytes.span)
    }

    /// Adds bytes that live elsewhere to what is hashed.
    package mutating func update(_ bytes: Span<UInt8>) {
        let done = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe EVP_DigestUpdate(context, input.baseAddress, input.count)
        }
        precondition(done == 1, "SHA-256 in software takes any bytes once it has been started")
    }

    /// The digest of all that was added; the hasher then starts anew.
    package mutating func finish() -> Bytes {
        let digest = unsafe Bytes(unsafeUninitializedCapacity: SHA256.length) { output, count in
            let done = unsafe EVP_DigestFinal_ex(context, output.baseAddress, nil)
            precondition(done == 1, "a SHA-256 that has been started can always be finished")
            count = SHA256.length
        }
        start()
        return digest
    }

    private func start() {
        // Without an algorithm the context's own starts again, which looks for no other one.
        let done = unsafe EVP_DigestInit_ex(context, nil, nil)
        precondition(done == 1, "a SHA-256 that has been started can be started again")
    }
}
