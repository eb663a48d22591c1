/// Why a certificate is not to be trusted.
package enum CertificateFault: String, Equatable, Sendable {
    /// Its time is over, or that of one above it.
    case expired
    /// Its time has not come, or that of one above it.
    case notYetValid = "not yet valid"
    /// It is of another host.
    case otherHost = "other host"
    /// Nobody who is trusted has issued it; it may have been issued by itself.
    case unknownIssuer = "unknown issuer"
    /// Anything else, such as a signature that is wrong or too weak.
    case untrusted
}

extension CertificateFault {
    /// The fault behind OpenSSL's number of it (`x509_vfy.h`), as libcurl hands it on.
    init(verifyResult: Int) {
        self =
            switch verifyResult {
            // The chain was found good, or not judged at all: libcurl itself compares the host
            // before it asks for the result.
            case 0, 1, 62: .otherHost
            case 9: .notYetValid
            case 10: .expired
            case 2, 18, 19, 20, 21: .unknownIssuer
            default: .untrusted
            }
    }
}
