import CSecp256k1

/// The one context of libsecp256k1, created on first use and never changed or freed.
///
/// "A constructed context can safely be used from multiple threads simultaneously, but API calls
/// that take a non-const pointer to a context need exclusive access to it" (`secp256k1.h`). We
/// make no such call. Randomizing the context would blind signing against side channels; it does
/// not change a signature, needs entropy, which a pure module has none of, and protects against
/// an attacker who measures this machine, whom `docs/THREAT_MODEL.md` leaves out.
enum Secp256k1 {
    nonisolated(unsafe) static let context: OpaquePointer = {
        let none = UInt32(SECP256K1_CONTEXT_NONE)
        guard let context = unsafe secp256k1_context_create(none) else {
            preconditionFailure("the library aborts itself where a context cannot be created")
        }
        return unsafe context
    }()
}
