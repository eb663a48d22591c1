import COpenSSL
package import DaybookEncoding

/// The call of libcrypto that `HMACSHA256` and `HMACSHA512` share.
enum HMAC {
    /// The code under a secret key.
    static func authenticate(
        _ digest: String, length: Int, _ message: Span<UInt8>, key: borrowing SecretBytes
    ) -> SecretBytes {
        SecretBytes(count: length) { output in
            unsafe output.withUnsafeMutableBufferPointer { output in
                key.withBytes { unsafe write(digest, message, key: $0, into: output) }
            }
        }
    }

    /// The code under a public key; nothing of it is secret, so nothing is wiped.
    static func authenticate(
        _ digest: String, length: Int, _ message: Bytes, key: Bytes
    ) -> Bytes {
        var code = Bytes(repeating: 0, count: length)
        unsafe code.withUnsafeMutableBufferPointer { output in
            unsafe write(digest, message.span, key: key.span, into: output)
        }
        return code
    }

    private static func write(
        _ digest: String, _ message: Span<UInt8>, key: Span<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) {
        let code = unsafe key.withUnsafeBufferPointer { key in
            unsafe message.withUnsafeBufferPointer { message in
                unsafe EVP_Q_mac(
                    nil, "HMAC", nil, digest, nil, key.baseAddress, key.count,
                    message.baseAddress, message.count, output.baseAddress, output.count, nil)
            }
        }
        precondition(unsafe code != nil, "HMAC fails only when there is no memory left")
    }
}

/// HMAC (RFC 2104) with SHA-256.
package enum HMACSHA256 {
    /// The HMAC of a message under a public key.
    package static func authenticate(_ message: Bytes, key: Bytes) -> Bytes {
        HMAC.authenticate("SHA256", length: SHA256.length, message, key: key)
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
        HMAC.authenticate("SHA512", length: SHA512.length, message, key: key)
    }

    /// The HMAC of a message under a secret key.
    package static func authenticate(
        _ message: Span<UInt8>, key: borrowing SecretBytes
    ) -> SecretBytes {
        HMAC.authenticate("SHA512", length: SHA512.length, message, key: key)
    }
}
