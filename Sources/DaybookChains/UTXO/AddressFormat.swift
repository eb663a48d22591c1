/// Which set of version bytes an address or key is written with.
package enum AddressFormat: String, CaseIterable, Hashable, Sendable {
    /// Mainnet's, which the sandbox uses too, so that documented URLs work as they stand.
    case main
    /// The one that testnet, devnets and regtest share.
    case test

    /// The first four bytes of an extended public key (`xpub` or `tpub`).
    package var extendedPublicVersion: UInt32 { self == .main ? 0x0488_b21e : 0x0435_87cf }

    /// The first four bytes of an extended private key (`xprv` or `tprv`).
    package var extendedPrivateVersion: UInt32 { self == .main ? 0x0488_ade4 : 0x0435_8394 }
}
