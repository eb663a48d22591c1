import CSecp256k1
package import DaybookEncoding

/// A point of secp256k1 other than infinity: a public key.
package struct PublicKey: Sendable {
    /// The 33 bytes of the compressed form.
    package let compressed: Bytes
    /// The same for the library: to find it again takes a square root.
    private let point: secp256k1_pubkey

    /// A key from its compressed (33 bytes) or uncompressed (65) form; nil when it is neither.
    package init?(_ bytes: Bytes) {
        // The library would take the hybrid forms 06 and 07 too, which no wallet writes.
        switch (bytes.count, bytes.first) {
        case (33, 2), (33, 3), (65, 4): break
        default: return nil
        }
        guard let point = Self.parse(bytes) else { return nil }
        self.init(point)
    }

    init(_ point: secp256k1_pubkey) {
        self.point = point
        compressed = Self.serialize(point, length: 33, flags: UInt32(SECP256K1_EC_COMPRESSED))
    }

    /// The 65 bytes of the uncompressed form, beginning with 04.
    package var uncompressed: Bytes {
        Self.serialize(point, length: 65, flags: UInt32(SECP256K1_EC_UNCOMPRESSED))
    }

    /// This key plus tweak × G (BIP 32's public step), or nil where that is no key.
    package func adding(tweak: Bytes) -> PublicKey? {
        guard tweak.count == 32 else { return nil }
        var sum = point
        guard unsafe secp256k1_ec_pubkey_tweak_add(Secp256k1.context, &sum, tweak) == 1
        else { return nil }
        return PublicKey(sum)
    }

    /// Whether a signature of this key fits a digest; nodes refuse a high s, and so does this.
    package func verify(
        digest: Bytes, signature: ECDSASignature, requiringLowS: Bool = true
    ) -> Bool {
        guard digest.count == 32, signature.isLowS || !requiringLowS else { return false }
        var normalized = signature.normalized.parsed
        var point = self.point
        return unsafe secp256k1_ecdsa_verify(Secp256k1.context, &normalized, digest, &point) == 1
    }

    /// Whether 64 bytes (r, s) are this key's signature of a digest.
    package func verify(digest: Bytes, compact: Bytes, requiringLowS: Bool = true) -> Bool {
        guard let signature = ECDSASignature(compact: compact) else { return false }
        return verify(digest: digest, signature: signature, requiringLowS: requiringLowS)
    }

    /// Whether DER bytes (without the sighash byte) are this key's signature of a digest.
    package func verify(digest: Bytes, der: Bytes, requiringLowS: Bool = true) -> Bool {
        guard let signature = ECDSASignature(der: der) else { return false }
        return verify(digest: digest, signature: signature, requiringLowS: requiringLowS)
    }

    private static func parse(_ bytes: Bytes) -> secp256k1_pubkey? {
        var point = secp256k1_pubkey()
        let parsed = unsafe secp256k1_ec_pubkey_parse(
            Secp256k1.context, &point, bytes, bytes.count)
        return parsed == 1 ? point : nil
    }

    private static func serialize(
        _ point: secp256k1_pubkey, length: Int, flags: UInt32
    ) -> Bytes {
        var point = point
        var bytes = Bytes(repeating: 0, count: length)
        var written = length
        // secp256k1.h: serializing a public key always returns 1.
        _ = unsafe secp256k1_ec_pubkey_serialize(
            Secp256k1.context, &bytes, &written, &point, flags)
        return bytes
    }
}

extension PublicKey: Hashable {
    package static func == (left: PublicKey, right: PublicKey) -> Bool {
        left.compressed == right.compressed
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(compressed)
    }
}
