package import DaybookEncoding

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
