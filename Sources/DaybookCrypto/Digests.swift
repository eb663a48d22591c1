internal import COpenSSL
package import DaybookEncoding

/// A digest of libcrypto, fetched once: a fetch costs three times what hashing a short input does.
///
/// A fetched algorithm is immutable and counted with atomic references, so that any thread may use
/// it: https://docs.openssl.org/3.0/man7/crypto/#algorithm-fetching
@safe struct DigestAlgorithm: Sendable {
    nonisolated(unsafe) let method: OpaquePointer
    let length: Int

    static let sha256 = DigestAlgorithm(fetching: "SHA256", length: 32)
    static let sha512 = DigestAlgorithm(fetching: "SHA512", length: 64)
    static let sha3_256 = DigestAlgorithm(fetching: "SHA3-256", length: 32)
    static let ripemd160 = DigestAlgorithm(fetching: "RIPEMD160", length: 20)

    private init(fetching name: String, length: Int) {
        guard let method = unsafe EVP_MD_fetch(nil, name, nil) else {
            preconditionFailure("libcrypto 3's default provider has had \(name) since 3.0.7")
        }
        unsafe self.method = method
        self.length = length
    }

    func hash(_ bytes: Span<UInt8>) -> Bytes {
        unsafe Bytes(unsafeUninitializedCapacity: length) { output, count in
            let done = unsafe bytes.withUnsafeBufferPointer { input in
                unsafe EVP_Digest(
                    input.baseAddress, input.count, output.baseAddress, nil, method, nil)
            }
            precondition(done == 1, "hashing memory fails only when there is no memory left")
            count = length
        }
    }
}

/// SHA-256 (FIPS 180-4): the log's tree, transaction ids, checksums.
package enum SHA256 {
    /// The digest's length in bytes.
    package static let length = 32

    /// The digest of some bytes.
    package static func hash(_ bytes: Bytes) -> Bytes {
        hash(bytes.span)
    }

    /// The digest of bytes that live elsewhere, without copying them first.
    package static func hash(_ bytes: Span<UInt8>) -> Bytes {
        unsafe Bytes(unsafeUninitializedCapacity: length) { output, count in
            let done = unsafe bytes.withUnsafeBufferPointer { input in
                unsafe daybook_sha256_once(input.baseAddress, input.count, output.baseAddress)
            }
            precondition(done == 1, "SHA-256 in software takes any bytes")
            count = length
        }
    }

    /// Writes the digest of a byte and what follows it, 32 bytes, into memory of the caller's.
    ///
    /// Nothing is allocated, which counts where there are two short hashes an event.
    package static func hash(
        _ first: UInt8, _ second: Span<UInt8>, _ third: Span<UInt8>,
        into digest: inout MutableSpan<UInt8>
    ) {
        precondition(digest.count == length, "a digest of SHA-256 has 32 bytes")
        let done = unsafe second.withUnsafeBufferPointer { second in
            unsafe third.withUnsafeBufferPointer { third in
                unsafe digest.withUnsafeMutableBufferPointer { output in
                    unsafe daybook_sha256(
                        first, second.baseAddress, second.count, third.baseAddress, third.count,
                        output.baseAddress)
                }
            }
        }
        precondition(done == 1, "SHA-256 in software takes any bytes")
    }

    /// Writes the digest of some bytes, 32 bytes, into memory of the caller's.
    static func hash(_ bytes: Span<UInt8>, into digest: inout MutableSpan<UInt8>) {
        precondition(digest.count == length, "a digest of SHA-256 has 32 bytes")
        let done = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe digest.withUnsafeMutableBufferPointer { output in
                unsafe daybook_sha256_once(input.baseAddress, input.count, output.baseAddress)
            }
        }
        precondition(done == 1, "SHA-256 in software takes any bytes")
    }

    /// The digest of the digest: transaction ids and checksums of Dash and Axe.
    package static func double(_ bytes: Bytes) -> Bytes {
        hash(hash(bytes))
    }
}

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

    /// Adds bytes of untyped memory to what is hashed.
    package mutating func update(_ bytes: RawSpan) {
        let done = unsafe bytes.withUnsafeBytes { input in
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

/// SHA-512 (FIPS 180-4).
package enum SHA512 {
    /// The digest's length in bytes.
    package static let length = 64

    /// The digest of some bytes.
    package static func hash(_ bytes: Bytes) -> Bytes {
        DigestAlgorithm.sha512.hash(bytes.span)
    }

    /// The digest of bytes that live elsewhere, without copying them first.
    package static func hash(_ bytes: Span<UInt8>) -> Bytes {
        DigestAlgorithm.sha512.hash(bytes)
    }
}

/// SHA3-256 (FIPS 202): ICON's transaction hashes and addresses; not Keccak-256.
package enum SHA3_256 {
    /// The digest's length in bytes.
    package static let length = 32

    /// The digest of some bytes.
    package static func hash(_ bytes: Bytes) -> Bytes {
        DigestAlgorithm.sha3_256.hash(bytes.span)
    }

    /// The digest of bytes that live elsewhere, without copying them first.
    package static func hash(_ bytes: Span<UInt8>) -> Bytes {
        DigestAlgorithm.sha3_256.hash(bytes)
    }
}

/// RIPEMD-160: only ever inside `Hash160`.
package enum RIPEMD160 {
    /// The digest's length in bytes.
    package static let length = 20

    /// The digest of some bytes.
    package static func hash(_ bytes: Bytes) -> Bytes {
        DigestAlgorithm.ripemd160.hash(bytes.span)
    }

    /// The digest of bytes that live elsewhere, without copying them first.
    package static func hash(_ bytes: Span<UInt8>) -> Bytes {
        DigestAlgorithm.ripemd160.hash(bytes)
    }
}

/// RIPEMD-160 of SHA-256: what a Dash or Axe address holds of a public key or a script.
package enum Hash160 {
    /// The digest's length in bytes.
    package static let length = 20

    /// The digest of some bytes.
    package static func hash(_ bytes: Bytes) -> Bytes {
        RIPEMD160.hash(SHA256.hash(bytes))
    }
}
