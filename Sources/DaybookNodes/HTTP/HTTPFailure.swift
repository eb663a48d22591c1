internal import CCurl

/// Why there is no answer of a server; no case carries anything that the server wrote.
package enum HTTPFailure: Error, Equatable, Sendable {
    /// The address is no `http:` or `https:` address that can be asked.
    case invalidAddress
    /// User or password can't be sent: a control character in either, a colon in the user.
    case invalidCredentials
    /// The file in which the server writes user and password is missing, or holds none.
    case noCookie
    /// No server has this name.
    case unknownHost
    /// Nothing listens there, or no way leads there.
    case connectionRefused
    /// The server did not answer in time.
    case timedOut
    /// The server closed the connection before it had answered in full.
    case cutShort
    /// The answer is longer than this many bytes.
    case tooLong(limit: Int)
    /// The server's certificate is not to be trusted.
    case certificate(CertificateFault)
    /// The file of certificates to trust can't be read, or there is none in it.
    case certificateFile
    /// No TLS came about: the server speaks something else, or too old a TLS, or hung up.
    case noTLS
    /// What the server sent is no HTTP.
    case notHTTP
    /// The caller gave up; the server may have done what it was asked.
    case cancelled
    /// Anything else, with the library's number.
    case other(Int)
}

extension HTTPFailure {
    /// The failure behind libcurl's number of it; nil if it is none.
    init?(_ code: CURLcode, answerBytes: Int) {
        switch code {
        case CURLE_OK: return nil
        case CURLE_URL_MALFORMAT: self = .invalidAddress
        case CURLE_COULDNT_RESOLVE_HOST: self = .unknownHost
        case CURLE_COULDNT_CONNECT: self = .connectionRefused
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            self = .cutShort
        case CURLE_FILESIZE_EXCEEDED: self = .tooLong(limit: answerBytes)
        // libcurl 7 says so of a header line beyond 100 KiB; 8 has a number for it.
        case CURLE_OUT_OF_MEMORY, CURLcode(100): self = .tooLong(limit: HTTPLimits.headerBytes)
        case CURLE_SSL_CACERT_BADFILE: self = .certificateFile
        case CURLE_SSL_CONNECT_ERROR: self = .noTLS
        // The schemes are ours: what is unsupported then is an answer without a status line.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            self = .notHTTP
        case CURLE_ABORTED_BY_CALLBACK: self = .cancelled
        default: self = .other(Int(code.rawValue))
        }
    }
}

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
