import CSecp256k1
package import DaybookEncoding

/// An ECDSA signature over secp256k1: r and s, each below the group's order.
package struct ECDSASignature: Hashable, Sendable {
    /// r and s, 32 bytes each, big-endian.
    package let compact: Bytes

    /// A signature from r and s (64 bytes); nil when one is not below the group's order.
    package init?(compact: Bytes) {
        guard compact.count == 64 else { return nil }
        var parsed = secp256k1_ecdsa_signature()
        guard
            unsafe secp256k1_ecdsa_signature_parse_compact(Secp256k1.context, &parsed, compact)
                == 1
        else { return nil }
        self.compact = compact
    }

    /// A signature from strict DER (BIP 66) without the sighash byte; nil for any other spelling.
    package init?(der: Bytes) {
        var parsed = secp256k1_ecdsa_signature()
        guard
            unsafe secp256k1_ecdsa_signature_parse_der(
                Secp256k1.context, &parsed, der, der.count) == 1
        else { return nil }
        self.init(parsed)
        // The library lets numbers out of range pass, as zero: the one spelling is the written one.
        guard self.der == der else { return nil }
    }

    init(_ parsed: secp256k1_ecdsa_signature) {
        var parsed = parsed
        var bytes = Bytes(repeating: 0, count: 64)
        // secp256k1.h: serializing a signature always returns 1.
        _ = unsafe secp256k1_ecdsa_signature_serialize_compact(Secp256k1.context, &bytes, &parsed)
        compact = bytes
    }

    /// The DER form, without a sighash byte: at most 72 bytes, 71 with a low s.
    package var der: Bytes {
        var parsed = self.parsed
        var bytes = Bytes(repeating: 0, count: 72)
        var length = bytes.count
        let written = unsafe secp256k1_ecdsa_signature_serialize_der(
            Secp256k1.context, &bytes, &length, &parsed)
        precondition(written == 1, "two numbers of 33 bytes and six bytes of DER fit in 72")
        return Bytes(bytes.prefix(length))
    }

    /// Whether s is in the lower half, which nodes demand (BIP 62, rule 5).
    package var isLowS: Bool {
        var parsed = self.parsed
        return unsafe secp256k1_ecdsa_signature_normalize(Secp256k1.context, nil, &parsed) == 0
    }

    /// The same signature with s in the lower half.
    package var normalized: ECDSASignature {
        var high = parsed
        var low = secp256k1_ecdsa_signature()
        _ = unsafe secp256k1_ecdsa_signature_normalize(Secp256k1.context, &low, &high)
        return ECDSASignature(low)
    }

    var parsed: secp256k1_ecdsa_signature {
        var parsed = secp256k1_ecdsa_signature()
        let done = unsafe secp256k1_ecdsa_signature_parse_compact(
            Secp256k1.context, &parsed, compact)
        precondition(done == 1, "the same bytes were parsed or written by the library before")
        return parsed
    }
}

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
