import CSecp256k1
package import DaybookEncoding

/// A signature from which the public key can be computed: ICON's r, s and recovery id in 65 bytes.
package struct RecoverableSignature: Hashable, Sendable {
    /// r (32 bytes), s (32 bytes) and the recovery id (one byte, 0 to 3).
    package let bytes: Bytes

    /// A signature from its 65 bytes; nil when the numbers or the recovery id are out of range.
    package init?(_ bytes: Bytes) {
        guard bytes.count == 65, Self.parse(bytes) != nil else { return nil }
        self.bytes = bytes
    }

    init(_ parsed: secp256k1_ecdsa_recoverable_signature) {
        var parsed = parsed
        var recovery: Int32 = 0
        var compact = Bytes(repeating: 0, count: 64)
        // secp256k1_recovery.h: serializing a signature always returns 1.
        _ = unsafe secp256k1_ecdsa_recoverable_signature_serialize_compact(
            Secp256k1.context, &compact, &recovery, &parsed)
        bytes = compact + [UInt8(truncatingIfNeeded: recovery)]
    }

    /// The signature without its recovery id.
    package var signature: ECDSASignature? {
        ECDSASignature(compact: Bytes(bytes.prefix(64)))
    }

    /// The public key that made this signature of a digest, or nil where there is none.
    package func recover(digest: Bytes) -> PublicKey? {
        guard digest.count == 32, var parsed = Self.parse(bytes) else { return nil }
        var point = secp256k1_pubkey()
        guard unsafe secp256k1_ecdsa_recover(Secp256k1.context, &point, &parsed, digest) == 1
        else { return nil }
        return PublicKey(point)
    }

    private static func parse(_ bytes: Bytes) -> secp256k1_ecdsa_recoverable_signature? {
        // The library treats another recovery id as a bug of its caller and aborts.
        guard let recovery = bytes.last, recovery <= 3 else { return nil }
        var parsed = secp256k1_ecdsa_recoverable_signature()
        let done = unsafe secp256k1_ecdsa_recoverable_signature_parse_compact(
            Secp256k1.context, &parsed, bytes, Int32(recovery))
        return done == 1 ? parsed : nil
    }
}
