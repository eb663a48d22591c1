import COpenSSL

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
