/// Why no key was derived from a passphrase; never says anything about the passphrase.
package enum KeyDerivationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The parameters are outside what the function is defined for.
    case undefined(String)
    /// The parameters would cost more memory or time than the limits allow.
    case tooExpensive(String)
    /// libcrypto could not do it, for example for want of memory.
    case failed

    /// The error as one line in lower case.
    package var description: String {
        switch self {
        case .undefined(let what): "no such key derivation: \(what)"
        case .tooExpensive(let what): "key derivation beyond the limit: \(what)"
        case .failed: "key derivation failed, perhaps for want of memory"
        }
    }
}
