package import DaybookCrypto
package import DaybookEncoding

/// A public key with the chain code to derive its children (BIP 32).
package struct ExtendedPublicKey: Hashable, Sendable {
    /// The networks that the text form is for.
    package let format: AddressFormat
    /// The number of derivations from the master key.
    package let depth: UInt8
    /// The first four bytes of the parent's key hash; zero for a master key.
    package let parentFingerprint: UInt32
    /// The index in its parent; the highest bit marks a hardened key.
    package let childNumber: UInt32
    /// 32 bytes.
    package let chainCode: Bytes
    package let publicKey: PublicKey

    /// A key from its parts; nil if they are invalid by BIP 32.
    package init?(
        format: AddressFormat, depth: UInt8, parentFingerprint: UInt32, childNumber: UInt32,
        chainCode: Bytes, publicKey: PublicKey
    ) {
        guard chainCode.count == 32 else { return nil }
        guard depth > 0 || (parentFingerprint == 0 && childNumber == 0) else { return nil }
        self.format = format
        self.depth = depth
        self.parentFingerprint = parentFingerprint
        self.childNumber = childNumber
        self.chainCode = chainCode
        self.publicKey = publicKey
    }

    /// Parses a text (`xpub…` or `tpub…`); nil if it is not a valid key.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 112, let payload = Base58Check.decode(String(text)),
            payload.count == 78, let publicKey = PublicKey(Bytes(payload[45...])),
            let format = Self.format(ofVersion: BigEndian.number(payload[0..<4]))
        else { return nil }
        self.init(
            format: format, depth: payload[4], parentFingerprint: BigEndian.number(payload[5..<9]),
            childNumber: BigEndian.number(payload[9..<13]), chainCode: Bytes(payload[13..<45]),
            publicKey: publicKey)
    }

    /// The key in the text form that wallets exchange.
    package var text: String {
        var payload = BigEndian.fourBytes(format.extendedPublicVersion)
        payload.append(depth)
        payload += BigEndian.fourBytes(parentFingerprint)
        payload += BigEndian.fourBytes(childNumber)
        payload += chainCode
        payload += publicKey.compressed
        return Base58Check.encode(payload)
    }

    /// The first four bytes of the key's hash, which its children carry.
    package var fingerprint: UInt32 {
        BigEndian.number(Hash160.hash(publicKey.compressed)[0..<4])
    }

    /// A child that is not hardened; nil at the maximum depth and, once in 2^127, without a key.
    package func child(_ index: UInt32) -> ExtendedPublicKey? {
        guard index < DerivationPath.hardened, depth < UInt8.max else { return nil }
        let digest = HMACSHA512.authenticate(
            publicKey.compressed + BigEndian.fourBytes(index), key: chainCode)
        guard let key = publicKey.adding(tweak: Bytes(digest[..<32])) else { return nil }
        return ExtendedPublicKey(
            format: format, depth: depth + 1, parentFingerprint: fingerprint,
            childNumber: index, chainCode: Bytes(digest[32...]), publicKey: key)
    }

    /// The descendant with these child numbers; nil if one of them is hardened.
    package func descendant(_ indexes: UInt32...) -> ExtendedPublicKey? {
        indexes.reduce(self as ExtendedPublicKey?) { $0?.child($1) }
    }

    private static func format(ofVersion version: UInt32) -> AddressFormat? {
        AddressFormat.allCases.first { $0.extendedPublicVersion == version }
    }
}
