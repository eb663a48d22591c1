internal import CCurl

/// Why there is no response; no case carries text of the server.
package enum HTTPFailure: Error, Equatable, Sendable {
    /// The URL is not a valid `http:` or `https:` URL.
    case invalidAddress
    /// User or password have a control character, or the user has a colon.
    case invalidCredentials
    /// The node's cookie file is missing or has no credentials.
    case noCookie
    /// The host's name can't be resolved.
    case unknownHost
    /// Nothing listens at the address, or there is no route to it.
    case connectionRefused
    /// The proxy is not there, does not let us in, or does not reach the server.
    case proxy(ProxyFault)
    /// The server did not respond in time.
    case timedOut
    /// The server closed the connection before the response was complete.
    case cutShort
    /// The response is longer than this many bytes.
    case tooLong(limit: Int)
    /// The server's certificate can't be trusted.
    case certificate(CertificateFault)
    /// The file of trusted certificates can't be read, or has none.
    case certificateFile
    /// The TLS handshake failed, for example because the server speaks no TLS or too old a version.
    case noTLS
    /// The response is not HTTP.
    case notHTTP
    /// The caller gave up; the server may have processed the request.
    case cancelled
    /// Any other failure, with libcurl's code.
    case other(Int)
}

extension HTTPFailure {
    /// The failure for a code of libcurl; nil for success.
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
        // libcurl 7 has this code for a header line above 100 KiB, libcurl 8 has a code of its own.
        case CURLE_OUT_OF_MEMORY, CURLcode(100): self = .tooLong(limit: HTTPLimits.headerBytes)
        case CURLE_SSL_CACERT_BADFILE: self = .certificateFile
        case CURLE_SSL_CONNECT_ERROR: self = .noTLS
        // The URL's scheme is supported, so the response must lack a status line.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            self = .notHTTP
        case CURLE_ABORTED_BY_CALLBACK: self = .cancelled
        default: self = .other(Int(code.rawValue))
        }
    }
}

/// Why a certificate can't be trusted.
package enum CertificateFault: String, Equatable, Sendable {
    /// The certificate or one of its issuers has expired.
    case expired
    /// The certificate or one of its issuers is not valid yet.
    case notYetValid = "not yet valid"
    /// The certificate is for another host.
    case otherHost = "other host"
    /// No trusted authority has issued it; it may be self-signed.
    case unknownIssuer = "unknown issuer"
    /// Anything else, such as a signature that is wrong or too weak.
    case untrusted
}

extension CertificateFault {
    /// The fault for OpenSSL's verification result (`x509_vfy.h`), as libcurl reports it.
    init(verifyResult: Int) {
        self =
            switch verifyResult {
            // The chain is good or was not verified: libcurl compares the host's name first.
            case 0, 1, 62: .otherHost
            case 9: .notYetValid
            case 10: .expired
            case 2, 18, 19, 20, 21: .unknownIssuer
            default: .untrusted
            }
    }
}

/// Why no connection through the proxy was made.
package enum ProxyFault: Equatable, Sendable {
    /// The proxy's name can't be resolved.
    case unknownHost
    /// Nothing listens at the proxy's address.
    case unreachable
    /// The proxy, or the server behind it, does not answer in time.
    case noAnswer
    /// The server there does not speak SOCKS5.
    case notSOCKS
    /// The proxy wants a user and password, or others.
    case login
    /// The proxy's rules do not allow the connection.
    case forbidden
    /// The proxy does not know the server, or can't connect to it.
    case serverUnreachable
}

extension ProxyFault {
    /// The fault for `CURLINFO_PROXY_ERROR`, whose codes are `CURLproxycode`.
    init(proxyError: Int) {
        self =
            switch CURLproxycode(UInt32(clamping: proxyError)) {
            case CURLPX_NO_AUTH, CURLPX_USER_REJECTED, CURLPX_LONG_USER, CURLPX_LONG_PASSWD,
                CURLPX_SEND_AUTH, CURLPX_RECV_AUTH:
                .login
            case CURLPX_REPLY_NOT_ALLOWED: .forbidden
            case CURLPX_REPLY_GENERAL_SERVER_FAILURE, CURLPX_REPLY_NETWORK_UNREACHABLE,
                CURLPX_REPLY_HOST_UNREACHABLE, CURLPX_REPLY_CONNECTION_REFUSED,
                CURLPX_REPLY_TTL_EXPIRED, CURLPX_REPLY_UNASSIGNED:
                .serverUnreachable
            default: .notSOCKS
            }
    }
}
