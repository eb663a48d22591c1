package import DaybookCrypto

/// The one key of a wallet that is no tree of keys.
package struct SingleKey: ~Copyable, Sendable {
    /// The key itself.
    package let key: PrivateKey
    /// Whether its Dash or Axe address hashes the 33 byte form of the public key.
    package let isCompressed: Bool

    /// A key and the form of its address; on ICON the form has no meaning and is compressed.
    package init(_ key: consuming PrivateKey, isCompressed: Bool = true) {
        self.key = key
        self.isCompressed = isCompressed
    }
}
