import COpenSSL
import DaybookEncoding

/// A digest of libcrypto, fetched once: a fetch costs three times what hashing a short input does.
///
/// What is fetched is immutable and counted with atomic references, so that every thread may use
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
