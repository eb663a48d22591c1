package import DaybookChains
package import DaybookCrypto
import DaybookEncoding

/// An extended private key (BIP 32): a private key with the chain code for deriving children.
///
/// It has no text form, because Daybook never writes an `xprv`.
package struct ExtendedPrivateKey: ~Copyable, Sendable {
    /// The key itself.
    package let key: PrivateKey
    /// The number of derivation steps from the master key.
    package let depth: UInt8
    /// The first four bytes of the parent's key hash; zero for a master key.
    package let parentFingerprint: UInt32
    /// The number of this child of its parent; the highest bit is set for a hardened one.
    package let childNumber: UInt32
    let chainCode: SecretBytes

    /// The master key of a seed of 16 to 64 bytes; nil for one seed in 2^127, which has none.
    package init?(seed: borrowing SecretBytes) {
        guard (16...64).contains(seed.count) else { return nil }
        let name = SecretBytes(copying: Bytes("Bitcoin seed".utf8))
        let code = seed.withBytes { HMACSHA512.authenticate($0, key: name) }
        guard let key = PrivateKey(Self.half(code, 0..<32)) else { return nil }
        self.init(
            key: key, chainCode: Self.half(code, 32..<64), depth: 0, parentFingerprint: 0,
            childNumber: 0)
    }

    /// A child key; nil at the greatest depth, and for one number in 2^127, which has no key.
    package func child(_ number: UInt32) -> ExtendedPrivateKey? {
        guard depth < UInt8.max else { return nil }
        let publicKey = key.publicKey.compressed
        // Hardened: 00, the private key and the number. Otherwise: the public key and the number.
        let data = SecretBytes(count: 37) { data in
            if number >= DerivationPath.hardened {
                key.withBytes { key in
                    for index in key.indices { data[index + 1] = key[index] }
                }
            } else {
                for index in publicKey.indices { data[index] = publicKey[index] }
            }
            for index in 0..<4 {
                data[33 + index] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * index))
            }
        }
        let code = data.withBytes { HMACSHA512.authenticate($0, key: chainCode) }
        guard let sum = code.withBytes({ key.adding(tweak: $0.extracting(0..<32)) })
        else { return nil }
        let fingerprint: UInt32 = BigEndian.number(Hash160.hash(publicKey).prefix(4))
        return ExtendedPrivateKey(
            key: sum, chainCode: Self.half(code, 32..<64), depth: depth + 1,
            parentFingerprint: fingerprint, childNumber: number)
    }

    /// The descendant at a path relative to this key.
    package func descendant(_ path: DerivationPath) -> ExtendedPrivateKey? {
        var current = copy()
        for number in path.components {
            guard let next = current.child(number) else { return nil }
            current = next
        }
        return current
    }

    /// The extended public key, in the format of some networks.
    package func publicKey(_ format: AddressFormat) -> ExtendedPublicKey? {
        let code = chainCode.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        return ExtendedPublicKey(
            format: format, depth: depth, parentFingerprint: parentFingerprint,
            childNumber: childNumber, chainCode: code, publicKey: key.publicKey)
    }

    private init(
        key: consuming PrivateKey, chainCode: consuming SecretBytes, depth: UInt8,
        parentFingerprint: UInt32, childNumber: UInt32
    ) {
        self.key = key
        self.chainCode = chainCode
        self.depth = depth
        self.parentFingerprint = parentFingerprint
        self.childNumber = childNumber
    }

    /// Another copy of the key.
    package func copy() -> ExtendedPrivateKey {
        ExtendedPrivateKey(
            key: key.copy(), chainCode: chainCode.copy(), depth: depth,
            parentFingerprint: parentFingerprint, childNumber: childNumber)
    }

    private static func half(_ code: borrowing SecretBytes, _ range: Range<Int>) -> SecretBytes {
        code.withBytes { SecretBytes(copying: $0.extracting(range)) }
    }
}
