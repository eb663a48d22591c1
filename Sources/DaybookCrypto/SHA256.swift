package import DaybookEncoding

/// SHA-256 (FIPS 180-4): the log's tree, transaction ids, checksums.
package enum SHA256 {
    /// The digest's length in bytes.
    package static let length = 32

    /// The digest of some bytes.
    package static func hash(_ bytes: Bytes) -> Bytes {
        DigestAlgorithm.sha256.hash(bytes.span)
    }

    /// The digest of bytes that live elsewhere, without copying them first.
    package static func hash(_ bytes: Span<UInt8>) -> Bytes {
        DigestAlgorithm.sha256.hash(bytes)
    }

    /// The digest of the digest: transaction ids and checksums of Dash and Axe.
    package static func double(_ bytes: Bytes) -> Bytes {
        hash(hash(bytes))
    }
}
