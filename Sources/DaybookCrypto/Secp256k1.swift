import COpenSSL
import CSecp256k1
package import DaybookEncoding
internal import Synchronization

/// The contexts of libsecp256k1: one to compute with what is public, one to compute with keys.
///
/// "A constructed context can safely be used from multiple threads simultaneously, but API calls
/// that take a non-const pointer to a context need exclusive access to it" (`secp256k1.h`). The one
/// such call that we make, `secp256k1_context_randomize`, is made on a context that no other thread
/// has seen yet; neither context is changed or freed once it can be seen.
package enum Secp256k1 {
    /// Created on first use, and never blinded.
    nonisolated(unsafe) static let context = unsafe make()

    /// The blinded context, once there is one. A pointer is not `Sendable`; what it points to is
    /// only read from then on.
    nonisolated(unsafe) private static let blinded = unsafe Atomic<OpaquePointer?>(nil)

    /// The context for computations with a private key.
    static var secretContext: OpaquePointer {
        unsafe blinded.load(ordering: .acquiring) ?? context
    }

    /// Whether computations with private keys are blinded.
    package static var isBlinded: Bool { unsafe blinded.load(ordering: .acquiring) != nil }

    /// Blinds computations with private keys by 32 bytes of entropy; the first call counts.
    ///
    /// Measurements of them (time, power, memory) then depend on the entropy too. No
    /// result depends on it: a signature is the one of RFC 6979, blinded or not.
    package static func blind(with entropy: borrowing SecretBytes) {
        guard entropy.count == 32, !isBlinded else { return }
        let fresh = unsafe make()
        let done = entropy.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { buffer in
                unsafe secp256k1_context_randomize(fresh, buffer.baseAddress)
            }
        }
        precondition(done == 1, "secp256k1.h: randomizing a context that can sign always works")
        let (isFirst, _) = unsafe blinded.compareExchange(
            expected: nil, desired: fresh, ordering: .acquiringAndReleasing)
        if !isFirst { unsafe secp256k1_context_destroy(fresh) }
    }

    private static func make() -> OpaquePointer {
        let none = UInt32(SECP256K1_CONTEXT_NONE)
        guard let context = unsafe secp256k1_context_create(none) else {
            preconditionFailure("the library aborts itself where a context cannot be created")
        }
        return unsafe context
    }
}

/// A private key of secp256k1: 32 secret bytes, between 1 and the group's order.
package struct PrivateKey: ~Copyable, Sendable {
    private let secret: SecretBytes

    /// A key from its 32 bytes; nil where they are not a private key.
    package init?(_ secret: consuming SecretBytes) {
        guard secret.count == 32 else { return nil }
        let valid = secret.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { buffer in
                guard let address = buffer.baseAddress else { return false }
                return unsafe secp256k1_ec_seckey_verify(Secp256k1.secretContext, address) == 1
            }
        }
        guard valid else { return nil }
        self.secret = secret
    }

    /// The key's public half.
    package var publicKey: PublicKey {
        var point = secp256k1_pubkey()
        let made = unsafe withAddress { address in
            unsafe secp256k1_ec_pubkey_create(Secp256k1.secretContext, &point, address)
        }
        precondition(made == 1, "the key was checked on the way in, so that it has a public half")
        return PublicKey(point)
    }

    /// The signature of a 32 byte digest by RFC 6979, s low; nil for a digest of another length.
    package func sign(digest: Bytes) -> ECDSASignature? {
        guard digest.count == 32 else { return nil }
        var signature = secp256k1_ecdsa_signature()
        let made = unsafe withAddress { address in
            unsafe secp256k1_ecdsa_sign(
                Secp256k1.secretContext, &signature, digest, address, nil, nil)
        }
        return made == 1 ? ECDSASignature(signature) : nil
    }

    /// As `sign(digest:)`, with the recovery id that ICON wants.
    package func signRecoverable(digest: Bytes) -> RecoverableSignature? {
        guard digest.count == 32 else { return nil }
        var signature = secp256k1_ecdsa_recoverable_signature()
        let made = unsafe withAddress { address in
            unsafe secp256k1_ecdsa_sign_recoverable(
                Secp256k1.secretContext, &signature, digest, address, nil, nil)
        }
        return made == 1 ? RecoverableSignature(signature) : nil
    }

    /// This key plus a tweak (BIP 32's private step), or nil where that is no key.
    package func adding(tweak: Span<UInt8>) -> PrivateKey? {
        guard tweak.count == 32 else { return nil }
        var made: Int32 = 0
        let sum = SecretBytes(count: 32) { sum in
            secret.withBytes { bytes in
                for index in bytes.indices { sum[index] = bytes[index] }
            }
            unsafe sum.withUnsafeMutableBufferPointer { sum in
                unsafe tweak.withUnsafeBufferPointer { tweak in
                    guard let sum = sum.baseAddress, let tweak = tweak.baseAddress else { return }
                    made = unsafe secp256k1_ec_seckey_tweak_add(Secp256k1.secretContext, sum, tweak)
                }
            }
        }
        return made == 1 ? PrivateKey(sum) : nil
    }

    /// Calls the closure with the 32 bytes, which are valid only inside it.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secret.withBytes(body)
    }

    /// A second key with the same bytes, wiped on its own.
    package func copy() -> PrivateKey {
        PrivateKey(unchecked: secret.copy())
    }

    private init(unchecked secret: consuming SecretBytes) {
        self.secret = secret
    }

    private func withAddress(_ body: (UnsafePointer<UInt8>) -> Int32) -> Int32 {
        secret.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { buffer in
                guard let address = buffer.baseAddress else { return 0 }
                return unsafe body(address)
            }
        }
    }
}

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

/// The versions of the C libraries that this program runs with: recorded by `session.started`.
package enum LibraryVersions {
    /// libcrypto's own, as it says itself when asked at run time.
    package static var openSSL: String {
        guard let text = unsafe OpenSSL_version(OPENSSL_FULL_VERSION_STRING) else { return "" }
        return unsafe String(cString: text)
    }

    /// libsecp256k1 can't be asked for its version; its signatures are fixed by RFC 6979 anyway.
    package static let secp256k1 = "unversioned"
}
