package import DaybookEncoding

/// HMAC (RFC 2104) with SHA-512: what BIP 32 derives keys with.
package enum HMACSHA512 {
    /// The check value of a message under a public key, as for extended public keys.
    package static func authenticate(_ message: Bytes, key: Bytes) -> Bytes {
        let secret = SecretBytes(copying: key)
        let code = authenticate(message.span, key: secret)
        return code.withBytes { code in code.indices.map { code[$0] } }
    }

    /// The check value of a message under a secret key.
    package static func authenticate(
        _ message: Span<UInt8>, key: borrowing SecretBytes
    ) -> SecretBytes {
        HMAC.authenticate("SHA512", length: SHA512.length, message, key: key)
    }
}
