import COpenSSL

/// The versions of the C libraries that this program runs with: recorded by `session.started`.
package enum LibraryVersions {
    /// libcrypto's own, as it says itself when asked at run time.
    package static var openSSL: String {
        guard let text = unsafe OpenSSL_version(OPENSSL_FULL_VERSION_STRING) else { return "" }
        return unsafe String(cString: text)
    }

    /// libsecp256k1 has no way to say its version; this is what it can do for us.
    package static let secp256k1 = "ecdsa+recovery"
}
