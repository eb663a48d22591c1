package import DaybookCrypto

/// The one key of a wallet that is no tree of keys.
package struct SingleKey: ~Copyable, Sendable {
    /// The key itself.
    package let key: PrivateKey
    /// Its public half, made once.
    let publicKey: PublicKey
    /// Whether its Dash or Axe address hashes the 33 byte form of the public key.
    package let isCompressed: Bool

    /// A key and the form of its address; on ICON the form has no meaning and is compressed.
    package init(_ key: consuming PrivateKey, isCompressed: Bool = true) {
        publicKey = key.publicKey
        self.key = key
        self.isCompressed = isCompressed
    }
}
