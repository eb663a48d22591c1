package import DaybookEncoding

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
