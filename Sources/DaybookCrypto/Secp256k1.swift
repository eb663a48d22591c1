import CSecp256k1
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

    /// What to compute with where a private key is involved.
    static var secretContext: OpaquePointer {
        unsafe blinded.load(ordering: .acquiring) ?? context
    }

    /// Whether computations with private keys are blinded.
    package static var isBlinded: Bool { unsafe blinded.load(ordering: .acquiring) != nil }

    /// Blinds computations with private keys by 32 bytes of entropy; the first call counts.
    ///
    /// What somebody measures of them (time, power, memory) then depends on the entropy too. No
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
