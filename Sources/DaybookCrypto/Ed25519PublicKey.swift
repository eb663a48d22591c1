import COpenSSL
package import DaybookEncoding

/// A public key of Ed25519 (RFC 8032): 32 bytes, as they are written.
package struct Ed25519PublicKey: Hashable, Sendable {
    /// The key's length in bytes.
    package static let length = 32
    /// A signature's length in bytes.
    package static let signatureLength = 64

    /// The key as RFC 8032 writes it.
    package let bytes: Bytes

    /// A key from its 32 bytes; nil for another number of them.
    ///
    /// Bytes that are no point of the curve make a key under which nothing verifies.
    package init?(_ bytes: Bytes) {
        guard bytes.count == Self.length else { return nil }
        self.bytes = bytes
    }

    /// Whether the signature is that of a message by this key's private half.
    package func verify(message: Bytes, signature: Bytes) -> Bool {
        guard signature.count == Self.signatureLength,
            let key = Ed25519Key(publicHalf: bytes.span)
        else { return false }
        return key.verify(message: message, signature: signature)
    }
}
