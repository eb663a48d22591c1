import COpenSSL
package import DaybookEncoding

/// The call of libcrypto that `HMACSHA256` and `HMACSHA512` share.
enum HMAC {
    static func authenticate(
        _ digest: String, length: Int, _ message: Span<UInt8>, key: borrowing SecretBytes
    ) -> SecretBytes {
        SecretBytes(count: length) { output in
            let code = unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe key.withBytes { key in
                    unsafe key.withUnsafeBufferPointer { key in
                        unsafe message.withUnsafeBufferPointer { message in
                            unsafe EVP_Q_mac(
                                nil, "HMAC", nil, digest, nil, key.baseAddress, key.count,
                                message.baseAddress, message.count,
                                output.baseAddress, output.count, nil)
                        }
                    }
                }
            }
            precondition(unsafe code != nil, "HMAC fails only when there is no memory left")
        }
    }
}

/// HMAC (RFC 2104) with SHA-256.
package enum HMACSHA256 {
    /// The HMAC of a message under a public key.
    package static func authenticate(_ message: Bytes, key: Bytes) -> Bytes {
        let secret = SecretBytes(copying: key)
        let code = authenticate(message.span, key: secret)
        return code.withBytes { code in code.indices.map { code[$0] } }
    }

    /// The HMAC of a message under a secret key.
    package static func authenticate(
        _ message: Span<UInt8>, key: borrowing SecretBytes
    ) -> SecretBytes {
        HMAC.authenticate("SHA256", length: SHA256.length, message, key: key)
    }
}

/// HMAC (RFC 2104) with SHA-512, with which BIP 32 derives keys.
package enum HMACSHA512 {
    /// The HMAC of a message under a public key, as for extended public keys.
    package static func authenticate(_ message: Bytes, key: Bytes) -> Bytes {
        let secret = SecretBytes(copying: key)
        let code = authenticate(message.span, key: secret)
        return code.withBytes { code in code.indices.map { code[$0] } }
    }

    /// The HMAC of a message under a secret key.
    package static func authenticate(
        _ message: Span<UInt8>, key: borrowing SecretBytes
    ) -> SecretBytes {
        HMAC.authenticate("SHA512", length: SHA512.length, message, key: key)
    }
}
