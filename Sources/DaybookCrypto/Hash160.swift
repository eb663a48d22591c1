package import DaybookEncoding

/// RIPEMD-160 of SHA-256: what a Dash or Axe address holds of a public key or a script.
package enum Hash160 {
    /// The digest's length in bytes.
    package static let length = 20

    /// The digest of some bytes.
    package static func hash(_ bytes: Bytes) -> Bytes {
        RIPEMD160.hash(SHA256.hash(bytes))
    }
}
