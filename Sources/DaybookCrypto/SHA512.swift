package import DaybookEncoding

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
