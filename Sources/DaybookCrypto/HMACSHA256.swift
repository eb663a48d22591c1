package import DaybookEncoding

/// HMAC (RFC 2104) with SHA-256: a keyed check value of some bytes.
package enum HMACSHA256 {
    /// The check value of a message under a public key.
    package static func authenticate(_ message: Bytes, key: Bytes) -> Bytes {
        let secret = SecretBytes(copying: key)
        let code = authenticate(message.span, key: secret)
        return code.withBytes { code in code.indices.map { code[$0] } }
    }

    /// The check value of a message under a secret key.
    package static func authenticate(
        _ message: Span<UInt8>, key: borrowing SecretBytes
    ) -> SecretBytes {
        HMAC.authenticate("SHA256", length: SHA256.length, message, key: key)
    }
}
